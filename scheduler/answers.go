package scheduler

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// ResumeValidation answers a session that waits for a person's yes.
func (d *Door) ResumeValidation(ctx context.Context, workspace, session string, decision domain.Decision) (*domain.Receipt, error) {
	return d.answer(ctx, workspace, session, domain.ApprovalActions, decision)
}

// ResumeResponse answers a session's question.
func (d *Door) ResumeResponse(ctx context.Context, workspace, session string, decision domain.Decision) (*domain.Receipt, error) {
	return d.answer(ctx, workspace, session, domain.ApprovalQuestion, decision)
}

// ConfirmCompletion answers a run that says it is done.
func (d *Door) ConfirmCompletion(ctx context.Context, workspace, session string, decision domain.Decision) (*domain.Receipt, error) {
	return d.answer(ctx, workspace, session, domain.ApprovalCompletion, decision)
}

// AnswerApproval answers by the approval's id, whatever it asks.
func (d *Door) AnswerApproval(ctx context.Context, workspace, approval string, decision domain.Decision) (*domain.Receipt, error) {
	a, err := d.cfg.Store.Approval(ctx, workspace, approval)
	if err != nil {
		return nil, err
	}
	decision.ApprovalID = approval
	return d.answer(ctx, workspace, a.SessionID, a.Kind, decision)
}

// answer settles the open approval of a kind. Of many who answer at once one decides;
// the others see what was decided.
func (d *Door) answer(ctx context.Context, workspace, session string, kind domain.ApprovalKind, decision domain.Decision) (*domain.Receipt, error) {
	recorded, err := record(decision)
	if err != nil {
		return nil, err
	}
	ready, err := d.prepare(ctx, workspace, session, kind, decision)
	if err != nil {
		return nil, err
	}
	asksAgain := false
	o, err := d.pass(ctx, request{workspace: workspace, session: session, event: func(v *domain.View) (domain.Event, error) {
		approval := open(v, kind, decision.ApprovalID)
		if approval == nil {
			if e := unasked(v, kind, decision, recorded); e != nil {
				return e, nil
			}
			return nil, errSettled
		}
		if asksAgain = ready.stale != nil && ready.approval == approval.ID; asksAgain {
			return domain.ApprovalStale{Commands: *ready.stale}, nil
		}
		return d.answerEvent(v, approval, decision, recorded, ready)
	}})
	if err != nil {
		if domain.ErrorCode(err) == errSettled.Code {
			return d.settled(ctx, workspace, session, kind, decision.ApprovalID, recorded)
		}
		return nil, err
	}
	receipt := o.receipt()
	if asksAgain {
		return nil, &domain.Error{Code: domain.CodeValidationStale, Session: receipt.Session,
			Message: "What you were shown has changed meanwhile. Nothing was run; the question is asked again with the present values."}
	}
	for _, a := range o.change.Approvals {
		if a.Kind == kind && a.Status != domain.ApprovalStatusOpen {
			receipt.Approval = a
			break
		}
	}
	return receipt, nil
}

// prepared is what is found out about an answer before its decision.
type prepared struct {
	approval string // that was open when the answer came; "" where nobody looked, or none was
	// stale are the cards with the present values, where those of the approval no longer
	// show what is there; edited the actions that the person changed, checked.
	stale  *domain.PlannedCommands
	edited []*domain.Execution
}

// prepare looks, before the decision and outside its transaction, whether a yes would be
// for something else than what was shown, and whether what the person changed can run.
// What changes still later is found when the actions run.
func (d *Door) prepare(ctx context.Context, workspace, session string, kind domain.ApprovalKind, decision domain.Decision) (prepared, error) {
	acts := kind == domain.ApprovalActions && (decision.Approved || len(decision.Edits) > 0)
	if !acts && decision.ApprovalID != "" {
		return prepared{}, nil
	}
	v, err := d.cfg.Store.View(ctx, workspace, session)
	if err != nil {
		return prepared{}, err
	}
	approval := open(v, kind, decision.ApprovalID)
	if approval == nil {
		return prepared{}, nil
	}
	ready := prepared{approval: approval.ID}
	if !acts {
		return ready, nil
	}
	if err := d.checkDecision(approval, decision); err != nil {
		return prepared{}, err
	}
	if decision.Approved {
		if ready.stale, err = d.cfg.Answers.Stale(ctx, v, decision.ApprovedIDs); err != nil || ready.stale != nil {
			return ready, err
		}
	}
	if len(decision.Edits) > 0 {
		ready.edited, err = d.cfg.Answers.Edit(ctx, v, decision)
	}
	return ready, err
}

// errSettled never leaves the package: what was decided is told instead.
var errSettled = domain.Errorf("approval_not_open", "There is no open approval.")

