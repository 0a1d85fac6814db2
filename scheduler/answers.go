package scheduler

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// Answers takes people's answers to what a session asks, through the door.
type Answers struct {
	Door   *Door
	Store  AnswerStore
	Checks AnswerChecks
	// Passkeys verifies signatures of sensitive actions; nil: they cannot be approved.
	Passkeys PasskeyChecks
}

// AnswerStore reads approvals, open and settled.
type AnswerStore interface {
	// View reads without locks what a decision about the session would read.
	View(ctx context.Context, workspace, session string) (*domain.View, error)
	Session(ctx context.Context, workspace, id string) (*domain.Session, error)
	Approval(ctx context.Context, workspace, id string) (*domain.Approval, error)
	Execution(ctx context.Context, workspace, id string) (*domain.Execution, error)
	// LatestApproval is the newest approval of a kind that the session has, or nil.
	LatestApproval(ctx context.Context, workspace, session string, kind domain.ApprovalKind) (*domain.Approval, error)
}

// ResumeValidation answers a session that waits for an approval of actions.
func (a *Answers) ResumeValidation(ctx context.Context, workspace, session string, decision domain.Decision) (*domain.Receipt, error) {
	return a.answer(ctx, workspace, session, domain.ApprovalActions, decision)
}

// ResumeResponse answers a session's question.
func (a *Answers) ResumeResponse(ctx context.Context, workspace, session string, decision domain.Decision) (*domain.Receipt, error) {
	return a.answer(ctx, workspace, session, domain.ApprovalQuestion, decision)
}

// ConfirmCompletion answers a run that reports completion.
func (a *Answers) ConfirmCompletion(ctx context.Context, workspace, session string, decision domain.Decision) (*domain.Receipt, error) {
	return a.answer(ctx, workspace, session, domain.ApprovalCompletion, decision)
}

// AnswerApproval answers an approval of any kind by its id.
func (a *Answers) AnswerApproval(ctx context.Context, workspace, approval string, decision domain.Decision) (*domain.Receipt, error) {
	asked, err := a.Store.Approval(ctx, workspace, approval)
	if err != nil {
		return nil, err
	}
	decision.ApprovalID = approval
	return a.answer(ctx, workspace, asked.SessionID, asked.Kind, decision)
}

// answer settles the open approval of a kind. Of many who answer at once one decides;
// the others see what was decided.
func (a *Answers) answer(
	ctx context.Context, workspace, session string, kind domain.ApprovalKind, decision domain.Decision,
) (*domain.Receipt, error) {
	x, err := a.answering(workspace, session, kind, decision)
	if err != nil {
		return nil, err
	}
	o, err := a.deliver(ctx, x, nil)
	switch {
	case domain.ErrorCode(err) == errSettled.Code:
		return a.settled(ctx, x, cmp.Or(decision.ApprovalID, x.approval))
	case err != nil && a.decided(ctx, workspace, x.approval):
		return a.settled(ctx, x, x.approval)
	case err != nil:
		return nil, err
	}
	receipt := o.Receipt()
	if _, stale := o.Event.(domain.ApprovalStale); stale {
		return nil, &domain.Error{Code: domain.CodeValidationStale, Session: receipt.Session,
			Message: "What you were shown has changed meanwhile. Nothing was run; the question is asked again with the present values."}
	}
	receipt.Approval = settledApproval(o.Change, kind)
	return receipt, nil
}

// decided reports whether an approval is settled. A concurrent answer may be rejected for its consequences
// (a record that the first one changed, a signature that it used up): its sender gets the recorded
// decision instead.
func (a *Answers) decided(ctx context.Context, workspace, approval string) bool {
	if approval == "" {
		return false
	}
	now, err := a.Store.Approval(ctx, workspace, approval)
	return err == nil && now.Status != domain.ApprovalStatusOpen && len(now.Decision) > 0
}

