package scheduler

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// Queue looks after those who wait for the slot of a workspace.
type Queue struct {
	Door    *Door
	Waiters Waiters
	// Due starts what is due, once no session waits.
	Due DueStarter
}

// DueStarter starts the automations of a workspace that are due, as far as they may.
type DueStarter interface {
	StartDue(ctx context.Context, workspace string) error
}

// grantNext offers the slot of a workspace to the next waiting session. It returns when to check again, if
// one keeps waiting.
func (q *Queue) grantNext(ctx context.Context, workspace string) (time.Time, bool) {
	// Noted before it is read: a holder that comes to rest meanwhile must ask for another
	// look, because this one may still have seen it at work.
	note := q.Door.wakeups.waits(workspace)
	w, err := q.Waiters.Waiters(ctx, workspace)
	if err != nil {
		if domain.ErrorCode(err) == domain.CodeNotFound {
			q.Door.wakeups.clearWaiters(workspace, note)
			return time.Time{}, false
		}
		q.Door.cfg.Log.Warn().Err(err).Str("workspace", workspace).Msg("could not look who waits for the slot")
		return q.retryAt(), ctx.Err() == nil
	}
	q.Door.holdBack(w, w.At)
	next := slot.Next(w, w.At, q.Door.calls.out)
	if len(w.Queue)+len(w.Aside) == 0 && w.DueSince.IsZero() {
		q.Door.wakeups.clearWaiters(workspace, note)
	}
	if next.Session != nil {
		return q.activate(ctx, workspace, next)
	}
	if next.StartsDue {
		q.startDue(ctx, workspace)
	}
	return next.LookAgain, !next.LookAgain.IsZero()
}

// activate has the one who was chosen ask for the slot, under the locks.
func (q *Queue) activate(ctx context.Context, workspace string, next slot.Choice) (time.Time, bool) {
	s := next.Session
	_, err := q.Door.Deliver(ctx, EventRequest{
		Target{Workspace: workspace, Session: s.ID, Unattended: true}, domain.SessionActivationRequested{},
	})
	switch {
	case err == nil:
		q.granted(next)
		return next.LookAgain, !next.LookAgain.IsZero()
	case domain.ErrorCode(err) == domain.CodeSlotTaken || Refused(err):
		return q.retryAt(), true // another node was faster
	default:
		q.Door.cfg.Log.Warn().Err(err).Str("workspace", workspace).Str("session", s.ID).Msg("could not grant the slot")
		return q.retryAt(), ctx.Err() == nil
	}
}

func (q *Queue) retryAt() time.Time { return q.Door.cfg.Clock().Add(retryLook) }

// startDue starts what is due, now that no session waits.
func (q *Queue) startDue(ctx context.Context, workspace string) {
	if err := q.Due.StartDue(ctx, workspace); err != nil && ctx.Err() == nil {
		q.Door.cfg.Log.Warn().Err(err).Str("workspace", workspace).Msg("what is due could not be started; trying again")
		q.Door.wakeups.look(workspace, q.retryAt())
	}
}

// granted logs and counts that a session got the slot.
func (q *Queue) granted(next slot.Choice) {
	s := next.Session
	q.Door.cfg.Log.Debug().Str("workspace", s.WorkspaceID).Str("session", s.ID).Str("reason", string(next.Verdict.Reason)).
		Msg("the slot is granted to a session that waited")
	if !next.Since.IsZero() {
		preempted := s.Type == domain.Chat && next.Verdict.Displaced != nil
		q.Door.cfg.Observer.Waited(q.Door.cfg.Clock().Sub(next.Since), preempted)
	}
}

// SafePoint is called by a driver that was asked to yield, where it can be cut without
// harm: between its effects, with everything stored.
func (q *Queue) SafePoint(ctx context.Context, s *domain.Session) {
	if at, again := q.grantNext(ctx, s.WorkspaceID); again {
		q.Door.wakeups.look(s.WorkspaceID, at)
	}
}
