// Package lately remembers for a few seconds what was read, where each request would read it again.
package lately

import (
	"sync"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
)

// maxEntries bounds a memory: what a flood fills is thrown away whole.
const maxEntries = 10_000

// Memory remembers values by their keys. What others change is seen once a value is as old as it
// may be; what this process changes, at once, if it says so (Forget).
type Memory[K comparable, V any] struct {
	clock clock.Clock
	lasts time.Duration

	mu         sync.Mutex
	generation int // what was read before something was forgotten is not remembered after it
	known      map[K]entry[V]
}

type entry[V any] struct {
	value V
	until time.Time
}

// New makes a memory in which a value lasts for so long.
func New[K comparable, V any](c clock.Clock, lasts time.Duration) *Memory[K, V] {
	return &Memory[K, V]{clock: c, lasts: lasts, known: map[K]entry[V]{}}
}

// Get gives what is remembered, or what read gives; that is remembered if it is there and may be.
func (m *Memory[K, V]) Get(key K, read func() (value V, keep bool, err error)) (V, error) {
	m.mu.Lock()
	hit, ok := m.known[key]
	generation := m.generation
	m.mu.Unlock()
	if ok && m.clock().Before(hit.until) {
		return hit.value, nil
	}
	value, keep, err := read()
	if err != nil || !keep {
		return value, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if generation != m.generation {
		return value, nil
	}
	if len(m.known) >= maxEntries {
		clear(m.known)
	}
	m.known[key] = entry[V]{value, m.clock().Add(m.lasts)}
	return value, nil
}

// ForgetOne forgets what is remembered by a key. As with Forget, what is being read meanwhile, by
// whichever key, is not remembered.
func (m *Memory[K, V]) ForgetOne(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.generation++
	delete(m.known, key)
}

// Forget forgets everything.
func (m *Memory[K, V]) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.generation++
	clear(m.known)
}
