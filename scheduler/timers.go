package scheduler

import (
	"context"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// timerBatch bounds how many due sessions are woken before the clock is read again.
const timerBatch = 100

// fireTimers wakes the sessions whose time has come and finds out when the next one
// is due. A wait is a row with a due time; this is only a means.
func (a *agenda) fireTimers(ctx context.Context, now time.Time) {
	a.mu.Lock()
	due := !a.timers.IsZero() && !a.timers.After(now)
	a.mu.Unlock()
	if !due {
		return
	}
	refs, err := a.door.cfg.Timers.DueTimers(ctx, now, timerBatch)
	if err != nil {
		a.retryTimers(ctx, now, err)
		return
	}
	failed := false
	for _, ref := range refs {
		_, err := a.door.Deliver(ctx, ref.WorkspaceID, ref.SessionID, domain.SchedulerHeartbeat{})
		if err != nil && ctx.Err() == nil && !refused(err) {
			a.door.cfg.Log.Warn().Err(err).Str("session", ref.SessionID).Msg("a timer could not be delivered")
			failed = true
		}
	}
	if failed {
		a.retryTimers(ctx, now, nil)
		return
	}
	next, any, err := a.door.cfg.Timers.NextTimer(ctx)
	if err != nil {
		a.retryTimers(ctx, now, err)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timers = time.Time{}
	if any {
		a.timers = next
	}
}

func (a *agenda) retryTimers(ctx context.Context, now time.Time, err error) {
	if err != nil && ctx.Err() == nil {
		a.door.cfg.Log.Warn().Err(err).Msg("could not read the timers; trying again")
	}
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
