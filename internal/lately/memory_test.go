package lately

import (
	"errors"
	"testing"
	"time"
)

func TestMemory(t *testing.T) {
	now, reads, stored := time.Unix(1_800_000_000, 0), 0, "one"
	m := New[string, string](func() time.Time { return now }, 5*time.Second)
	get := func() string {
		t.Helper()
		value, err := m.Get("key", func() (string, bool, error) { reads++; return stored, stored != "nothing", nil })
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
		{func() { stored = "three"; m.Forget() }, "three", 3},
		{func() { stored = "nothing"; m.Forget() }, "nothing", 4},
		{func() { stored = "four" }, "four", 5}, // nothing was not remembered
	} {
		step.does()
		if got := get(); got != step.want || reads != step.reads {
			t.Errorf("%q after %d reads, want %+v", got, reads, step)
		}
	}
	if _, err := m.Get("other", func() (string, bool, error) { return "", true, errors.New("away") }); err == nil {
		t.Error("an error was lost")
	}
	if value, err := m.Get("other", func() (string, bool, error) { return "here", true, nil }); value != "here" || err != nil {
		t.Errorf("after an error: %q, %v", value, err)
	}
}

// What was read before something was forgotten may be what was to be forgotten.
func TestForgottenWhileItIsRead(t *testing.T) {
	for name, forget := range map[string]func(*Memory[string, int]){
		"everything": (*Memory[string, int]).Forget,
		"this":       func(m *Memory[string, int]) { m.ForgetOne("key") },
	} {
		m := New[string, int](time.Now, time.Hour)
		value, err := m.Get("key", func() (int, bool, error) { forget(m); return 1, true, nil })
		if value != 1 || err != nil {
			t.Fatal(name, value, err)
		}
		if value, err = m.Get("key", func() (int, bool, error) { return 2, true, nil }); value != 2 || err != nil {
			t.Errorf("%s is forgotten, and the value from before remembered: %d, %v", name, value, err)
		}
	}
}

// One that is forgotten is read again, and the others are not.
func TestOneIsForgotten(t *testing.T) {
	m := New[string, int](time.Now, time.Hour)
	read := func(key string, value int) int {
		t.Helper()
		got, err := m.Get(key, func() (int, bool, error) { return value, true, nil })
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	read("this", 1)
	read("that", 1)
	m.ForgetOne("this")
	if this, that := read("this", 2), read("that", 2); this != 2 || that != 1 {
		t.Errorf("this is %d, that is %d", this, that)
	}
}

func TestAFloodIsThrownAway(t *testing.T) {
	m := New[int, int](time.Now, time.Hour)
	for n := range 2*maxEntries + 1 {
		if _, err := m.Get(n, func() (int, bool, error) { return n, true, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.known) > maxEntries {
		t.Errorf("%d are remembered", len(m.known))
	}
}
