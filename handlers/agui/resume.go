package agui

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// decisions are the answers to what the session has asked: to all that is open, in one request.
// called is what the results that come with them answer; nil for none.
func (x *run) decisions(ctx context.Context, called *domain.Approval) (map[string]domain.Decision, error) {
	if len(x.in.Resume) == 0 {
		return nil, nil //nolint:nilnil // nothing is answered
	}
	at, err := x.progress(ctx)
	if err != nil {
		return nil, err
	}
	decisions := map[string]domain.Decision{}
	for i, answer := range x.in.Resume {
		approval, err := x.answeredApproval(ctx, at, answer.ID)
		if err != nil {
			return nil, err
		}
		_, twice := decisions[approval.ID]
		if twice || called != nil && called.ID == approval.ID { // of a yes and a no, one would count
			return nil, domain.Invalid(fmt.Sprintf("/resume/%d", i), "repeated",
				"An interrupt is answered once; %s is twice. Nothing was changed.", approval.ID)
		}
		if decisions[approval.ID], err = x.decisionOf(approval, answer, fmt.Sprintf("/resume/%d/payload", i)); err != nil {
			return nil, err
		}
	}
	for _, open := range at.Open {
		if _, answered := decisions[open.ID]; !answered && (called == nil || called.ID != open.ID) {
			return nil, domain.Invalid("/resume", "incomplete", "All that is open is answered in one resume; %s is not.", open.ID)
		}
	}
	return decisions, nil
}

// resume answers what the session has asked.
func (x *run) resume(ctx context.Context, decisions map[string]domain.Decision) error {
	for _, answer := range x.in.Resume {
		decision := decisions[answer.ID]
		decision.By = x.identity.Author()
		if _, err := x.Commands.AnswerApproval(ctx, x.identity.Workspace, answer.ID, decision); err != nil {
			return err
		}
	}
	return nil
}

// asked is what an answer is to: something that this run asks, or asked.
func (x *run) answeredApproval(ctx context.Context, at *rounds.Progress, id string) (*domain.Approval, error) {
	a, err := x.Approvals.Approval(ctx, x.identity.Workspace, id)
	if err != nil {
		return nil, err
	}
	if err := rounds.CheckAnswerable(a, at.Open, x.Clock()); err != nil {
		return nil, err
	}
	return a, nil
}

// decisionOf reads an answer: what the API takes for the kind of approval; for a question
// the value alone will do.
func (x *run) decisionOf(approval *domain.Approval, answer resumeItem, pointer string) (domain.Decision, error) {
	payload := answer.Payload
	switch {
	case answer.Status == "cancelled":
		payload = rejections[approval.Kind]
	case answer.Status != "resolved":
		return domain.Decision{}, domain.Invalid("/resume", "unknown", "An interrupt is resolved or cancelled.")
	case approval.Kind == domain.ApprovalQuestion:
		payload, _ = json.Marshal(map[string]json.RawMessage{"value": payload}) // it is JSON already
	}
	if len(payload) == 0 {
		return domain.Decision{}, domain.Invalid("/resume", "required", "An approval of kind %s needs an answer.", approval.Kind)
	}
	decision, err := x.Decision(payload, approval.Kind)
	if approval.Kind != domain.ApprovalQuestion { // whose payload is the value itself
		err = domain.Below(pointer, err)
	}
	return decision, err
}

// declined is the no of each kind that has one.
var rejections = map[domain.ApprovalKind]json.RawMessage{
	domain.ApprovalActions: json.RawMessage(`{"approved":false}`), domain.ApprovalBudget: json.RawMessage(`{"approved":false}`),
	domain.ApprovalQuestion: json.RawMessage(`{"cancelled":true}`), domain.ApprovalCompletion: json.RawMessage(`{"confirmed":false}`),
	domain.ApprovalPoisoned: json.RawMessage(`{"approved":false}`), domain.ApprovalReconnect: json.RawMessage(`{"approved":false}`),
	domain.ApprovalClientCalls: json.RawMessage(`{"approved":false}`), // nobody waits for the program any more
}
