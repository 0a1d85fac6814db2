package auth

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/clock"
)

// keyStore stores API keys. InsertKey calls check, and RevokeKey calls may, in its transaction.
type keyStore interface {
	InsertKey(ctx context.Context, key *people.Key, check func(first bool) error) error
	RevokeKey(ctx context.Context, workspace, id string, may func(all []*people.Key) error) error
}

// KeyService creates and revokes API keys.
type KeyService struct {
	Rows keyStore
	// RootKey and Issuer: keys are managed with the root key, and people sign in, so that the first key closes nothing.
	RootKey, Issuer bool
	Clock           clock.Clock
	NewID           domain.IDSource
}

// NewKey is what a key is made of.
type NewKey struct {
	Name      string
	Role      domain.Role
	ExpiresAt *time.Time
	ActsFor   string // people.ActsForAny, or ""
}

// Create creates a key and returns its text, this once. closed reports that the server was open until now, and requires a
// key from now on. A first key that could not manage others is a domain error.
func (s *KeyService) Create(
	ctx context.Context, workspace string, in NewKey,
) (key *people.Key, text string, closed bool, err error) {
	text, prefix, hash := Mint()
	key = &people.Key{
		ID: s.NewID(domain.PrefixKey), WorkspaceID: workspace, Name: in.Name, Role: in.Role, ActsFor: in.ActsFor,
		Prefix: prefix, Hash: hash, CreatedAt: s.Clock(), ExpiresAt: in.ExpiresAt,
	}
	err = s.Rows.InsertKey(ctx, key, func(first bool) error {
		if closed = first && !s.RootKey && !s.Issuer; closed {
			return key.MayBeFirst()
		}
		return nil
	})
	return key, text, closed, err
}

// RevokeKey revokes a key. Without a root key, the last one that can manage keys is a domain error.
func (s *KeyService) RevokeKey(ctx context.Context, workspace, id string) error {
	if s.RootKey {
		return s.Rows.RevokeKey(ctx, workspace, id, nil)
	}
	return s.Rows.RevokeKey(ctx, workspace, id, func(all []*people.Key) error {
		return people.MayRevoke(id, all, s.Clock())
	})
}
