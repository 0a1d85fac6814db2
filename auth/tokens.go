package auth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// The lifetime of a person's token.
const (
	TokenLife    = 15 * time.Minute // if the program does not choose one
	MaxTokenLife = 24 * time.Hour
)

// IssuedToken is a new token with its text, this once.
type IssuedToken struct {
	Text      string
	Person    string // the id of the person
	ExpiresAt time.Time
}

// IssueToken issues a bearer token for a user of the program whose key asks. The user is created if they are new.
func (a *Authenticator) IssueToken(ctx context.Context, id *Identity, user string, life time.Duration) (*IssuedToken, error) {
	if a.config.People == nil || id.Key == nil || id.Key.ActsFor == "" || id.user != "" {
		return nil, errMayNotActFor()
	}
	acting := *id
	if err := acting.actFor(user, "/person"); err != nil {
		return nil, err
	}
	p, err := a.personOf(ctx, &acting)
	if err != nil {
		return nil, err
	}
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // ends the program rather than fail
	issued := &IssuedToken{Text: tokenPrefix + encode(secret, secretLength), Person: p.ID, ExpiresAt: a.config.Clock().Add(life)}
	err = a.config.People.InsertToken(ctx, &people.Token{
		WorkspaceID: id.Workspace, Hash: Hash(issued.Text), PersonID: p.ID, KeyHash: hex.EncodeToString(id.hash[:]),
		CreatedAt: a.config.Clock(), ExpiresAt: issued.ExpiresAt,
	})
	if err != nil {
		return nil, fmt.Errorf("store the token: %w", err)
	}
	return issued, nil
}

// RevokeTokens revokes all tokens of a person: for an admin, or for the program that acts for the person.
func (a *Authenticator) RevokeTokens(ctx context.Context, id *Identity, person string) error {
	if a.config.People == nil {
		return domain.NotFound("person")
	}
	if !id.Role.Allows(domain.RoleAdmin) {
		if id.Key == nil || id.Key.ActsFor == "" || id.user != "" {
			return errMayNotActFor()
		}
		p, err := a.config.People.Person(ctx, id.Workspace, person)
		if err != nil {
			return err //nolint:wrapcheck // the store's own words
		}
		if !strings.HasPrefix(p.Identity, people.ActedFor(id.Key.ID, "")) {
			return domain.NotFound("person")
		}
	}
	defer a.Changed()
	return a.config.People.RevokeTokens(ctx, id.Workspace, person) //nolint:wrapcheck // the store's own words
}
