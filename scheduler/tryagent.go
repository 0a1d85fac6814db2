package scheduler

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// TryAgent makes the session of an agent without a caller, which requests the slot at once, like a manual
// run.
func (s *Sessions) TryAgent(ctx context.Context, workspace string, run domain.NewAgentRun) (*domain.Receipt, error) {
	o, err := s.Door.Deliver(ctx, Request{
		Workspace: workspace, New: run.Session, Event: Happens(domain.SessionActivationRequested{}),
		Also: func(_ *domain.View, change *domain.Change) error {
			made := &domain.Change{WorkspaceID: workspace, At: change.At}
			made.Emit(domain.LogEvent{SessionID: run.Session.ID, Type: domain.LogSessionCreated, Session: change.Session(run.Session.ID)})
			query := *run.Query
			made.Emit(domain.LogEvent{SessionID: run.Session.ID, Type: domain.LogMessageCreated, Message: &query})
			change.Messages = append([]*domain.Message{&query}, change.Messages...)
			insertCreationEvents(change, run.Session.ID, made.Events)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	receipt := o.ActivationReceipt()
	receipt.Created = true
	return receipt, nil
}
