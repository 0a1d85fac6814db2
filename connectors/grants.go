package connectors

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/seal"
)

// Grants is what the database keeps of people's sign-ins, one for a connector.
type Grants interface {
	// ConnectorGrant and GrantOfState give nil where there is none.
	ConnectorGrant(ctx context.Context, workspace, connector string) (*domain.ConnectorGrant, error)
	GrantOfState(ctx context.Context, hash string) (*domain.ConnectorGrant, error)
	// SaveGrant is conditional on the version that was read (domain.ErrStale), counts it up,
	// and ends a claim.
	SaveGrant(ctx context.Context, g *domain.ConnectorGrant) error
	// ClaimGrant gives one of many nodes the right to renew what it read.
	ClaimGrant(ctx context.Context, g *domain.ConnectorGrant, now, until time.Time) (bool, error)
	// DropGrant takes it away unless it is for this origin.
	DropGrant(ctx context.Context, workspace, connector, but string) error
}

// GrantStore keeps the grant of one connector for its kind, sealed, and bound to the origin
// of the connector: for another one there is none.
type GrantStore struct {
	rows  Grants
	keys  *seal.Keys
	clock clock.Clock
	// of names the connector and the origin; by is who signs in.
	of domain.ConnectorGrant
	by domain.Author
}

func (s *Service) grantsOf(c *domain.Connector, origin string, by domain.Author) *GrantStore {
	return &GrantStore{
		rows: s.grants, keys: s.keys, clock: s.clock, by: by,
		of: domain.ConnectorGrant{WorkspaceID: c.WorkspaceID, ConnectorID: c.ID, Origin: origin},
	}
}

func (s *GrantStore) place() seal.Place {
	return GrantPlace(s.of.WorkspaceID, s.of.ConnectorID, s.of.Origin)
}

// GrantPlace is where a sign-in to a connector belongs.
func GrantPlace(workspace, connector, origin string) seal.Place {
	return seal.Place{"connector grant", workspace, connector, origin}
}

// Load gives the grant as the kind wrote it, and its version; "" where there is none, or
// none that counts here.
func (s *GrantStore) Load(ctx context.Context) (text string, version int64, err error) {
	g, err := s.rows.ConnectorGrant(ctx, s.of.WorkspaceID, s.of.ConnectorID)
	if err != nil || g == nil {
		return "", 0, err
	}
	if g.Origin != s.of.Origin {
		return "", g.Version, nil
	}
	text, unreadable := s.keys.Open(g.Sealed, s.place())
	if unreadable != nil { // another secret key sealed it: somebody signs in again
		text = ""
	}
	return text, g.Version, nil
}

// Save stores a grant that was loaded with that version; domain.ErrStale where somebody else
// was faster. state is what a person comes back with from a sign-in that was begun.
func (s *GrantStore) Save(ctx context.Context, text, state string, version int64) error {
	if !s.keys.Any() {
		return errNoKey
	}
	g := s.of
	g.Version, g.UpdatedAt = version, s.clock()
	if state != "" {
		g.StateHash, g.BegunBy = stateHash(state), s.by
	}
	var err error
	if g.Sealed, err = s.keys.Seal(text, s.place()); err != nil {
		return err
	}
	return s.rows.SaveGrant(ctx, &g)
}

var errNoKey = domain.Invalid("/config/auth", "no_secret_key",
	"This server has no FERMATA_SECRET_KEY, so it stores no sign-ins. Set it (the same on all nodes). Nothing was changed.")

// Claim takes the right to renew the grant for a while, if it is that version still and
// nobody else renews it.
func (s *GrantStore) Claim(ctx context.Context, version int64, within time.Duration) (bool, error) {
	g := s.of
	g.Version = version
	now := s.clock()
	return s.rows.ClaimGrant(ctx, &g, now, now.Add(within))
}

// stateHash is how a state is kept: who reads the database cannot finish another's sign-in.
func stateHash(state string) string {
	sum := sha256.Sum256([]byte("fermata sign-in state\n" + state))
	return hex.EncodeToString(sum[:])
}

// SignIner is a kind's way to have a person sign in to the server of a connector.
type SignIner interface {
	// Begin returns the address that the person opens, and until when they may come back to
	// redirect. prefix is the beginning of the state that they come back with.
	Begin(ctx context.Context, redirect, prefix string) (address string, until time.Time, err error)
	// Finish takes what they came back with, once: ErrSignInOver for anything but the latest
	// sign-in that was begun, in its time.
	Finish(ctx context.Context, answer domain.SignInAnswer) error
}

// ErrSignInOver: what a person tried to finish is not what was begun, or took too long.
var ErrSignInOver = errors.New("this sign-in was not begun here, or too long ago")
