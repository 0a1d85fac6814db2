package cache

import (
	"errors"
	"testing"
	"time"
)

func TestEntriesExpire(t *testing.T) {
	now, reads, stored := time.Unix(1_800_000_000, 0), 0, "one"
	c := NewTTL[string, string](func() time.Time { return now }, 5*time.Second)
	get := func() string {
		t.Helper()
		value, err := c.Get("key", func() (string, bool, error) { reads++; return stored, stored != "nothing", nil })
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	for _, step := range []struct {
		does  func()
		want  string
		reads int
	}{
		{func() {}, "one", 1},
		{func() { stored, now = "two", now.Add(5*time.Second-1) }, "one", 1},
		{func() { now = now.Add(1) }, "two", 2},
		{func() { stored = "three"; c.Clear() }, "three", 3},
		{func() { stored = "nothing"; c.Clear() }, "nothing", 4},
		{func() { stored = "four" }, "four", 5}, // "nothing" was not stored
	} {
		step.does()
		if got := get(); got != step.want || reads != step.reads {
			t.Errorf("%q after %d reads, want %+v", got, reads, step)
		}
	}
	if _, err := c.Get("other", func() (string, bool, error) { return "", true, errors.New("away") }); err == nil {
		t.Error("an error was lost")
	}
	if value, err := c.Get("other", func() (string, bool, error) { return "here", true, nil }); value != "here" || err != nil {
		t.Errorf("after an error: %q, %v", value, err)
	}
}

// A value read before a deletion may be the stale one.
func TestAReadInProgressIsNotStoredAfterADelete(t *testing.T) {
	for name, forget := range map[string]func(*TTL[string, int]){
		"everything": (*TTL[string, int]).Clear,
		"this":       func(c *TTL[string, int]) { c.Delete("key") },
	} {
		c := NewTTL[string, int](time.Now, time.Hour)
		value, err := c.Get("key", func() (int, bool, error) { forget(c); return 1, true, nil })
		if value != 1 || err != nil {
			t.Fatal(name, value, err)
		}
		if value, err = c.Get("key", func() (int, bool, error) { return 2, true, nil }); value != 2 || err != nil {
			t.Errorf("%s: the value read before is cached: %d, %v", name, value, err)
		}
	}
}

// A deleted entry is read again, and the others are not.
func TestDeleteRemovesOneEntry(t *testing.T) {
	c := NewTTL[string, int](time.Now, time.Hour)
	read := func(key string, value int) int {
		t.Helper()
		got, err := c.Get(key, func() (int, bool, error) { return value, true, nil })
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	read("this", 1)
	read("that", 1)
	c.Delete("this")
	if this, that := read("this", 2), read("that", 2); this != 2 || that != 1 {
		t.Errorf("this is %d, that is %d", this, that)
	}
}

func TestTheNumberOfEntriesIsBounded(t *testing.T) {
	c := NewTTL[int, int](time.Now, time.Hour)
	for n := range 2*maxEntries + 1 {
		if _, err := c.Get(n, func() (int, bool, error) { return n, true, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.entries) > maxEntries {
		t.Errorf("%d entries are cached", len(c.entries))
	}
}
