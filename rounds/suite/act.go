package suite

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/stream"
)

// NewWorld returns a world without a story, in which a test acts itself. It lives in a bubble of synctest.
func NewWorld(t *testing.T) *World {
	t.Helper()
	broker := stream.New(stream.Config{})
	if err := broker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := newWorld(broker, nil)
	t.Cleanup(func() {
		if err := broker.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if w.err != nil {
			t.Error(w.err)
		}
	})
	return w
}

// Answer ends the round with an answer.
func (w *World) Answer(text string) {
	answer(text).do(w)
	idle().do(w)
}

// Ask opens an approval of a kind, for which the session waits, and returns its id.
func (w *World) Ask(kind domain.ApprovalKind) (approval string) {
	switch kind {
	case domain.ApprovalActions:
		requested(domain.WaitingValidation, twoActions()).do(w)
	case domain.ApprovalQuestion:
		requested(domain.WaitingCommunicationResponse, question()).do(w)
	case domain.ApprovalClientCalls:
		requested(domain.WaitingCommunicationResponse, clientCalls()).do(w)
	default:
		requested(domain.WaitingBudget, domain.Approval{ID: approvalID, Kind: kind, Text: "Go on?"}).do(w)
	}
	return approvalID
}

// Expire settles the open approval because its time is over.
func (w *World) Expire() { settled(domain.ApprovalStatusExpired, "").do(w) }

// Change changes the open approval, as another plan of the session does.
func (w *World) Change(change func(*domain.Approval)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w.approvals[len(w.approvals)-1])
}

// Decisions returns the answers to approvals.
func (w *World) Decisions() []domain.Decision {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.decisions
}

// AnswerApproval takes the answer to the open approval, and lets the session go on.
func (w *World) AnswerApproval(_ context.Context, _, id string, d domain.Decision) (*domain.Receipt, error) {
	w.mu.Lock()
	last := len(w.approvals) - 1
	if last < 0 || w.approvals[last].ID != id {
		w.mu.Unlock()
		return nil, domain.NotFound("approval")
	}
	if w.approvals[last].Status != domain.ApprovalStatusOpen {
		w.mu.Unlock()
		return nil, domain.Errorf(domain.CodeValidationResolved, "It was answered before.")
	}
	w.decisions = append(w.decisions, d)
	w.mu.Unlock()
	status := domain.ApprovalStatusRefused
	if d.Approved {
		status = domain.ApprovalStatusApproved
	}
	settled(status, "").do(w)
	w.enter(domain.CallingAI, domain.ValidationReceived{}.Name())
	return &domain.Receipt{}, nil
}

// RetrySession begins another answer in an idle session. In stories there is nothing to retry.
func (w *World) RetrySession(context.Context, string, string, domain.RetryRequest) (*domain.Receipt, error) {
	w.mu.Lock()
	at := w.session.Phase
	w.mu.Unlock()
	switch {
	case len(w.steps) > 0:
		return nil, domain.Errorf(domain.CodeNotLastRound, "There is nothing to retry.")
	case at != domain.Idle:
		return nil, domain.Errorf(domain.CodeWrongPhase, "The session is not idle.")
	}
	w.enter(domain.CallingAI, domain.UserMessageSent{}.Name())
	return &domain.Receipt{}, nil
}

// decisionOf reads an answer to an approval. How strictly the API decodes it is tested there.
func decisionOf(answer json.RawMessage, kind domain.ApprovalKind) (domain.Decision, error) {
	var in api.ApprovalAnswer
	if err := jsonbody.Unmarshal(answer, &in); err != nil {
		return domain.Decision{}, domain.Invalid("", "wrong_type", "The answer cannot be decoded.")
	}
	return in.Domain(kind)
}
