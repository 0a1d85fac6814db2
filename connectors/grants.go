package connectors

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/seal"
)

// Grants stores OAuth sign-ins, one for each connector.
type Grants interface {
	// ConnectorGrant and GrantOfState return nil if there is none.
	ConnectorGrant(ctx context.Context, workspace, connector string) (*outside.ConnectorGrant, error)
	GrantOfState(ctx context.Context, hash string) (*outside.ConnectorGrant, error)
	// SaveGrant requires the version that was read (else domain.ErrStale), increments it, and
	// releases a claim.
	SaveGrant(ctx context.Context, g *outside.ConnectorGrant) error
	// ClaimGrant gives one node the exclusive right to refresh the token it read.
	ClaimGrant(ctx context.Context, g *outside.ConnectorGrant, now, until time.Time) (bool, error)
	// DropGrant deletes the sign-in unless it is for this origin.
	DropGrant(ctx context.Context, workspace, connector, but string) error
}

// GrantStore stores the sealed sign-in of one connector for its kind. It is bound to the
// connector's origin: for another origin it is empty.
type GrantStore struct {
	rows  Grants
	keys  *seal.Keys
	clock clock.Clock
	// of identifies the connector and the origin; by is the person who signs in.
	of outside.ConnectorGrant
	by domain.Author
}

func (s *Service) grantsOf(c *outside.Connector, origin string, by domain.Author) *GrantStore {
	return &GrantStore{
		rows: s.grants, keys: s.keys, clock: s.clock, by: by,
		of: outside.ConnectorGrant{WorkspaceID: c.WorkspaceID, ConnectorID: c.ID, Origin: origin},
	}
}

func (s *GrantStore) place() seal.Place {
	return GrantPlace(s.of.WorkspaceID, s.of.ConnectorID, s.of.Origin)
}

// GrantPlace is the sealing context of a connector's sign-in.
func GrantPlace(workspace, connector, origin string) seal.Place {
	return seal.Place{"connector grant", workspace, connector, origin}
}

// Load returns the sign-in as stored by the kind, with its version. The text is empty if there is
// none, or none for this origin.
func (s *GrantStore) Load(ctx context.Context) (text string, version int64, err error) {
	g, err := s.rows.ConnectorGrant(ctx, s.of.WorkspaceID, s.of.ConnectorID)
	if err != nil || g == nil {
		return "", 0, err
	}
	if g.Origin != s.of.Origin {
		return "", g.Version, nil
	}
	text, unreadable := s.keys.Open(g.Sealed, s.place())
	if unreadable != nil { // sealed with another secret key: a new sign-in is needed
		text = ""
	}
	return text, g.Version, nil
}

// Save stores a sign-in that was loaded with this version; domain.ErrStale on a conflict. state is
// the OAuth state that a pending sign-in returns with.
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
	"This server has no FERMATA_SECRET_KEY, so it cannot store sign-ins. Set it (the same on all nodes). Nothing was changed.")

// Claim acquires the right to refresh the token for a while, if the version is still current and no
// other node holds the right.
func (s *GrantStore) Claim(ctx context.Context, version int64, within time.Duration) (bool, error) {
	g := s.of
	g.Version = version
	now := s.clock()
	return s.rows.ClaimGrant(ctx, &g, now, now.Add(within))
}

// stateHash is the stored form of a state: read access to the database is not enough to finish
// another person's sign-in.
func stateHash(state string) string {
	sum := sha256.Sum256([]byte("fermata sign-in state\n" + state))
	return hex.EncodeToString(sum[:])
}

// SignIner implements a kind's sign-in at the server of a connector.
type SignIner interface {
	// Begin returns the URL for the person to open and the time until which they may return to
	// redirect. prefix is the prefix of the OAuth state they return with.
	Begin(ctx context.Context, redirect, prefix string) (address string, until time.Time, err error)
	// Finish completes the sign-in with what they returned with, once. It returns ErrSignInOver for
	// anything but the latest pending sign-in within its time.
	Finish(ctx context.Context, answer outside.SignInAnswer) error
}

// ErrSignInOver is returned when the returned state matches no pending sign-in, or too late.
var ErrSignInOver = errors.New("this sign-in was not begun here, or too long ago")