// record is the canonical form of a decision, by which the same answer is known.
func record(decision domain.Decision) ([]byte, error) {
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

func open(v *domain.View, kind domain.ApprovalKind, id string) *domain.Approval {
	for _, a := range v.Open {
		if a.Kind == kind && (id == "" || a.ID == id) {
			return a
		}
	}
	return nil
}

// unasked is a person's word on a run that says it is done and whose timer would confirm
// it: nobody was asked, but a person may be faster.
func unasked(v *domain.View, kind domain.ApprovalKind, decision domain.Decision, recorded []byte) domain.Event {
	w := v.Session.State.Waiting
	if kind != domain.ApprovalCompletion || decision.ApprovalID != "" || v.Session.Phase != domain.WaitingCompletionConfirmation || w == nil || w.ApprovalID != "" {
		return nil
	}
	return completion(domain.Answer{Decision: decision, Recorded: recorded})
}

func completion(answer domain.Answer) domain.Event {
	if answer.Decision.Approved {
		return domain.CompletionConfirmed{Answer: answer}
	}
	return domain.CompletionRejected{Answer: answer}
}

// settled tells what was decided: the same answer again is a success, another one a
// conflict, and an answer to nothing is refused.
func (d *Door) settled(ctx context.Context, workspace, session string, kind domain.ApprovalKind, id string, recorded []byte) (*domain.Receipt, error) {
	s, err := d.cfg.Store.Session(ctx, workspace, session)
	if err != nil {
		return nil, err
	}
	var approval *domain.Approval
	if id != "" {
		approval, err = d.cfg.Store.Approval(ctx, workspace, id)
	} else {
		approval, err = d.cfg.Store.LatestApproval(ctx, workspace, session, kind)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case approval != nil && approval.SessionID != session:
		return nil, domain.NotFound("approval")
	case approval == nil || approval.Status == domain.ApprovalStatusOpen:
		return nil, &domain.Error{Code: domain.CodeWrongPhase, Session: s,
			Message: "The session does not wait for this answer. Nothing was changed."}
	case len(approval.Decision) > 0 && bytes.Equal(approval.Decision, recorded):
		return &domain.Receipt{Session: s, Approval: approval, Seq: s.LastSeq}, nil
	}
	decision := string(approval.Decision)
	if decision == "" {
		decision = string(approval.Status)
	}
	return nil, &domain.Error{Code: domain.CodeValidationResolved, Session: s, Decision: decision,
		Message: "This was settled already (" + string(approval.Status) + "). Your answer changed nothing."}
}

// answerEvent turns a checked decision into the machine's event. An answer that names no
// approval is for the one that was open when it came: what is asked since then, nobody
// who gave it can have seen.
func (d *Door) answerEvent(v *domain.View, a *domain.Approval, decision domain.Decision, recorded []byte, ready prepared) (domain.Event, error) {
	acts := a.Kind == domain.ApprovalActions && (decision.Approved || len(decision.Edits) > 0)
	if ready.approval != a.ID && (acts || decision.ApprovalID == "") {
		return nil, domain.Errorf(domain.CodeValidationStale, "It was asked anew just now. Nothing was run; look at what is asked now, then answer again.")
	}
	answer := domain.Answer{Decision: decision, Recorded: recorded}
	switch a.Kind {
	case domain.ApprovalActions:
		if err := d.checkDecision(a, decision); err != nil {
			return nil, err
		}
		return domain.ValidationReceived{Answer: answer, Edited: ready.edited}, nil
	case domain.ApprovalQuestion:
		if decision.Cancelled {
			return domain.CommunicationCancelled{Answer: answer}, nil
		}
		if err := d.cfg.Answers.CheckResponse(a.Module, decision.Value); err != nil {
			return nil, err
		}
		answer.Text = d.cfg.Answers.ResponseText(a.Module, decision.Value, v.Workspace.Settings.Language)
		return domain.CommunicationResponseReceived{Answer: answer}, nil
	case domain.ApprovalBudget:
		if decision.Approved {
			return domain.BudgetRaised{Answer: answer}, nil
		}
		return domain.BudgetRefused{Answer: answer}, nil
	case domain.ApprovalCompletion:
		return completion(answer), nil
	case domain.ApprovalPoisoned:
		if decision.Approved {
			return domain.SessionResumed{}, nil
		}
		return domain.StopRequested{By: decision.By.ID}, nil
	default:
		return nil, domain.Errorf(domain.CodeWrongPhase, "An approval of kind %s cannot be answered yet.", a.Kind)
	}
}

// checkDecision checks an answer to actions: what it names is the approval's, and who
// gives it may.
func (d *Door) checkDecision(a *domain.Approval, decision domain.Decision) error {
	known := func(id string) bool {
		return slices.ContainsFunc(a.Actions, func(action domain.ApprovalAction) bool { return action.ID == id })
	}
	for _, id := range decision.ApprovedIDs {
		if !known(id) {
			return domain.Invalid("/approved_ids", "unknown_action", "%.80q is not an action of this approval.", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(decision.Edits)) {
		if !known(id) {
			return domain.Invalid("/edits/"+id, "unknown_action", "%.80q is not an action of this approval.", id)
		}
	}
	return d.mayApprove(a, decision)
}

// mayApprove refuses a yes to an action that the person could not take themselves. A no
// is anybody's who may answer. The wait goes on: somebody with the role can answer.
func (d *Door) mayApprove(a *domain.Approval, decision domain.Decision) error {
	if !decision.Approved {
		return nil
	}
	for _, action := range a.Actions {
		if len(decision.ApprovedIDs) > 0 && !slices.Contains(decision.ApprovedIDs, action.ID) {
			continue
		}
		if needed := d.cfg.Answers.RoleFor(action.Command); !decision.By.Role.Allows(needed) {
			return domain.Errorf(domain.CodeForbidden, "Approving %s needs the role %s, and you have the role %s. Nothing was run; it still waits for somebody with that role. You can refuse it.",
				action.Command, needed, decision.By.Role)
		}
	}
	return nil
}
