package domain

import "time"

// Key is an API key. Only its hash is kept.
type Key struct {
	ID          string
	WorkspaceID string
	Name        string
	Role        Role
	Prefix      string // its first characters, for people to recognise it
	Hash        string // hex SHA-256 of the whole key
	CreatedAt   time.Time
	ExpiresAt   *time.Time // nil: it does not end by itself
	LastUsedAt  *time.Time // to the minute
	RevokedAt   *time.Time
}

// KeyUse says when a key was used last.
type KeyUse struct {
	WorkspaceID string
	KeyID       string
	At          time.Time
}

// Expired says whether the key's time is over.
func (k *Key) Expired(now time.Time) bool { return k.ExpiresAt != nil && !now.Before(*k.ExpiresAt) }

// standing says whether the key can be relied on to manage the workspace's keys.
func (k *Key) standing() bool { return k.Role == RoleAdmin && k.RevokedAt == nil && k.ExpiresAt == nil }

// MayBeFirst refuses a key after which nobody could manage keys any more: the first key
// closes a server that was open until then, for good. It is asked only where no root key
// can help.
func (k *Key) MayBeFirst() error {
	if k.standing() {
		return nil
	}
	return Errorf(CodeFirstKey, "The first key closes this server to calls without one, and only an admin's key can make further ones. "+
		"Nothing was made: make one with the role admin and without expires_at first, or set FERMATA_ROOT_KEY and start the server again.")
}

// MayRevoke refuses to revoke the key with this id when nobody could manage the keys of
// its workspace afterwards. all are the workspace's keys. It is asked only where no root
// key can help.
func MayRevoke(id string, all []*Key, now time.Time) error {
	opens := false
	for _, k := range all {
		if k.ID != id && k.standing() {
			return nil
		}
		if k.ID == id {
			opens = k.Role == RoleAdmin && k.RevokedAt == nil && !k.Expired(now)
		}
	}
	if !opens {
		return nil
	}
	return Errorf(CodeLastAdminKey, "No other admin key without an expiry is left in this workspace, so nobody could make keys any more. "+
		"Nothing was revoked: make another admin key first, or set FERMATA_ROOT_KEY and start the server again.")
}
