package scheduler

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// AnswerByText answers the open approval with a message that means approval or refusal. The message is
// part of the record, not of the prompt. It is stored with its history in the transaction of the answer,
// so that a repeated message is the same answer, and never one to the next question. If the approval was
// settled meanwhile, it is a conflict.
func (a *Answers) AnswerByText(
	ctx context.Context, workspace, approval string, decision domain.Decision, said domain.NewMessage,
) (*domain.Receipt, error) {
	asked, err := a.Store.Approval(ctx, workspace, approval)
	if err != nil {
		return nil, err
	}
	decision.ApprovalID = approval
	x, err := a.answering(workspace, asked.SessionID, asked.Kind, decision)
	if err != nil {
		return nil, err
	}
	o, err := a.deliver(ctx, x, &said)
	if domain.ErrorCode(err) == errSettled.Code {
		return nil, domain.Errorf(domain.CodeConflict, "This was answered meanwhile.")
	}
	if err != nil {
		return nil, err
	}
	receipt := o.Receipt() // also if records have changed since it was shown: it is asked again then
	receipt.Message = newest(o.Change)
	return receipt, nil
}

// addMessage stores the message that an answer was given by.
func (r *answerRequest) addMessage(v *domain.View, m moment, change *domain.Change) {
	message := m.userMessage(v.Session, *r.said).Message
	message.RoundID, message.RetryOf, message.ExcludeFromPrompt = v.Session.State.RoundID, v.Session.State.RetryOf, true
	making := &domain.Change{WorkspaceID: r.Workspace, At: change.At}
	making.Emit(domain.LogEvent{SessionID: r.Session, Type: domain.LogMessageCreated, Message: message})
	change.Messages = append([]*domain.Message{message}, change.Messages...)
	insertCreationEvents(change, r.Session, making.Events)
	noteHistory(change, r.Session, r.said.History, message.ID)
}
