package domain

import "testing"

// TestMany: one thing is one, and none are many.
func TestMany(t *testing.T) {
	for n, want := range map[int64]string{0: "0 sessions", 1: "1 session", 2: "2 sessions", 1_000_000: "1000000 sessions"} {
		if got := Many(n, "session"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
