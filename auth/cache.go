package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/clock"
)

const cacheTTL = 5 * time.Second // a revoked key works no longer than this

// credentials caches keys and sign-ins, which saves a database query per request. Missing keys are not cached, so that
// a new key works at once.
type credentials struct {
	clock clock.Clock
	nodes bool // other nodes make keys too

	keys       *cache.TTL[[sha256.Size]byte, *people.Key]
	signIns    *cache.TTL[[sha256.Size]byte, *people.SignedIn]
	workspaces *cache.TTL[string, struct{}]
	people     *cache.TTL[personKey, *people.Person]
	tokens     *cache.TTL[[sha256.Size]byte, *people.Token]

	mu         sync.Mutex
	generation int  // a value that was read before clear is not cached after it
	made       bool // a key was ever made; this never changes back
	// none: no key was ever made, if only this process makes keys; noneUntil is the same where other nodes do, as of
	// five seconds before.
	none      bool
	noneUntil time.Time
}

func newCredentials(c clock.Clock, nodes bool) *credentials {
	return &credentials{
		clock: c, nodes: nodes,
		keys:       cache.NewTTL[[sha256.Size]byte, *people.Key](c, cacheTTL),
		signIns:    cache.NewTTL[[sha256.Size]byte, *people.SignedIn](c, cacheTTL),
		workspaces: cache.NewTTL[string, struct{}](c, cacheTTL),
		people:     cache.NewTTL[personKey, *people.Person](c, cacheTTL),
		tokens:     cache.NewTTL[[sha256.Size]byte, *people.Token](c, cacheTTL),
	}
}

func (c *credentials) clear() {
	c.keys.Clear()
	c.signIns.Clear()
	c.workspaces.Clear()
	c.people.Clear()
	c.tokens.Clear()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.none, c.noneUntil = false, time.Time{}
}

// personStore finds the people of workspaces, and creates them at their first use. Person returns a not_found error for an
// unknown id, and TokenByHash for an unknown hash.
type personStore interface {
	FindOrCreate(ctx context.Context, p *people.Person) (*people.Person, error)
	Person(ctx context.Context, workspace, id string) (*people.Person, error)
	InsertToken(ctx context.Context, token *people.Token) error
	TokenByHash(ctx context.Context, hash string) (*people.Token, error)
	RevokeTokens(ctx context.Context, workspace, person string) error
}

// personKey is what a person is cached by.
type personKey struct{ workspace, identity string }

// person is the row of a person, who is known by the identity, or by the id in its place; nil for an unknown id.
func (c *credentials) person(ctx context.Context, store personStore, who *people.Person) (*people.Person, error) {
	return c.people.Get(personKey{who.WorkspaceID, who.Identity}, func() (p *people.Person, keep bool, err error) {
		if strings.HasPrefix(who.Identity, domain.PrefixPerson+"_") {
			p, err = store.Person(ctx, who.WorkspaceID, who.Identity)
		} else {
			p, err = store.FindOrCreate(ctx, who)
		}
		switch {
		case domain.ErrorCode(err) == domain.CodeNotFound:
			return nil, false, nil
		case err != nil:
			return nil, false, fmt.Errorf("look up the person: %w", err)
		}
		return p, true, nil
	})
}

// token is nil for one that is unknown, or was revoked.
func (c *credentials) token(ctx context.Context, store personStore, hash [sha256.Size]byte) (*people.Token, error) {
	return c.tokens.Get(hash, func() (*people.Token, bool, error) {
		token, err := store.TokenByHash(ctx, hex.EncodeToString(hash[:]))
		switch {
		case domain.ErrorCode(err) == domain.CodeNotFound:
			return nil, false, nil
		case err != nil:
			return nil, false, fmt.Errorf("look up the token: %w", err)
		}
		return token, true, nil
	})
}

// key is nil for one that is unknown or revoked.
func (c *credentials) key(ctx context.Context, store KeyStore, hash [sha256.Size]byte) (*people.Key, error) {
	return c.keys.Get(hash, func() (*people.Key, bool, error) {
		key, err := store.KeyByHash(ctx, hex.EncodeToString(hash[:]))
		switch {
		case domain.ErrorCode(err) == domain.CodeNotFound:
			return nil, false, nil
		case err != nil:
			return nil, false, fmt.Errorf("look up the key: %w", err)
		case key == nil || key.RevokedAt != nil || key.Hash != hex.EncodeToString(hash[:]):
			return nil, false, nil
		}
		return key, true, nil
	})
}

// signIn is nil for one that is unknown, or has ended.
func (c *credentials) signIn(ctx context.Context, store SignInStore, hash [sha256.Size]byte) (*people.SignedIn, error) {
	return c.signIns.Get(hash, func() (*people.SignedIn, bool, error) {
		found, err := store.SignInByHash(ctx, hex.EncodeToString(hash[:]))
		switch {
		case domain.ErrorCode(err) == domain.CodeNotFound:
			return nil, false, nil
		case err != nil:
			return nil, false, fmt.Errorf("look up the sign-in: %w", err)
		}
		return found, true, nil
	})
}

func (c *credentials) workspace(ctx context.Context, store WorkspaceStore, id string) error {
	_, err := c.workspaces.Get(id, func() (there struct{}, keep bool, err error) {
		if _, err = store.Workspace(ctx, id); domain.ErrorCode(err) == domain.CodeNotFound {
			return there, false, domain.Errorf(domain.CodeNotFound, "There is no such workspace on this server.")
		} else if err != nil {
			return there, false, fmt.Errorf("look up the workspace: %w", err)
		}
		return there, true, nil
	})
	return err
}

// anyKey says whether a key was ever made. That none was is remembered only where no
// other process can make one (the first key closes every node at once), and otherwise for
// those who say when what is remembered must still hold.
func (c *credentials) anyKey(ctx context.Context, store KeyStore, at time.Time) (bool, error) {
	c.mu.Lock()
	made, generation := c.made, c.generation
	none := c.none || !at.IsZero() && at.Before(c.noneUntil)
	c.mu.Unlock()
	if made || none {
		return made, nil
	}
	made, err := store.AnyKey(ctx)
	if err != nil {
		return true, fmt.Errorf("look for keys: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = c.made || made
	if !made && generation == c.generation {
		c.none, c.noneUntil = !c.nodes, c.clock().Add(cacheTTL)
	}
	return made, nil
}
