package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

const (
	remembers  = 5 * time.Second // a revoked key opens nothing for longer than this
	maxEntries = 10_000
)

// cache saves a look into the database for each request. What does not exist is not
// remembered, so that a new key works at once.
type cache struct {
	clock clock.Clock
	nodes bool // others make keys too

	mu         sync.Mutex
	generation int // what was read before a clear is not put in after it
	keys       map[[sha256.Size]byte]cached[*domain.Key]
	signIns    map[[sha256.Size]byte]cached[*domain.SignedIn]
	workspaces map[string]cached[struct{}]
	made       bool // a key was made, ever: that stays so
	// none was made, as far as this process alone makes them; noneUntil: and where others do,
	// as of five seconds before.
	none      bool
	noneUntil time.Time
}

type cached[T any] struct {
	value T
	until time.Time
}

func newCache(c clock.Clock, nodes bool) *cache {
	k := &cache{clock: c, nodes: nodes}
	k.clear()
	return k
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.signIns = map[[sha256.Size]byte]cached[*domain.SignedIn]{}
	c.keys, c.workspaces = map[[sha256.Size]byte]cached[*domain.Key]{}, map[string]cached[struct{}]{}
	c.none, c.noneUntil = false, time.Time{}
}

// key is nil for one that is unknown or revoked.
func (c *cache) key(ctx context.Context, store KeyStore, hash [sha256.Size]byte) (*domain.Key, error) {
	c.mu.Lock()
	hit, ok := c.keys[hash]
	generation := c.generation
	c.mu.Unlock()
	if ok && c.clock().Before(hit.until) {
		return hit.value, nil
	}
	key, err := store.KeyByHash(ctx, hex.EncodeToString(hash[:]))
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up the key: %w", err)
	}
	if key == nil || key.RevokedAt != nil || key.Hash != hex.EncodeToString(hash[:]) {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation == c.generation {
		put(c.keys, hash, cached[*domain.Key]{key, c.clock().Add(remembers)})
	}
	return key, nil
}

// signIn is nil for one that is unknown, or has ended.
func (c *cache) signIn(ctx context.Context, store SignInStore, hash [sha256.Size]byte) (*domain.SignedIn, error) {
	c.mu.Lock()
	hit, ok := c.signIns[hash]
	generation := c.generation
	c.mu.Unlock()
	if ok && c.clock().Before(hit.until) {
		return hit.value, nil
	}
	found, err := store.SignInByHash(ctx, hex.EncodeToString(hash[:]))
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up the sign-in: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation == c.generation {
		put(c.signIns, hash, cached[*domain.SignedIn]{found, c.clock().Add(remembers)})
	}
	return found, nil
}

func (c *cache) workspace(ctx context.Context, store WorkspaceStore, id string) error {
	c.mu.Lock()
	hit, ok := c.workspaces[id]
	c.mu.Unlock()
	if ok && c.clock().Before(hit.until) {
		return nil
	}
	if _, err := store.Workspace(ctx, id); domain.ErrorCode(err) == domain.CodeNotFound {
		return domain.Errorf(domain.CodeNotFound, "There is no such workspace on this server.")
	} else if err != nil {
		return fmt.Errorf("look up the workspace: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	put(c.workspaces, id, cached[struct{}]{until: c.clock().Add(remembers)})
	return nil
}

// anyKey says whether a key was ever made. That none was is remembered only where no
// other process can make one (the first key closes every node at once), and otherwise for
// those who say when what is remembered must still hold.
func (c *cache) anyKey(ctx context.Context, store KeyStore, at time.Time) (bool, error) {
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
		c.none, c.noneUntil = !c.nodes, c.clock().Add(remembers)
	}
	return made, nil
}

// put keeps the cache small: what a flood of keys fills is thrown away whole.
func put[K comparable, T any](m map[K]cached[T], id K, v cached[T]) {
	if len(m) >= maxEntries {
		clear(m)
	}
	m[id] = v
}
