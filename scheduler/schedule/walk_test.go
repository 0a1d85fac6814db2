package schedule

import (
	"maps"
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"github.com/fermata-dev/fermata/domain/automation"
)

// walker is the slow and obvious way: it looks at the local clock once a minute.
type walker struct {
	from, until time.Time
	walls       []int64 // what the clock shows at each minute, as minutes
	// first is the index at which a minute is first shown, and -1 for one that is never shown; its own first minute
	// is that of base. A slice, because the race detector makes a map of half a million minutes slow.
	first []int64
	base  int64
}

// firstShown returns the index at which a minute is first shown.
func (w *walker) firstShown(wall int64) (at int64, shown bool) {
	i := wall - w.base
	if i < 0 || i >= int64(len(w.first)) || w.first[i] < 0 {
		return 0, false
	}
	return w.first[i], true
}

func newWalker(t *testing.T, zone string, from, until time.Time) *walker {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	const day = 24 * 60
	w := &walker{from: from, until: until, base: shown(from, location) - 2*day}
	w.first = slices.Repeat([]int64{-1}, int(until.Sub(from)/time.Minute)+4*day)
	for at := from; at.Before(until); at = at.Add(time.Minute) {
		wall := shown(at, location)
		if _, seen := w.firstShown(wall); !seen {
			w.first[wall-w.base] = int64(len(w.walls))
		}
		w.walls = append(w.walls, wall)
	}
	return w
}

// shown is what a clock on the wall shows, in minutes since it showed 1970.
func shown(at time.Time, zone *time.Location) int64 {
	l := at.In(zone)
	return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), 0, 0, time.UTC).Unix() / 60
}

// local gives the minute at which a local time runs: when it is first shown; if it is
// never shown, as long after the last minute before the jump as it would be without.
func (w *walker) local(wall int64) int64 {
	if i, ok := w.firstShown(wall); ok {
		return i
	}
	for i := 1; i < len(w.walls); i++ {
		if w.walls[i-1] < wall && wall < w.walls[i] {
			return int64(i-1) + wall - w.walls[i-1]
		}
	}
	return -1
}

// byWall gives the runs of the local times that match, each instant once, in order. Only
// every so many minutes of a day can match.
func (w *walker) byWall(every int64, match func(wall time.Time) bool) []time.Time {
	hit := map[int64]bool{}
	for wall := (w.walls[0]/(24*60) - 2) * 24 * 60; wall <= w.walls[len(w.walls)-1]; wall += every {
		if match(time.Unix(wall*60, 0).UTC()) {
			if i := w.local(wall); i >= 0 {
				hit[i] = true
			}
		}
	}
	return w.list(slices.Sorted(maps.Keys(hit)))
}

// byClock gives the instants at which the clock shows a time that matches.
func (w *walker) byClock(match func(wall time.Time) bool) []time.Time {
	var hit []int64
	for i, wall := range w.walls {
		if match(time.Unix(wall*60, 0).UTC()) {
			hit = append(hit, int64(i))
		}
	}
	return w.list(hit)
}

func (w *walker) list(minutes []int64) []time.Time {
	var list []time.Time
	for _, i := range minutes {
		list = append(list, w.from.Add(time.Duration(i)*time.Minute))
	}
	return list
}

func plan(t testing.TB, kind, expression, zone, start string) *Plan {
	t.Helper()
	p, err := Parse(automation.Schedule{Type: kind, Expression: expression, TimeZone: zone, StartsAt: start})
	if err != nil {
		t.Fatalf("%s %q in %s from %q: %v", kind, expression, zone, start, err)
	}
	return p
}

func same(t *testing.T, what string, got, want []time.Time) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Fatalf("%s: %s is missing", what, want[i])
		case i >= len(want) || !got[i].Equal(want[i]):
			t.Fatalf("%s: run %d is at %s; %d runs, want %d", what, i, got[i], len(got), len(want))
		}
	}
}

func utc(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func domainSchedule(kind, expression, zone, start string) automation.Schedule {
	return automation.Schedule{Type: kind, Expression: expression, TimeZone: zone, StartsAt: start}
}
