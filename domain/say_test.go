package domain

import (
	"testing"
	"time"
)

// TestMany: one thing is one, and none are many.
func TestMany(t *testing.T) {
	for n, want := range map[int64]string{0: "0 sessions", 1: "1 session", 2: "2 sessions", 1_000_000: "1000000 sessions"} {
		if got := Many(n, "session"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestLasting: durations are said in words, in both languages.
func TestLasting(t *testing.T) {
	for d, want := range map[time.Duration][2]string{
		10 * time.Minute:              {"10 minutes", "10 minutes"},
		90 * time.Minute:              {"1 hour 30 minutes", "1 heure 30 minutes"},
		25*time.Hour + 2*time.Second:  {"25 hours 2 seconds", "25 heures 2 secondes"},
		time.Second + time.Nanosecond: {"1 second", "1 seconde"},
		time.Millisecond:              {"less than a second", "moins d’une seconde"},
	} {
		for i, language := range []string{"en", "fr"} {
			if got := (&Settings{Language: language}).Lasting(d); got != want[i] {
				t.Errorf("%s in %s: %q, want %q", d, language, got, want[i])
			}
		}
	}
}
