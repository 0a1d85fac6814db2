package domain

import (
	"testing"
	"time"
)

// After a first death a session is taken up at once, after two in a row ten seconds
// later, after three one minute later and alone; the fourth sets it apart.
func TestHowASessionIsTakenUpAfterDeaths(t *testing.T) {
	for deaths, want := range []Reentry{
		0: {}, 1: {}, 2: {Wait: 10 * time.Second}, 3: {Wait: time.Minute, Alone: true}, 4: {Poisoned: true}, 5: {Poisoned: true},
	} {
		if got := (Caution{}).After(deaths); got != want {
			t.Errorf("after %d deaths: %+v, want %+v", deaths, got, want)
		}
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		is   Suspicion
		want time.Time
	}{
		"nothing is held against it": {Suspicion{EnteredAt: now}, time.Time{}},
		"it stands aside":            {Suspicion{Deaths: 2, ReenterAt: now}, time.Time{}},
		"it was taken up again":      {Suspicion{Deaths: 1, EnteredAt: now}, now.Add(time.Minute)},
	} {
		at := c.is.ClearedAt(Caution{})
		if (at == nil) != c.want.IsZero() || at != nil && !at.Equal(c.want) {
			t.Errorf("%s: cleared at %v, want %v", name, at, c.want)
		}
	}
}
