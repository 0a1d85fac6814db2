package scheduler

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// AnswerByText answers what is asked with a message that says yes or no. The message stands in
// the record, and not in the prompt: it is no words to the AI. It is noted with its history in
// the transaction of the answer, so that the same message again is the same answer, and never one
// to what is asked next. What was settled meanwhile is a conflict: who sent it looks again.
func (a *Answers) AnswerByText(
	ctx context.Context, workspace, approval string, decision domain.Decision, said domain.NewMessage,
) (*domain.Receipt, error) {
	asked, err := a.Store.Approval(ctx, workspace, approval)
	if err != nil {
		return nil, err
	}
	decision.ApprovalID = approval
	recorded, err := record(decision)
	if err != nil {
		return nil, err
	}
	var message *domain.Message
	o, _, err := a.deliver(ctx, workspace, asked.SessionID, asked.Kind, decision, recorded, func(v *domain.View, change *domain.Change) {
		message = a.Door.userMessage(v.Session, said).Message
		message.RoundID, message.RetryOf, message.ExcludeFromPrompt = v.Session.State.RoundID, v.Session.State.RetryOf, true
		making := &domain.Change{WorkspaceID: workspace, At: change.At}
		making.Emit(domain.LogEvent{SessionID: asked.SessionID, Type: domain.LogMessageCreated, Message: message})
		change.Messages = append([]*domain.Message{message}, change.Messages...)
		insertCreationEvents(change, asked.SessionID, making.Events)
		noteHistory(change, asked.SessionID, said.History, message.ID)
	})
	if domain.ErrorCode(err) == errSettled.Code {
		return nil, domain.Errorf(domain.CodeConflict, "This was answered meanwhile.")
	}
	if err != nil {
		return nil, err
	}
	receipt := o.Receipt() // of what has changed since it was shown, too: it is asked again then
	receipt.Message = message
	return receipt, nil
}
