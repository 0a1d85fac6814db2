package slot

import (
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// FromView is the request of the view's session. Since is when the request began to wait, if it has no row
// in the queue. callOut is that of this process.
func FromView(v *domain.View, now time.Time, unattended bool, since time.Time, callOut CallOut) Request {
	r := Request{
		Candidate: v.Session, Holder: v.Holder, Settings: &v.Workspace.Settings, Now: now, Unattended: unattended, Since: since,
		BehindOwnRun: v.BehindOwnRun,
		BeginsUntil:  BeginsUntil(v.Holder, callOut),
		ActionRuns:   v.Holder != nil && v.Holder.ID != v.Session.ID && actionRuns(v.HolderPlanned),
	}
	for _, row := range v.Queue {
		if row.SessionID == v.Session.ID {
			r.Since, r.Unattended = row.Since, unattended && row.InTurn() // any other row is a regular request
			row.Session = v.Session                                       // the rows of other sessions than CHATs are read without theirs
			r.Returning, r.HasAnswer = row.Reason == domain.QueuedSuspect, unattended && row.HasAnswer()
			return r
		}
		if !row.Blocked && !row.InTurn() && (row.NotBefore == nil || !row.NotBefore.After(now)) {
			r.Ahead++
		}
	}
	if v.Session.State.Suspended {
		r.Since = v.Session.State.SuspendedAt
	}
	return r
}

func actionRuns(executions []*domain.Execution) bool {
	return slices.ContainsFunc(executions, func(e *domain.Execution) bool {
		return e.Kind == domain.KindAction && e.Status == domain.ExecStarted
	})
}

// NewRow is a session's place in the queue from an instant on. One that is queued already keeps its place,
// or at least its waiting time.
func NewRow(queue []domain.QueueRow, s *domain.Session, event domain.Event, v Verdict, now time.Time) domain.QueueRow {
	row := domain.QueueRow{
		WorkspaceID: s.WorkspaceID, SessionID: s.ID, Lane: s.Lane, Since: now, Trigger: Trigger(s, event),
		Reason: string(v.Reason), Preempting: v.Preempting, BeforeRuns: v.Reason == callBegins,
	}
	if row.Trigger == ToResume {
		row.Reason = string(domain.CauseResume)
	}
	for _, have := range queue {
		switch {
		case have.SessionID != s.ID:
		case s.State.Suspicion.Aside():
			row = have // it remains set aside
		case have.InTurn():
			row.Since = have.Since
		default:
			row.Number, row.Since = have.Number, have.Since
		}
	}
	return row
}

// FirstNumber is the number of a row that goes before all others.
func FirstNumber(queue []domain.QueueRow) int64 {
	switch first := queue[0]; {
	case first.InTurn(): // no other row is before those
		return 0
	case first.Number >= domain.QueueInOrder:
		return 1
	case first.Number == 1: // 0 is the last place
		return -1
	default:
		return first.Number - 1
	}
}

// Place is the position of a row in the queue; 1 is next.
func Place(queue []domain.QueueRow, row domain.QueueRow) int {
	place := 1
	for _, other := range queue {
		if other.SessionID != row.SessionID && goesBefore(other, row) {
			place++
		}
	}
	return place
}

func goesBefore(other, row domain.QueueRow) bool {
	switch {
	case row.Number != 0:
		return other.Number < row.Number
	case row.BeforeRuns:
		return other.Number < domain.QueueInOrder
	}
	return row.InTurn() || !other.InTurn()
}

// Triggers of a row in the queue, beside those of a run.
const (
	ByMessage  = "USER_MESSAGE"
	ByPerson   = "ACTIVATE"
	ToResume   = domain.TriggerResume
	ToRunAgain = "MANUAL_TRIGGER"
)

// Trigger is the kind of request for the slot.
func Trigger(s *domain.Session, event domain.Event) string {
	switch event.(type) {
	case domain.UserMessageSent, domain.InterruptRequested:
		return ByMessage
	case domain.RoundRequested:
		return ToRunAgain
	case domain.SessionActivationRequested:
		if s.Type == domain.Chat {
			return ByPerson
		}
		return s.Trigger
	default:
		return ToResume
	}
}
