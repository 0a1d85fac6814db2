package cache

import (
	"container/list"
	"iter"
)

// LRU is a bounded map that evicts the least recently used entry. Its owner guards it with a lock.
type LRU[K comparable, V any] struct {
	most  int
	byKey map[K]*list.Element // of *used[K, V]
	order *list.List          // least recently used first
}

type used[K comparable, V any] struct {
	key   K
	value V
}

// NewLRU returns an empty map of at most so many entries.
func NewLRU[K comparable, V any](most int) *LRU[K, V] {
	return &LRU[K, V]{most: most, byKey: map[K]*list.Element{}, order: list.New()}
}

// Peek returns the value of a key, which does not count as a use.
func (l *LRU[K, V]) Peek(key K) (value V, ok bool) {
	element := l.byKey[key]
	if element == nil {
		return value, false
	}
	return element.Value.(*used[K, V]).value, true
}

// Use makes a key the most recently used one, if it is known.
func (l *LRU[K, V]) Use(key K) {
	if element := l.byKey[key]; element != nil {
		l.order.MoveToBack(element)
	}
}

// Set stores the value of a key, as the most recently used one.
func (l *LRU[K, V]) Set(key K, value V) {
	l.Delete(key)
	for l.order.Len() >= l.most {
		l.Delete(l.order.Front().Value.(*used[K, V]).key)
	}
	l.byKey[key] = l.order.PushBack(&used[K, V]{key, value})
}

// Delete removes a key, and reports whether it was known.
func (l *LRU[K, V]) Delete(key K) bool {
	element := l.byKey[key]
	if element == nil {
		return false
	}
	delete(l.byKey, key)
	l.order.Remove(element)
	return true
}

// All iterates over the entries, the least recently used first. The current entry may be deleted meanwhile.
func (l *LRU[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for element := l.order.Front(); element != nil; {
			next, entry := element.Next(), element.Value.(*used[K, V])
			if !yield(entry.key, entry.value) {
				return
			}
			element = next
		}
	}
}
