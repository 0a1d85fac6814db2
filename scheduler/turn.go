package scheduler

import (
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Turn is whose turn it is in a workspace.
type Turn struct {
	// Session gets the slot now; nil: nobody.
	Session *domain.Session
	Verdict Verdict
	Since   time.Time // when it began to wait
	// Due: nobody waits, so an occurrence that is due may run.
	Due bool
	// Again is when to look again at the latest; zero: when something happens.
	Again time.Time
}

// Next decides whose turn it is: the queue first, then those with something to do, then
// automations that are due. It looks at no clock and changes nothing; who is named asks
// again under the locks.
func Next(w *domain.Waiters, now time.Time) Turn {
	var t Turn
	ahead := 0
	for i := range w.Queue {
		row := &w.Queue[i]
		if row.InTurn() {
			continue
		}
		if row.NotBefore != nil && row.NotBefore.After(now) {
			t.earliest(*row.NotBefore)
			continue
		}
		if row.Session == nil || row.Blocked {
			continue
		}
		a := asksFor(w, row.Session, now)
		a.Ahead, a.Since = ahead, row.Since
		if ahead++; ahead > 1 {
			break // first in, first out
		}
		if t.take(a) {
			return t
		}
	}
	if ahead > 0 {
		return t
	}
	if slices.ContainsFunc(t.inTheirTurn(w, now), t.take) {
		return t
	}
	if !w.DueSince.IsZero() {
		a := asksFor(w, &domain.Session{Type: domain.Run, Phase: domain.ExecutingEnrichments}, now)
		a.Since = w.DueSince
		if v := Ask(a); v.Grant {
			t.Due = true
		} else {
			t.notYet(a)
		}
	}
	return t
}

// inTheirTurn are those who have something to do and for whom nobody asks just now,
// oldest request first.
func (t *Turn) inTheirTurn(w *domain.Waiters, now time.Time) []Asks {
	var all []Asks
	for i := range w.Queue {
		row := &w.Queue[i]
		if !row.InTurn() {
			continue
		}
		if row.NotBefore != nil && row.NotBefore.After(now) {
			t.earliest(*row.NotBefore)
			continue
		}
		if row.Session == nil || row.Blocked {
			continue
		}
		a := asksFor(w, row.Session, now)
		a.ByItself, a.Since, a.Returns = true, row.Since, row.Reason == domain.QueuedSuspect
		all = append(all, a)
	}
	for _, s := range w.Aside {
		a := asksFor(w, s, now)
		a.ByItself, a.Since = true, s.State.SuspendedAt
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b Asks) int { return a.waitsSince().Compare(b.waitsSince()) })
	return all
}

// waitsSince is when its session was last heard of, where nothing says when it asked.
func (a *Asks) waitsSince() time.Time {
	if a.Since.IsZero() {
		return a.Asker.LastEventTime
	}
	return a.Since
}

func asksFor(w *domain.Waiters, s *domain.Session, now time.Time) Asks {
	return Asks{Asker: s, Holder: w.Holder, ActionRuns: w.ActionRuns, Settings: &w.Workspace.Settings, Now: now}
}

// take gives the turn to the asker, or notes when it may come.
func (t *Turn) take(a Asks) bool {
	v := Ask(a)
	if v.Grant && v.Reason != HoldsItAlready {
		t.Session, t.Verdict, t.Since = a.Asker, v, a.Since
		return true
	}
	t.notYet(a)
	return false
}

// notYet notes when the asker's turn may come. A holder at work is looked at when it
// rests.
func (t *Turn) notYet(a Asks) {
	if a.Holder == nil || a.Holder.Type != domain.Chat || a.Holder.Phase.Working() {
		return
	}
	t.earliest(InactiveAt(a.Holder, a.Settings))
	if a.Asker.Type != domain.Chat && !a.Since.IsZero() && a.Holder.Phase == domain.Idle {
		t.earliest(StarvesAt(a.Since, a.Settings))
	}
}

func (t *Turn) earliest(at time.Time) {
	if t.Again.IsZero() || at.Before(t.Again) {
		t.Again = at
	}
}
