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
	a.mu.Lock()
	due := !a.timers.IsZero() && !a.timers.After(now)
	a.mu.Unlock()
	if !due && !sweep {
		return
	}
	todo, err := a.door.cfg.Agenda.Agenda(ctx, now, dueBatch, sweep)
	if err != nil {
		if ctx.Err() == nil {
			a.door.cfg.Log.Warn().Err(err).Msg("could not read what is due; trying again")
		}
		a.again(now)
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
	if !a.wake(ctx, todo.Sessions) || !a.occur(ctx, todo.Orders) {
		a.again(now)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timers = todo.Next
	if len(todo.Sessions) == dueBatch || len(todo.Orders) == dueBatch {
		a.timers = now // there may be more
	}
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
	if at := v.Session.WakeAt; at == nil || at.After(d.cfg.Clock()) {
		return nil, errNothing
	}
	return domain.SchedulerHeartbeat{}, nil
}

// occur records what came due of automations.
func (a *agenda) occur(ctx context.Context, refs []domain.OrderRef) bool {
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

func (a *agenda) again(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timers = now.Add(retryLook)
}

// refused says whether the machine did not take an event: nothing to try again.
func refused(err error) bool {
	var e *domain.Error
	return errors.As(err, &e) && (e.Code == domain.CodeWrongPhase || e.Code == domain.CodeSessionEnded ||
		e.Code == domain.CodeNotFound || e.Code == domain.CodeSeedNeverRuns)
}
