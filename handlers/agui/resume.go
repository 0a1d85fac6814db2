package agui

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

// decisions returns the answers to all open approvals, which have to be in one request. called is
// the approval that the results in the same request answer; nil for none.
func (x *run) decisions(ctx context.Context, called *domain.Approval) (map[string]domain.Decision, error) {
	if len(x.in.Resume) == 0 {
		return nil, nil //nolint:nilnil // there are no answers
	}
	at, err := x.Progress(ctx)
	if err != nil {
		return nil, err
	}
	decisions := map[string]domain.Decision{}
	for i, answer := range x.in.Resume {
		approval, err := x.Approval(ctx, at, answer.ID)
		if err != nil {
			return nil, err
		}
		_, twice := decisions[approval.ID]
		if twice || called != nil && called.ID == approval.ID { // only one of two contradictory answers would count
			return nil, domain.Invalid(fmt.Sprintf("/resume/%d", i), "repeated",
				"An interrupt can be answered only once; %s is answered twice. Nothing was changed.", approval.ID)
		}
		if decisions[approval.ID], err = x.decisionOf(approval, answer, fmt.Sprintf("/resume/%d/payload", i)); err != nil {
			return nil, err
		}
	}
	for _, open := range at.Open {
		if _, answered := decisions[open.ID]; !answered && (called == nil || called.ID != open.ID) {
			return nil, domain.Invalid("/resume", "incomplete", "All open interrupts must be answered in one resume; %s is not.", open.ID)
		}
	}
	return decisions, nil
}

// resume submits the answers.
func (x *run) resume(ctx context.Context, decisions map[string]domain.Decision) error {
	for _, answer := range x.in.Resume {
		if err := x.Answer(ctx, answer.ID, decisions[answer.ID]); err != nil {
			return err
		}
	}
	return nil
}

// decisionOf decodes an answer: that of the API for the kind of approval, or for a question the
// value itself.
func (x *run) decisionOf(approval *domain.Approval, answer resumeItem, pointer string) (domain.Decision, error) {
	payload := answer.Payload
	switch {
	case answer.Status == "cancelled":
		payload = rejections[approval.Kind]
	case answer.Status != "resolved":
		return domain.Decision{}, domain.Invalid("/resume", "unknown", "status takes resolved or cancelled.")
	case approval.Kind == domain.ApprovalQuestion:
		payload, _ = json.Marshal(map[string]json.RawMessage{"value": payload}) // consists of JSON values: cannot fail
	}
	if len(payload) == 0 {
		return domain.Decision{}, domain.Invalid("/resume", "required", "An approval of kind %s needs an answer.", approval.Kind)
	}
	decision, err := x.Decision(payload, approval.Kind)
	if approval.Kind != domain.ApprovalQuestion { // the payload of a question is the value itself
		err = domain.Below(pointer, err)
	}
	return decision, err
}

// rejections are the answers that reject an approval, for each kind that can be rejected.
var rejections = map[domain.ApprovalKind]json.RawMessage{
	domain.ApprovalActions: json.RawMessage(`{"approved":false}`), domain.ApprovalBudget: json.RawMessage(`{"approved":false}`),
	domain.ApprovalQuestion: json.RawMessage(`{"cancelled":true}`), domain.ApprovalCompletion: json.RawMessage(`{"confirmed":false}`),
	domain.ApprovalPoisoned: json.RawMessage(`{"approved":false}`), domain.ApprovalReconnect: json.RawMessage(`{"approved":false}`),
	domain.ApprovalClientCalls: json.RawMessage(`{"approved":false}`), // ends the wait for the program
}
