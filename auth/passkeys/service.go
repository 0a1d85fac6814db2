package passkeys

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Lives is how long a person has to sign what they were asked to.
const Lives = 5 * time.Minute

// Store keeps passkeys. Those of an owner come with those that they took back.
type Store interface {
	Passkeys(ctx context.Context, workspace, owner string) ([]*people.Passkey, error)
	BeginPasskey(ctx context.Context, r *people.PasskeyRegistration) error
	PasskeyRegistration(ctx context.Context, workspace, owner string) (*people.PasskeyRegistration, error)
	// InsertPasskey ends the registration with a challenge; known is how many the owner had.
	InsertPasskey(ctx context.Context, p *people.Passkey, challenge string, known int, use *domain.PasskeyUse) error
	RevokePasskey(ctx context.Context, workspace, owner, id string, at time.Time) error
	ForgetPasskeys(ctx context.Context, workspace, owner string) error
}

// Service keeps people's passkeys and checks what they sign.
type Service struct {
	Store Store
	// Address is where browsers reach this server.
	Address func() string
	Clock   clock.Clock
	NewID   domain.IDSource
}

// Passkeys lists those that a person can sign with.
func (s *Service) Passkeys(ctx context.Context, workspace string, who domain.Author) ([]*people.Passkey, error) {
	all, err := s.Store.Passkeys(ctx, workspace, who.ID)
	return people.InUse(all), err //nolint:wrapcheck // the store's own words
}

// DeletePasskey revokes one of a person's passkeys.
func (s *Service) DeletePasskey(ctx context.Context, workspace string, who domain.Author, id string) error {
	return s.Store.RevokePasskey(ctx, workspace, who.ID, id, s.Clock()) //nolint:wrapcheck // the store's own words
}

// ForgetPasskeys deletes all passkeys of a person who lost their devices, so that they can register new ones.
func (s *Service) ForgetPasskeys(ctx context.Context, workspace, owner string) error {
	return s.Store.ForgetPasskeys(ctx, workspace, owner) //nolint:wrapcheck // the store's own words
}

// person reads whose passkeys are asked for, and what this server is to them.
func (s *Service) person(ctx context.Context, workspace string, who domain.Author) (p *person, at *party, known int, err error) {
	if at, err = partyAt(s.Address()); err != nil {
		return nil, nil, 0, err
	}
	all, err := s.Store.Passkeys(ctx, workspace, who.ID)
	if err != nil {
		return nil, nil, 0, err //nolint:wrapcheck // the store's own words
	}
	p, err = personOf(workspace, who, people.InUse(all))
	return p, at, len(all), err
}
