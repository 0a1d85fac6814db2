package people

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Key is an API key. Only its hash is kept.
type Key struct {
	ID          string
	WorkspaceID string
	Name        string
	Role        domain.Role
	Prefix      string // its first characters, for people to recognise it
	Hash        string // hex SHA-256 of the whole key
	CreatedAt   time.Time
	ExpiresAt   *time.Time // nil: it does not end by itself
	LastUsedAt  *time.Time // to the minute
	RevokedAt   *time.Time
	// ActsFor is ActsForAny for the key of a program that may act for its users; "": it may not.
	ActsFor string
}

// ActsForAny lets the program that has a key act for any user, whom it names by an id of its own.
const ActsForAny = "any"

// KeyUse is the last use of a key.
type KeyUse struct {
	WorkspaceID string
	KeyID       string
	At          time.Time
}

// Expired reports whether the key has expired.
func (k *Key) Expired(now time.Time) bool { return k.ExpiresAt != nil && !now.Before(*k.ExpiresAt) }

// lasting reports whether the key can be relied on to manage the workspace's keys.
func (k *Key) lasting() bool {
	return k.Role == domain.RoleAdmin && k.RevokedAt == nil && k.ExpiresAt == nil
}

// MayBeFirst rejects a key that would leave the server without a key manager: the first key closes an open
// server for good. It is called only if there is no root key.
func (k *Key) MayBeFirst() error {
	if k.lasting() {
		return nil
	}
	return domain.Errorf(domain.CodeFirstKey, "The first key closes this server to calls without one, and only an admin's key can make further ones. "+
		"Nothing was made: make one with the role admin and without expires_at first, or set FERMATA_ROOT_KEY and start the server again.")
}

// MayRevoke rejects revoking the key with this id if the workspace would be left without a key manager.
// all are the workspace's keys. It is called only if there is no root key.
func MayRevoke(id string, all []*Key, now time.Time) error {
	opens := false
	for _, k := range all {
		if k.ID != id && k.lasting() {
			return nil
		}
		if k.ID == id {
			opens = k.Role == domain.RoleAdmin && k.RevokedAt == nil && !k.Expired(now)
		}
	}
	if !opens {
		return nil
	}
	return domain.Errorf(domain.CodeLastAdminKey, "No other admin key without an expiry is left in this workspace, so no key could be created any more. "+
		"Nothing was revoked: make another admin key first, or set FERMATA_ROOT_KEY and start the server again.")
}
