package scheduler

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// Queue looks after those who wait for the slot of a lane.
type Queue struct {
	Door    *Door
	Waiters Waiters
	// Due starts what is due, once no session waits.
	Due DueStarter
}

// DueStarter starts the automations of a lane that are due, as far as they may.
type DueStarter interface {
	StartDue(ctx context.Context, lane domain.LaneRef) error
}

// grantNext offers the slot of a lane to the next waiting session. It returns when to check again, if
// one keeps waiting. With Lane "" it has all lanes of the workspace looked at in which one may be waiting.
func (q *Queue) grantNext(ctx context.Context, lane domain.LaneRef) (time.Time, bool) {
	// Noted before it is read: a holder that comes to rest meanwhile must ask for another
	// look, because this one may still have seen it at work.
	note := q.Door.wakeups.waits(lane)
	if lane.Lane == "" {
		return q.lookAtLanes(ctx, lane, note)
	}
	w, err := q.Waiters.Waiters(ctx, lane)
	if err != nil {
		return q.notRead(ctx, lane, note, err)
	}
	q.Door.holdBack(w, w.At)
	next := slot.Next(w, w.At, q.Door.calls.out)
	if len(w.Queue)+len(w.Aside) == 0 && w.DueSince.IsZero() {
		q.Door.wakeups.clearWaiters(lane, note)
	}
	if next.Session != nil {
		return q.activate(ctx, lane, next)
	}
	if next.StartsDue {
		q.startDue(ctx, lane)
	}
	return next.LookAgain, !next.LookAgain.IsZero()
}

// lookAtLanes looks at each lane of a workspace in which a session may be waiting.
func (q *Queue) lookAtLanes(ctx context.Context, all domain.LaneRef, note uint64) (time.Time, bool) {
	lanes, err := q.Waiters.WaitingLanes(ctx, all.Workspace)
	if err != nil {
		return q.notRead(ctx, all, note, err)
	}
	now, soon := q.Door.cfg.Clock(), false
	for _, name := range lanes {
		lane := domain.LaneRef{Workspace: all.Workspace, Lane: name}
		if at, again := q.grantNext(ctx, lane); again {
			q.Door.wakeups.look(lane, at)
			soon = soon || !at.After(now)
		}
	}
	q.Door.wakeups.clearWaiters(all, note)
	return now, soon
}

// notRead is what follows when the waiters of a lane could not be read.
func (q *Queue) notRead(ctx context.Context, lane domain.LaneRef, note uint64, err error) (time.Time, bool) {
	if domain.ErrorCode(err) == domain.CodeNotFound {
		q.Door.wakeups.clearWaiters(lane, note)
		return time.Time{}, false
	}
	q.Door.cfg.Log.Warn().Err(err).Str("workspace", lane.Workspace).Msg("could not look who waits for the slot")
	return q.retryAt(), ctx.Err() == nil
}

// activate has the one who was chosen ask for the slot, under the locks.
func (q *Queue) activate(ctx context.Context, lane domain.LaneRef, next slot.Choice) (time.Time, bool) {
	s := next.Session
	_, err := q.Door.Deliver(ctx, EventRequest{
		Target{Workspace: lane.Workspace, Session: s.ID, Unattended: true}, domain.SessionActivationRequested{},
	})
	switch {
	case err == nil:
		q.granted(next)
		return next.LookAgain, !next.LookAgain.IsZero()
	case domain.ErrorCode(err) == domain.CodeSlotTaken || Refused(err):
		return q.retryAt(), true // another node was faster
	default:
		q.Door.cfg.Log.Warn().Err(err).Str("workspace", lane.Workspace).Str("session", s.ID).Msg("could not grant the slot")
		return q.retryAt(), ctx.Err() == nil
	}
}

func (q *Queue) retryAt() time.Time { return q.Door.cfg.Clock().Add(retryLook) }

// startDue starts what is due, now that no session waits.
func (q *Queue) startDue(ctx context.Context, lane domain.LaneRef) {
	if err := q.Due.StartDue(ctx, lane); err != nil && ctx.Err() == nil {
		q.Door.cfg.Log.Warn().Err(err).Str("workspace", lane.Workspace).Msg("what is due could not be started; trying again")
		q.Door.wakeups.look(lane, q.retryAt())
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
	if at, again := q.grantNext(ctx, s.LaneRef()); again {
		q.Door.wakeups.look(s.LaneRef(), at)
	}
}
