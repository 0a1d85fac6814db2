package scheduler

import (
	"context"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// dueBatch bounds how much of each kind is done before the clock is read again.
const dueBatch = 100

// tick does what has come due: sessions are woken, occurrences recorded. A sweep, every
// five minutes and at the start, finds in the same query whom a lost hint would have
// left waiting. A wait is a row with a due time; this is only a means.
func (a *agenda) tick(ctx context.Context, now time.Time, sweep bool) {
	due, sweep := a.begins(now, sweep)
	if !due && !sweep {
		return
	}
	todo, err := a.door.cfg.Agenda.DueWork(ctx, now, dueBatch, sweep)
	if err != nil {
		if ctx.Err() == nil {
			a.door.cfg.Log.Warn().Err(err).Msg("could not read what is due; trying again")
		}
		a.again(now, sweep)
		return
	}
	for _, workspace := range todo.Waiting {
		a.look(workspace, now)
	}
	for _, ref := range todo.Failing {
		a.door.disableIfFailing(ctx, ref)
	}
	for _, ref := range todo.Due {
		a.door.settleOverlap(ctx, ref)
	}
	for _, ref := range todo.Watching {
		a.watch(ref.WorkspaceID)
	}
	if !a.wake(ctx, todo.Sessions) || !a.occur(ctx, todo.Automations) {
		a.again(now, false)
		return
	}
	if len(todo.Sessions) == dueBatch || len(todo.Automations) == dueBatch {
		todo.Next = now // there may be more
	}
	a.noted(todo.Next)
}

// begins says whether something is due, and whether all is to be looked for: a sweep
// that failed is made up for. What was known is forgotten before it is read, never
// after: a timer that is set while the tick does its work must outlive it.
func (a *agenda) begins(now time.Time, sweep bool) (due, sweeps bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	due = !a.timers.IsZero() && !a.timers.After(now)
	sweeps = sweep || due && a.unswept
	if due || sweeps {
		a.timers, a.unswept = time.Time{}, false
	}
	return due, sweeps
}

// noted keeps the earliest of the times that are known, and says whether this is it; the
// zero time says nothing.
func (a *agenda) noted(at time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at.IsZero() || !a.timers.IsZero() && !at.Before(a.timers) {
		return false
	}
	a.timers = at
	return true
}

// wake tells sessions that their time has come; false: some could not be told.
func (a *agenda) wake(ctx context.Context, refs []domain.SessionRef) bool {
	all := true
	for _, ref := range refs {
		_, err := a.door.pass(ctx, request{workspace: ref.WorkspaceID, session: ref.SessionID, event: a.door.ifDue})
		if err != nil && ctx.Err() == nil && !refused(err) && !errors.Is(err, errNothing) {
			a.door.cfg.Log.Warn().Err(err).Str("session", ref.SessionID).Msg("a timer could not be delivered")
			all = false
		}
	}
	return all
}

// ifDue is the heartbeat of a session whose time has come. Another node may have been
// quicker.
func (d *Door) ifDue(v *domain.View) (domain.Event, error) {
	s := v.Session
	now, driven := d.cfg.Clock(), d.cfg.Runner.Drives(v.Session.ID)
	if s.WakeAt == nil || s.WakeAt.After(now) {
		return nil, errNothing
	}
	cleared := s.State.Suspicion.ClearedAt(d.cfg.Caution)
	if cleared != nil && cleared.Equal(*s.WakeAt) && !driven {
		return nil, errNothing // only the process that performs it can say that it lives
	}
	return domain.SchedulerHeartbeat{Driven: driven}, nil
}

// occur records what came due of automations.
func (a *agenda) occur(ctx context.Context, refs []domain.AutomationRef) bool {
	all := true
	for _, ref := range refs {
		err := a.door.tick(ctx, ref)
		if err != nil && ctx.Err() == nil && domain.ErrorCode(err) != domain.CodeNotFound {
			a.door.cfg.Log.Warn().Err(err).Str("automation", ref.ID).Msg("what is due of an automation could not be recorded")
			all = false
		}
	}
	return all
}

// again asks for another tick a little later, after one that failed; unswept: it was a
// sweep, and has found nobody.
func (a *agenda) again(now time.Time, unswept bool) {
	a.mu.Lock()
	a.unswept = a.unswept || unswept
	a.mu.Unlock()
	a.noted(now.Add(retryLook))
}

// refused says whether the machine did not take an event: nothing to try again.
func refused(err error) bool {
	var e *domain.Error
	return errors.As(err, &e) && (e.Code == domain.CodeWrongPhase || e.Code == domain.CodeSessionEnded ||
		e.Code == domain.CodeNotFound || e.Code == domain.CodeSeedNeverRuns)
}
