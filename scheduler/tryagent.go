package scheduler

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// TryAgent makes the session of an agent without a caller, which requests the slot at once, like a manual
// run.
func (s *Sessions) TryAgent(ctx context.Context, workspace string, run domain.NewAgentRun) (*domain.Receipt, error) {
	o, err := s.Door.Deliver(ctx, trialRequest{Target{Workspace: workspace, New: run.Session}, run.Query})
	if err != nil {
		return nil, err
	}
	receipt := o.ActivationReceipt()
	receipt.Created = true
	return receipt, nil
}

// trialRequest makes the session of an agent that a person tries.
type trialRequest struct {
	Target
	query *domain.Message
}

func (trialRequest) event(*domain.View, moment) (domain.Event, error) {
	return domain.SessionActivationRequested{}, nil
}

func (r trialRequest) also(v *domain.View, _ moment, _ domain.Event, change *domain.Change) error {
	made, id := &domain.Change{WorkspaceID: r.Workspace, At: change.At}, r.New.ID
	tried := change.Session(id)
	tried.Visibility = visibilityIn(&v.Workspace.Settings, tried)
	made.Emit(domain.LogEvent{SessionID: id, Type: domain.LogSessionCreated, Session: tried})
	query := *r.query
	made.Emit(domain.LogEvent{SessionID: id, Type: domain.LogMessageCreated, Message: &query})
	change.Messages = append([]*domain.Message{&query}, change.Messages...)
	insertCreationEvents(change, id, made.Events)
	return nil
}
