package scheduler

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// LeaveQueue takes a session out of the queue. A run that has not begun ends with it;
// what has work left only loses its place, and waits behind all others.
func (s *Sessions) LeaveQueue(ctx context.Context, workspace, session string) (*domain.Receipt, error) {
	return s.deliver(ctx, leaveRequest{Target{Workspace: workspace, Session: session}})
}

// leaveRequest takes a session out of the queue. It ends a run that has not begun; to all others nothing happens.
type leaveRequest struct{ Target }

func (leaveRequest) event(v *domain.View, _ moment) (domain.Event, error) {
	s := v.Session
	if s.QueuedAt == nil {
		return nil, domain.NotFound("session in the queue")
	}
	if s.Type == domain.Run && s.State.TotalRoundtrips == 0 && s.Phase == domain.ExecutingEnrichments {
		return domain.StopRequested{}, nil
	}
	return nil, nil
}

func (leaveRequest) also(v *domain.View, _ moment, _ domain.Event, change *domain.Change) error {
	s := change.Session(v.Session.ID)
	if s.Phase == domain.Completed {
		return nil
	}
	for _, row := range v.Queue {
		if row.SessionID == s.ID && row.Reason != domain.QueuedSuspect && workLeft(s, v) {
			queueBehindAll(v.Queue, change, s, row)
			change.Emit(domain.LogEvent{Type: domain.LogQueueChanged, Lane: s.Lane})
		}
	}
	if s.State.Suspicion.Aside() || workLeft(s, v) {
		return nil
	}
	s.QueuedAt, s.QueuePosition = nil, 0
	change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
	dequeue(v.Queue, change, s.ID)
	return nil
}

// workLeft says whether the session has something to do that needs the slot.
func workLeft(s *domain.Session, v *domain.View) bool {
	answered := s.State.Waiting != nil && s.State.Waiting.Answer != nil
	return s.Phase.Working() || answered || s.Phase == domain.Idle && (s.State.PendingCause != "" || len(v.Inbox) > 0)
}
