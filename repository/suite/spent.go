package suite

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// called adds to a session a call of the AI that ended at an instant.
func (w *world) called(s *domain.Session, at time.Time, cost float64) {
	w.Helper()
	c := w.change(s)
	c.Roundtrips = []*domain.Roundtrip{{
		ID: w.newID(domain.PrefixRoundtrip), WorkspaceID: s.WorkspaceID, SessionID: s.ID, AutomationID: s.AutomationID,
		Usage: domain.Usage{Cost: new(cost)}, StartedAt: at, EndedAt: at,
	}}
	w.ok(w.Commit(w.Context(), c))
}

// spending: money is counted by the days and months of the workspace's calendar, and
// what a call under way may cost counts until it is settled.
func spending(w *world) {
	day := func(limit string) people.SettingsPatch {
		return people.SettingsPatch{Fields: fmt.Appendf(nil, `{"time_zone":"Europe/Paris","day_start_hour":4,
			"limits":{"chat":{"max_cost_per_month":%[1]s},"automation":{"max_cost_per_day":%[1]s}}}`, limit)}
	}
	_, err := w.Workspaces.UpdateSettings(w.Context(), domain.DefaultWorkspace, day("10"))
	w.ok(err)
	a := w.stored("chat")
	run := func(s *domain.Session) { s.Type, s.AutomationID = domain.Run, "aut_1" }
	b, other := w.stored("run", run), w.stored("another", func(s *domain.Session) { s.Type, s.AutomationID = domain.Run, "aut_2" })
	// Now it is 2026-03-04 10:00 in Paris, where the day began at 4, and the month on the first at 4.
	at := func(text string) time.Time {
		t, err := time.Parse(time.RFC3339, text)
		w.ok(err)
		return t
	}
	w.called(a, at("2026-03-01T02:59:59Z"), 100)
	w.called(a, at("2026-03-01T03:00:00Z"), 1)
	w.called(b, at("2026-03-04T02:59:59Z"), 2)
	w.called(b, at("2026-03-04T03:00:00Z"), 4)
	w.called(other, at("2026-03-04T08:00:00Z"), 8)
	b.Budgets.MaxCostPerDay = new(5.0)
	b.State.ReservedCost = 0.25
	w.ok(w.Commit(w.Context(), w.change(b)))
	other.State.ReservedCost = 0.5
	w.ok(w.Commit(w.Context(), w.change(other)))

	seen := func(s *domain.Session) domain.Spent {
		v, err := w.View(w.Context(), s.WorkspaceID, s.ID)
		w.ok(err)
		return v.Spent
	}
	w.equal(seen(a), domain.Spent{Day: "2026-03-04", Month: "2026-03", Today: 12, ThisMonth: 15, Reserved: 0.75}, "what the chat sees")
	w.equal(seen(b), domain.Spent{Day: "2026-03-04", Month: "2026-03", Today: 12, ThisMonth: 15, AutomationToday: 4, Reserved: 0.5}, "what the run sees")
	w.pass(18 * time.Hour) // 04:00 in Paris
	w.equal(seen(b), domain.Spent{Day: "2026-03-05", Month: "2026-03", ThisMonth: 15, Reserved: 0.5}, "the next day")
	w.pass(27 * 24 * time.Hour) // 05:00: clocks went forward
	w.equal(seen(b).Month, "2026-04", "the next month")

	onlyOneReserves(w, a)
	_, err = w.Workspaces.UpdateSettings(w.Context(), domain.DefaultWorkspace, day("null"))
	w.ok(err)
	w.equal(seen(a), domain.Spent{}, "without a limit nothing is read")
}

// onlyOneReserves: of eight that saw the same money at the same time, one has it; the
// others must look again.
func onlyOneReserves(w *world, like *domain.Session) {
	v, err := w.View(w.Context(), like.WorkspaceID, like.ID)
	w.ok(err)
	saw := v.Spent
	var wg sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		s := w.stored("one of eight")
		s.State.ReservedCost = 1
		wg.Go(func() {
			c := w.change(s)
			c.Spent = &saw
			results[i] = w.Commit(w.Context(), c)
		})
	}
	wg.Wait()
	won := 0
	for _, err := range results {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, domain.ErrStale):
			w.Errorf("a late one got %v", err)
		}
	}
	w.equal(won, 1, "sessions that have the money")
}
