package cache

import (
	"maps"
	"slices"
	"testing"
)

func TestAFullMapEvictsOneEntry(t *testing.T) {
	m := Map[int, string]{Most: 3}
	for key := range 3 {
		m.Set(key, "old")
	}
	m.Set(2, "new") // a known key needs no room
	for key := range 3 {
		if _, ok := m.Get(key); !ok {
			t.Errorf("%d was evicted for a known key", key)
		}
	}
	m.Set(3, "new")
	if value, ok := m.Get(3); value != "new" || !ok || len(m.entries) != 3 {
		t.Errorf("%q, %d entries", value, len(m.entries))
	}
	m.Delete(3)
	if _, ok := m.Get(3); ok || len(m.entries) != 2 {
		t.Errorf("%d entries", len(m.entries))
	}
	m.Clear()
	if len(m.entries) != 0 {
		t.Errorf("%d entries", len(m.entries))
	}
}

// Concurrent readers may report an older state last.
func TestAnOlderStateDoesNotReplaceANewerOne(t *testing.T) {
	m := Map[string, int]{}
	for _, state := range []int{2, 1, 3, 2} {
		m.SetIf("w", state, func(known int) bool { return state > known })
	}
	if state, _ := m.Get("w"); state != 3 {
		t.Errorf("the state is %d, want 3", state)
	}
}

func TestAnLRUEvictsTheLeastRecentlyUsedEntry(t *testing.T) {
	l := NewLRU[string, int](3)
	for i, key := range []string{"a", "b", "c"} {
		l.Set(key, i)
	}
	l.Use("a")
	l.Use("unknown")
	l.Peek("b") // is no use
	l.Set("c", 4)
	l.Set("d", 5)
	if keys := slices.Collect(maps.Keys(maps.Collect(l.All()))); len(keys) != 3 {
		t.Errorf("%v", keys)
	}
	var order []string
	for key := range l.All() {
		order = append(order, key)
		l.Delete(key)
	}
	if want := []string{"a", "c", "d"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	if _, ok := l.Peek("a"); ok || l.Delete("a") {
		t.Error("a deleted entry is known")
	}
}
