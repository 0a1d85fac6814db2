package scheduler

import (
	"context"
	"errors"

	"github.com/fermata-dev/fermata/domain"
)

// ReleaseSlot has a CHAT at rest give the slot up, as if it had been inactive for long.
// Of a session without the slot nothing changes.
func (s *Sessions) ReleaseSlot(ctx context.Context, workspace, session string, _ domain.Author) (*domain.Receipt, error) {
	receipt, err := s.deliver(ctx, releaseRequest{Target{Workspace: workspace, Session: session}})
	if errors.Is(err, errNothingToDo) {
		return s.asItIs(ctx, workspace, session)
	}
	return receipt, err
}

// releaseRequest has a chat at rest release the slot.
type releaseRequest struct{ Target }

func (releaseRequest) event(v *domain.View, _ moment) (domain.Event, error) {
	switch s := v.Session; {
	case !s.HoldsSlot:
		return nil, errNothingToDo
	case s.Type != domain.Chat || s.Phase != domain.Idle:
		return nil, domain.Errorf(domain.CodeSessionBusy,
			"The session is at work, or waits for an answer, and keeps the slot. Stop it, or answer; nothing was changed.")
	}
	return domain.SessionEvicted{}, nil
}

// asItIs is the receipt of a request that changed nothing.
func (s *Sessions) asItIs(ctx context.Context, workspace, session string) (*domain.Receipt, error) {
	have, err := s.Store.Session(ctx, workspace, session)
	if err != nil {
		return nil, err
	}
	return &domain.Receipt{Session: have, Seq: have.LastSeq}, nil
}

// ActivateSession asks for the slot.
func (s *Sessions) ActivateSession(ctx context.Context, workspace, session string) (*domain.Receipt, error) {
	o, err := s.Door.Deliver(ctx, activationRequest{Target{Workspace: workspace, Session: session}})
	if errors.Is(err, errNothingToDo) {
		receipt, err := s.asItIs(ctx, workspace, session)
		if err != nil {
			return nil, err
		}
		receipt.Result = domain.AlreadyActive
		return receipt, nil
	}
	if err != nil {
		return nil, err
	}
	return o.ActivationReceipt(), nil
}

// activationRequest asks for the slot.
type activationRequest struct{ Target }

func (activationRequest) event(v *domain.View, _ moment) (domain.Event, error) {
	if v.Session.HoldsSlot && v.Session.Phase != domain.Completed {
		return nil, errNothingToDo
	}
	return domain.SessionActivationRequested{}, nil
}

// ResumeSession brings a stopped, suspended or poisoned session back.
func (s *Sessions) ResumeSession(ctx context.Context, workspace, session string, _ domain.Author) (*domain.Receipt, error) {
	return s.deliver(ctx, EventRequest{Target{Workspace: workspace, Session: session}, domain.SessionResumed{}})
}

// InterruptSession cuts the round; what was already received is kept.
func (s *Sessions) InterruptSession(ctx context.Context, workspace, session string, by domain.Author) (*domain.Receipt, error) {
	if s.Gather != nil {
		have, err := s.Store.Session(ctx, workspace, session)
		if err != nil {
			return nil, err
		}
		defer s.Gather(ctx, have)()
	}
	return s.deliver(ctx, interruptRequest{Target{Workspace: workspace, Session: session}, by})
}

// interruptRequest cuts the round of a session.
type interruptRequest struct {
	Target
	by domain.Author
}

func (r interruptRequest) event(v *domain.View, m moment) (domain.Event, error) {
	message, text := m.partialOf(v.Session)
	return domain.InterruptRequested{By: r.by.ID, MessageID: message, PartialText: text}, nil
}

// StopSession ends the session at once and returns what its calls had done.
func (s *Sessions) StopSession(ctx context.Context, workspace, session string, by domain.Author) (*domain.Receipt, error) {
	o, err := s.Door.Deliver(ctx, EventRequest{Target{Workspace: workspace, Session: session}, domain.StopRequested{By: by.ID}})
	if err != nil {
		return nil, err
	}
	s.Door.cfg.Runner.Cut(session, o.Session.RunEpoch, s.Door.cfg.Causes.Stopped)
	receipt := o.Receipt()
	for _, e := range o.View.Planned {
		receipt.Calls = append(receipt.Calls, domain.StoppedCall{ExecutionID: e.ID, Command: e.Command, Outcome: stopOutcome(e.Status)})
	}
	return receipt, nil
}

// stopOutcome is the state of a call when its session was stopped.
func stopOutcome(status domain.ExecutionStatus) string {
	switch {
	case status == domain.ExecStarted || status == domain.ExecUnknown:
		return "unknown"
	case status.Final():
		return "finished_before"
	}
	return "not_started"
}
