package cache

import (
	"cmp"
	"sync"
)

// Map is a bounded map for values that stay valid until they are replaced. Its zero value is empty. It is safe for
// concurrent use.
type Map[K comparable, V any] struct {
	// Most bounds the entries (1,024). It is set before the first use.
	Most int

	mu      sync.RWMutex
	entries map[K]V
}

// Get returns the value of a key.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	value, ok = m.entries[key]
	return value, ok
}

// Set stores the value of a key. In a full map it replaces an arbitrary entry.
func (m *Map[K, V]) Set(key K, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(key, value)
}

// SetIf is Set for a new key, and for a known one whose value may be replaced.
func (m *Map[K, V]) SetIf(key K, value V, replaces func(known V) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.entries[key]; !ok || replaces(known) {
		m.set(key, value)
	}
}

func (m *Map[K, V]) set(key K, value V) {
	if m.entries == nil {
		m.entries = map[K]V{}
	}
	makeRoom(m.entries, key, cmp.Or(m.Most, 1024))
	m.entries[key] = value
}

// Delete removes the entry of a key.
func (m *Map[K, V]) Delete(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
}

// Clear removes all entries.
func (m *Map[K, V]) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.entries)
}

// makeRoom evicts an arbitrary entry if key is new to a full map. An order of use would cost more than reading the
// evicted value again; evicting everything would make all callers read at once.
func makeRoom[K comparable, V any](entries map[K]V, key K, most int) {
	if len(entries) < most {
		return
	}
	if _, known := entries[key]; known {
		return
	}
	for other := range entries {
		delete(entries, other)
		return
	}
}
