package slot

import (
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Choice is who comes next in a workspace.
type Choice struct {
	// Session gets the slot now; nil: none does.
	Session *domain.Session
	Verdict Verdict
	Since   time.Time // when it began to wait
	// StartsDue: no session waits, so a due occurrence may run.
	StartsDue bool
	// LookAgain is when to choose again at the latest; zero: when something happens.
	LookAgain time.Time

	callOut CallOut
}

// Next decides who comes next: the queue first, then those with something to do, then
// automations that are due. It looks at no clock and changes nothing; who is named asks
// again under the locks.
func Next(w *domain.Waiters, now time.Time, callOut CallOut) Choice {
	c := Choice{callOut: callOut}
	ahead, answers := 0, 0
	for i := range w.Queue {
		row := &w.Queue[i]
		if row.InTurn() || c.comesLater(row, now) {
			continue
		}
		r := c.requestOf(w, row.Session, now)
		r.Ahead, r.Since, r.HasAnswer = ahead+answers, row.Since, row.HasAnswer()
		if r.HasAnswer {
			answers++ // it waits for a rest of the holder, which a person's message need not do
		} else if ahead++; ahead > 1 {
			break // first in, first out
		}
		if c.grant(r) {
			return c
		}
	}
	if ahead+answers > 0 {
		return c
	}
	if slices.ContainsFunc(c.unattended(w, now), c.grant) {
		return c
	}
	if !w.DueSince.IsZero() {
		r := c.requestOf(w, &domain.Session{Type: domain.Run, Phase: domain.ExecutingEnrichments}, now)
		r.Since = w.DueSince
		if v := Decide(r); v.Grant {
			c.StartsDue = true
		} else {
			c.noteWhen(r)
		}
	}
	return c
}

// comesLater reports whether a row of the queue cannot get the slot now, regardless of its holder, and
// notes when it can.
func (c *Choice) comesLater(row *domain.QueueRow, now time.Time) bool {
	if row.NotBefore != nil && row.NotBefore.After(now) {
		c.lookAgainAt(*row.NotBefore)
		return true
	}
	return row.Session == nil || row.Blocked
}

// unattended are the sessions with work to do that no person waits for, oldest request first.
func (c *Choice) unattended(w *domain.Waiters, now time.Time) []Request {
	var all []Request
	for i := range w.Queue {
		row := &w.Queue[i]
		if !row.InTurn() || c.comesLater(row, now) {
			continue
		}
		r := c.requestOf(w, row.Session, now)
		r.Unattended, r.Since, r.Returning = true, row.Since, row.Reason == domain.QueuedSuspect
		all = append(all, r)
	}
	for _, s := range w.Aside {
		r := c.requestOf(w, s, now)
		r.Unattended, r.Since = true, s.State.SuspendedAt
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b Request) int { return a.waitsSince().Compare(b.waitsSince()) })
	return all
}

// waitsSince is the session's last event, if the request has no time.
func (r *Request) waitsSince() time.Time {
	if r.Since.IsZero() {
		return r.Candidate.LastEventTime
	}
	return r.Since
}

func (c *Choice) requestOf(w *domain.Waiters, s *domain.Session, now time.Time) Request {
	return Request{
		Candidate: s, Holder: w.Holder, ActionRuns: w.ActionRuns, Settings: &w.Workspace.Settings, Now: now,
		BeginsUntil: BeginsUntil(w.Holder, c.callOut),
	}
}

// grant chooses the candidate, or notes when it may come.
func (c *Choice) grant(r Request) bool {
	v := Decide(r)
	if v.Grant && v.Reason != HoldsItAlready {
		c.Session, c.Verdict, c.Since = r.Candidate, v, r.Since
		return true
	}
	c.noteWhen(r)
	return false
}

// noteWhen notes when the candidate may come. A holder at work is looked at when it rests.
func (c *Choice) noteWhen(r Request) {
	if r.Holder == nil || r.Holder.Type != domain.Chat {
		return
	}
	if r.byPerson() && r.Now.Before(r.BeginsUntil) {
		c.lookAgainAt(r.BeginsUntil)
	}
	if r.Holder.Phase.Working() {
		return
	}
	c.lookAgainAt(r.Holder.GivesWayAt(r.Candidate, r.Settings))
	if r.Candidate.Type != domain.Chat && !r.Since.IsZero() && r.Holder.Phase == domain.Idle {
		c.lookAgainAt(starvesAt(r.Since, r.Settings))
	}
}

func (c *Choice) lookAgainAt(at time.Time) {
	if c.LookAgain.IsZero() || at.Before(c.LookAgain) {
		c.LookAgain = at
	}
}
