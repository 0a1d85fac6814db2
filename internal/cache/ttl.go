package cache

import (
	"sync"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
)

// maxEntries bounds a TTL.
const maxEntries = 10_000

// TTL caches reads for a few seconds: it maps keys to values that expire after its TTL. Changes made by other processes are seen when
// an entry expires; a process that makes a change calls Delete or Clear.
type TTL[K comparable, V any] struct {
	clock clock.Clock
	ttl   time.Duration

	mu         sync.Mutex
	generation int // incremented by Delete and Clear: values read before are not stored after them
	entries    map[K]entry[V]
}

type entry[V any] struct {
	value   V
	expires time.Time
}

// NewTTL returns an empty cache whose entries expire after ttl.
func NewTTL[K comparable, V any](c clock.Clock, ttl time.Duration) *TTL[K, V] {
	return &TTL[K, V]{clock: c, ttl: ttl, entries: map[K]entry[V]{}}
}

// Get returns the cached value of a key, or else that of read, which is stored if store is true and
// there is no error.
func (c *TTL[K, V]) Get(key K, read func() (value V, store bool, err error)) (V, error) {
	c.mu.Lock()
	hit, ok := c.entries[key]
	generation := c.generation
	c.mu.Unlock()
	if ok && c.clock().Before(hit.expires) {
		return hit.value, nil
	}
	value, store, err := read()
	if err != nil || !store {
		return value, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.generation {
		return value, nil
	}
	makeRoom(c.entries, key, maxEntries)
	c.entries[key] = entry[V]{value, c.clock().Add(c.ttl)}
	return value, nil
}

// Delete removes the entry of a key. As with Clear, reads in progress, of any key, are not stored.
func (c *TTL[K, V]) Delete(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	delete(c.entries, key)
}

// Clear removes all entries.
func (c *TTL[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	clear(c.entries)
}
