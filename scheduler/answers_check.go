package scheduler

import (
	"context"
	"maps"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// prepared is what is found out about an answer before its decision.
type prepared struct {
	approval string // the one that was open when the answer was received; "" if none was, or it was not read
	// stale are the cards with the current values, if those of the approval are outdated; edited the
	// actions that the person changed, validated.
	stale  *domain.PlannedCommands
	edited []*domain.Execution
	// sent is the action whose outcome the person reports, and again the same one planned again, if they
	// want it run once more.
	sent  *domain.Execution
	again *domain.PlannedCommands
	// proof is the signature of an approval of sensitive actions.
	proof *domain.PasskeyProof
}

// prepare checks, before the decision and outside its transaction, whether the approval would cover
// something other than what was shown, and whether the person's changes can run. Later changes are found
// when the actions run.
func (a *Answers) prepare(
	ctx context.Context, workspace, session string, kind domain.ApprovalKind, decision domain.Decision,
) (prepared, error) {
	acts := kind == domain.ApprovalActions && (decision.Approved || len(decision.Edits) > 0)
	if !acts && decision.ApprovalID != "" && kind != domain.ApprovalOutcome {
		return prepared{}, nil
	}
	v, err := a.Store.View(ctx, workspace, session)
	if err != nil {
		return prepared{}, err
	}
	approval := open(v, kind, decision.ApprovalID)
	if approval == nil {
		return prepared{}, nil
	}
	if kind == domain.ApprovalOutcome {
		return a.prepareOutcome(ctx, v, approval, decision)
	}
	ready := prepared{approval: approval.ID}
	if !acts {
		return ready, nil
	}
	if err := a.checkDecision(approval, decision); err != nil {
		return ready, err
	}
	if decision.Approved {
		if ready.stale, err = a.Checks.Stale(ctx, v, decision.ApprovedIDs); err != nil || ready.stale != nil {
			return ready, err
		}
	}
	if len(decision.Edits) > 0 {
		if ready.edited, err = a.Checks.Edit(ctx, v, decision); err != nil {
			return ready, err
		}
	}
	ready.proof, err = a.prove(ctx, approval, decision, ready.edited)
	return ready, err
}

// answerEvent turns a checked decision into the machine's event. An answer without an approval's id is for
// the one that was open when it was received: later ones cannot have been seen by its sender.
func (a *Answers) answerEvent(
	v *domain.View, asked *domain.Approval, decision domain.Decision, recorded []byte, ready prepared,
) (domain.Event, error) {
	acts := asked.Kind == domain.ApprovalActions && (decision.Approved || len(decision.Edits) > 0)
	if ready.approval != asked.ID && (acts || decision.ApprovalID == "") {
		return nil, domain.Errorf(domain.CodeValidationStale,
			"It was asked again just now. Nothing was run; look at what is asked now, then answer again.")
	}
	answer := domain.Answer{Decision: decision, Recorded: recorded}
	switch asked.Kind {
	case domain.ApprovalActions:
		err := a.checkDecision(asked, decision)
		if err != nil {
			return nil, err
		}
		if answer.Evidence, err = ready.evidence(asked, decision); err != nil {
			return nil, err
		}
		return domain.ValidationReceived{Answer: answer, Edited: ready.edited}, nil
	case domain.ApprovalClientCalls:
		return clientEvent(asked, answer)
	case domain.ApprovalReconnect:
		return domain.ValidationReceived{Answer: answer}, nil
	case domain.ApprovalQuestion:
		if askingTask(v, asked) != nil {
			return nil, a.checkTaskAnswer(asked, decision)
		}
		w := v.Session.State.Waiting
		ofServer := w != nil && w.Kind == domain.WaitOutside
		if decision.Cancelled && ofServer {
			return domain.ValidationReceived{Answer: answer}, nil
		}
		if decision.Cancelled {
			return domain.CommunicationCancelled{Answer: answer}, nil
		}
		if err := a.Checks.CheckResponse(asked.Module, decision.Value); err != nil {
			return nil, err
		}
		answer.Text = a.Checks.ResponseText(asked.Module, decision.Value, v.Workspace.Settings.Language)
		if ofServer {
			return domain.ValidationReceived{Answer: answer}, nil
		}
		return domain.CommunicationResponseReceived{Answer: answer}, nil
	case domain.ApprovalOutcome:
		return outcomeEvent(v, decision, answer, ready)
	case domain.ApprovalPoisoned:
		if decision.Approved {
			return domain.SessionResumed{}, nil
		}
		return domain.StopRequested{By: decision.By.ID}, nil
	}
	if err := mayRaise(asked, decision); err != nil {
		return nil, err
	}
	if question := domain.QuestionOf(asked.Kind); question != nil {
		return question.Reply(decision.Approved, answer), nil
	}
	return nil, domain.Errorf(domain.CodeWrongPhase, "An approval of kind %s cannot be answered yet.", asked.Kind)
}

// clientEvent returns the event for the results of a program's own tools. A person can only cancel the
// wait: only the program has the results.
func clientEvent(asked *domain.Approval, answer domain.Answer) (domain.Event, error) {
	d := answer.Decision
	if len(d.Results) == 0 && d.Approved {
		return nil, domain.Invalid("/approved", "not_allowed",
			"The program that sent the message runs these tools, and brings the results. Others can only stop waiting for it: "+
				"send approved: false. Nothing was changed.")
	}
	if len(d.Results) == 0 {
		return domain.CommunicationCancelled{Answer: answer}, nil
	}
	ids := func(a domain.ApprovalAction, r domain.ClientResult) bool { return a.ID == r.CallID }
	if !slices.EqualFunc(asked.Actions, d.Results, ids) {
		return nil, domain.Errorf(domain.CodeInvalid, "The results are not those of the calls that are waited for. Nothing was changed.")
	}
	return domain.CommunicationResponseReceived{Answer: answer}, nil
}

// checkTaskAnswer refuses an answer that the service of a task could not read.
func (a *Answers) checkTaskAnswer(asked *domain.Approval, decision domain.Decision) error {
	if decision.Cancelled {
		return nil
	}
	return a.Checks.CheckResponse(asked.Module, decision.Value)
}

// checkDecision validates an answer to actions: the named actions belong to the approval, and the person
// may approve them.
func (a *Answers) checkDecision(asked *domain.Approval, decision domain.Decision) error {
	known := func(id string) bool {
		return slices.ContainsFunc(asked.Actions, func(action domain.ApprovalAction) bool { return action.ID == id })
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
	return a.mayApprove(asked, decision)
}

// mayRaise refuses to raise a budget that the person could not change themselves: those of the
// workspace and of an automation are an administrator's. One of a session, or of its round, is a
// member's.
func mayRaise(asked *domain.Approval, decision domain.Decision) error {
	if asked.Kind != domain.ApprovalBudget || !decision.Approved {
		return nil
	}
	if b := asked.Budget; b != nil && (b.Scope == domain.BudgetOfRound || b.Scope == domain.BudgetOfSession) {
		return nil
	}
	if decision.By.Role.Allows(domain.RoleAdmin) {
		return nil
	}
	return domain.Errorf(domain.CodeForbidden, "Raising this budget needs the role %s, as changing it does, and you have the role %s. "+
		"Nothing was changed; it still waits. You can refuse it.", domain.RoleAdmin, decision.By.Role)
}

// mayApprove rejects the approval of an action that the person's role does not allow. Anyone who may
// answer can refuse. The wait continues for a person with the role.
func (a *Answers) mayApprove(asked *domain.Approval, decision domain.Decision) error {
	if !decision.Approved {
		return nil
	}
	for _, action := range asked.Actions {
		if len(decision.ApprovedIDs) > 0 && !slices.Contains(decision.ApprovedIDs, action.ID) {
			continue
		}
		if needed := a.Checks.RoleFor(&action); !decision.By.Role.Allows(needed) {
			return domain.Errorf(domain.CodeForbidden, "Approving %s needs the role %s, and you have the role %s. "+
				"Nothing was run; it still waits for a person with that role. You can refuse it.",
				action.Command, needed, decision.By.Role)
		}
	}
	return nil
}
