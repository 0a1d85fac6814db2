package scheduler

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestAPersonSettlesAnOutcome verifies that a person's statement about an action with an unknown outcome settles
// it, and that the AI receives it.
func TestAPersonSettlesAnOutcome(t *testing.T) {
	for outcome, want := range map[string]struct {
		status domain.ExecutionStatus
		phase  domain.Phase
		code   domain.Code
	}{
		domain.OutcomeHappened: {domain.ExecSuccess, domain.CallingAI, ""},
		domain.OutcomeDidNot:   {domain.ExecFailed, domain.CallingAI, ""},
		domain.OutcomeRunAgain: {domain.ExecUnknown, domain.WaitingValidation, ""},
		"perhaps":              {code: domain.CodeInvalid},
		"":                     {code: domain.CodeInvalid},
	} {
		t.Run(outcome, func(t *testing.T) {
			me := chat("me", domain.Idle, func(s *domain.Session) { s.HoldsSlot = true })
			a, answers := newAsked(t, me, approval(domain.ApprovalOutcome, "SHOP.PAY"))
			r, err := answers.AnswerApproval(t.Context(), "ws", "apr", domain.Decision{Outcome: outcome, By: member})
			if (err == nil) != (want.code == "") || err != nil && domain.ErrorCode(err) != want.code {
				t.Fatalf("%+v, %v", r, err)
			}
			if want.code != "" {
				if len(a.changes) != 0 {
					t.Error("something was written")
				}
				return
			}
			c := a.changes[0]
			if r.Session.Phase != want.phase || r.Approval == nil || r.Approval.Status == domain.ApprovalStatusOpen || r.Approval.SettledBy != member.ID {
				t.Errorf("%s, approval %+v", r.Session.Phase, r.Approval)
			}
			if x := c.Executions[0]; x.ID != "a" || x.Status != want.status {
				t.Errorf("the execution %+v", x)
			}
			if m := c.Messages[0].System; m == nil || m.Type != domain.SystemExternalResult || m.CommandResults[0].Status != want.status {
				t.Errorf("the AI receives %+v", m)
			}
			asked := len(c.Approvals) == 2 && c.Approvals[1].Kind == domain.ApprovalActions && c.Approvals[1].Status == domain.ApprovalStatusOpen
			if again := len(c.Executions) == 2 && c.Executions[1].Status == domain.ExecPlanned && asked; again != (outcome == domain.OutcomeRunAgain) {
				t.Errorf("%d executions, %d approvals", len(c.Executions), len(c.Approvals))
			}
		})
	}
}

// TestTheSummaryOfRunAgainNamesWhatItWaitsFor: in a chat at rest, an approval; in a session at work, the AI
// requests the action first.
func TestTheSummaryOfRunAgainNamesWhatItWaitsFor(t *testing.T) {
	for phase, want := range map[domain.Phase]string{
		domain.Idle:                 "To be run again, once it is approved: SHOP.PAY",
		domain.CallingAI:            "To be run again, once the AI has requested it and it is approved: SHOP.PAY",
		domain.ExecutingDataQueries: "To be run again, once the AI has requested it and it is approved: SHOP.PAY",
	} {
		me := chat("me", phase, func(s *domain.Session) { s.HoldsSlot = true })
		a, answers := newAsked(t, me, approval(domain.ApprovalOutcome, "SHOP.PAY"))
		decision := domain.Decision{Outcome: domain.OutcomeRunAgain, By: member}
		if _, err := answers.AnswerApproval(t.Context(), "ws", "apr", decision); err != nil {
			t.Fatalf("%s: %v", phase, err)
		}
		if got := a.changes[0].Messages[0].System.CommandResults[0].Summary; got != want {
			t.Errorf("%s: the summary is %q, not %q", phase, got, want)
		}
	}
}

// Who comes later sees what was decided.
func TestAnOutcomeIsSettledOnce(t *testing.T) {
	a, answers := newAsked(t, chat("me", domain.Idle))
	a.latest = approval(domain.ApprovalOutcome, "SHOP.PAY")
	a.latest.Status = domain.ApprovalStatusApproved
	_, err := answers.AnswerApproval(t.Context(), "ws", "apr", domain.Decision{Outcome: domain.OutcomeDidNot, By: member})
	if domain.ErrorCode(err) != domain.CodeValidationResolved || len(a.changes) != 0 {
		t.Errorf("%v, %d changes", err, len(a.changes))
	}
}