// deliver prepares an answer and delivers it through the door, with the message that it was given by, if any.
func (a *Answers) deliver(ctx context.Context, x *answering, said *domain.NewMessage) (*Outcome, error) {
	if err := a.prepare(ctx, x); err != nil {
		return nil, err
	}
	return a.Door.Deliver(ctx, answerRequest{*x, said})
}

// settledApproval is the approval of a kind that a change settles, or nil.
func settledApproval(change *domain.Change, kind domain.ApprovalKind) *domain.Approval {
	i := slices.IndexFunc(change.Approvals, func(a *domain.Approval) bool {
		return a.Kind == kind && a.Status != domain.ApprovalStatusOpen
	})
	if i < 0 {
		return nil
	}
	return change.Approvals[i]
}

// errSettled is internal: the recorded decision is returned in its place.
var errSettled = domain.Errorf("approval_not_open", "There is no open approval.")

// plainYes is the record of an approval without further content.
const plainYes = `{"approved":true}`

// record is the canonical form of a decision, by which the same answer is known.
func record(decision domain.Decision) ([]byte, error) {
	if len(decision.Results) > 0 { // they are in the record: a hash suffices to compare
		results, err := json.Marshal(decision.Results)
		if err != nil {
			return nil, fmt.Errorf("encode the results: %w", err)
		}
		return json.Marshal(broughtResults{true, fmt.Sprintf("%x", sha256.Sum256(results)), json.RawMessage(decision.Request)})
	}
	decision.ApprovedIDs = slices.Sorted(slices.Values(decision.ApprovedIDs))
	if len(decision.Value) > 0 {
		var compact bytes.Buffer
		if err := json.Compact(&compact, decision.Value); err != nil {
			return nil, domain.Invalid("/value", "invalid_json", "The value is not JSON.")
		}
		decision.Value = compact.Bytes()
	}
	return json.Marshal(decision)
}

// broughtResults is the record of an answer with the results of a program's tools.
type broughtResults struct {
	Approved bool            `json:"approved"`
	Results  string          `json:"results_sha256"`
	Request  json.RawMessage `json:"request,omitempty"`
}

// sameDecision reports whether two records are of the same answer.
func sameDecision(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var one, other broughtResults
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && one.Results != "" && one.Results == other.Results
}

// settled returns the recorded decision: the same answer again succeeds, a different one is a conflict,
// and an answer without an open question is rejected.
func (a *Answers) settled(ctx context.Context, x *answering, id string) (*domain.Receipt, error) {
	s, err := a.Store.Session(ctx, x.Workspace, x.Session)
	if err != nil {
		return nil, err
	}
	var approval *domain.Approval
	if id != "" {
		approval, err = a.Store.Approval(ctx, x.Workspace, id)
	} else {
		approval, err = a.Store.LatestApproval(ctx, x.Workspace, x.Session, x.kind)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case approval != nil && approval.SessionID != x.Session:
		return nil, domain.NotFound("approval")
	case s.Type == domain.Seed:
		return nil, &domain.Error{Code: domain.CodeSeedNeverRuns, Session: s,
			Message: "This is an automation's template: it is edited, and never run. It asks nothing."}
	case approval == nil && x.kind == domain.ApprovalCompletion && s.Type == domain.Run && s.EndReason == domain.EndCompleted &&
		string(x.recorded) == plainYes:
		return &domain.Receipt{Session: s, Seq: s.LastSeq}, nil // it was confirmed already, without a person
	case approval == nil || approval.Status == domain.ApprovalStatusOpen:
		return nil, &domain.Error{Code: domain.CodeWrongPhase, Session: s,
			Message: "The session does not wait for this answer. Nothing was changed."}
	case len(approval.Decision) > 0 && sameDecision(approval.Decision, x.recorded):
		return &domain.Receipt{Session: s, Approval: approval, Seq: s.LastSeq}, nil
	}
	decision := string(approval.Decision)
	if decision == "" {
		decision = string(approval.Status)
	}
	return nil, &domain.Error{Code: domain.CodeValidationResolved, Session: s, Decision: decision,
		Message: "This was settled already (" + string(approval.Status) + "). Your answer changed nothing."}
}
