package machine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// demands are the reasons to ask a person that count for this session. An automation
// may not ask by itself, and its policy may allow what the configuration demands.
func (t *turn) demands() []domain.ApprovalReason {
	c := t.commandsToPlan()
	if chat(t) {
		return c.Reasons
	}
	allowed := t.validation() == "allow" && !slices.ContainsFunc(c.Actions, neverAllowed)
	var list []domain.ApprovalReason
	for _, r := range c.Reasons {
		if r.Level != domain.LevelAI && !allowed {
			list = append(list, r)
		}
	}
	return list
}

// validation is the policy for what needs a yes: the automation's own, else the
// workspace's.
func (t *turn) validation() string {
	return t.s.ValidationPolicy(&t.p.Settings)
}

// neverAllowed: no policy covers changes of the context texts and forced deletions.
func neverAllowed(x *domain.Execution) bool {
	if x.GrantID != "" {
		return false // a person said yes to this very thing
	}
	if strings.HasPrefix(x.Command, "CONTEXT_") {
		return true
	}
	var params struct {
		Force bool `json:"force"`
	}
	return strings.HasPrefix(x.Command, "DELETE_") && json.Unmarshal(x.Params, &params) == nil && params.Force
}

// needsPerson: a yes is needed, and there is something that would run with it.
func needsPerson(t *turn) bool {
	c := t.commandsToPlan()
	for _, x := range c.Actions {
		if x.Status == domain.ExecFailed {
			break // what comes after it is cancelled
		}
		if !x.Status.Final() {
			return len(t.demands()) > 0
		}
	}
	return false
}

func validationRefused(t *turn) bool {
	return notChat(t) && t.validation() == "refuse" && needsPerson(t)
}

// refuseActions tells an automation no, for all its actions.
func refuseActions(t *turn) {
	t.next = nil
	t.cancelPlanned("This needs a person's yes, and automations are refused it here.")
	text := "The actions were not run: they need a person's yes, and automations are refused it here. Do without, or say that it is completed."
	if g := t.pending().Guidance; g != "" {
		text += "\n" + g
	}
	t.system(domain.SystemGuidance, text, t.results(domain.KindAction, nil), "")
	t.s.State.PendingCompleted = false
	t.s.State.NextReason, t.s.State.ResultsGood = domain.ReasonActionResult, false
	t.closeAnswer()
}

// askValidation waits for a person's yes. What the AI is told if it never comes is
// stored first, with a result for each action.
func askValidation(t *turn) {
	c := t.commandsToPlan()
	cancel := t.storeCancelled()
	t.waitFor(domain.WaitingContext{Kind: domain.WaitValidation, MessageID: t.s.State.AnswerID}, cancel, &domain.Approval{
		Kind: domain.ApprovalActions, Reasons: t.demands(), Actions: slices.Clone(c.Cards),
	})
	t.bindApproval()
}

// bindApproval writes on each action the approval it waits for.
func (t *turn) bindApproval() {
	for _, x := range t.planned {
		if x.Kind == domain.KindAction && !x.Status.Final() {
			x.Status, x.ApprovalID = domain.ExecPlanned, t.s.State.Waiting.ApprovalID
			t.write(x)
		}
	}
}

func (t *turn) storeCancelled() *domain.Message {
	var results []domain.CommandResult
	told := t.pending().Told
	for _, x := range t.planned {
		if x.Kind != domain.KindAction || slices.Contains(told, x.CallID) {
			continue
		}
		r := domain.ResultOf(x, "")
		if !x.Status.Final() {
			r.Status, r.Text = domain.ExecCancelled, "Not run: a person had to approve it, and did not."
		}
		results = append(results, r)
	}
	results = append(results, t.pending().Results...)
	text := "The actions were not run: a person had to approve them, and did not."
	if g := t.pending().Guidance; g != "" {
		text += " " + g
	}
	return t.system(domain.SystemValidationCancelled, text, results, "")
}

// approve carries a yes out: what was approved runs as it was shown, the rest is
// cancelled, which is no failure.
func approve(t *turn) {
	e := t.event.(domain.ValidationReceived)
	t.settle(domain.ApprovalStatusApproved)
	t.removeCancelMessage()
	t.takeEdits(e.Edited)
	for _, x := range t.planned {
		if x.Kind != domain.KindAction || x.Status != domain.ExecPlanned {
			continue
		}
		if len(e.Decision.ApprovedIDs) > 0 && !slices.Contains(e.Decision.ApprovedIDs, x.ID) {
			t.cancelOne(x, "Not approved.")
			continue
		}
		x.Status = domain.ExecApproved
		t.write(x)
	}
	if e.Decision.Comment != "" {
		pending := t.pending()
		by := e.Decision.By
		pending.Comment, pending.By, pending.ByName, pending.ByRole = e.Decision.Comment, by.ID, by.Name, by.Role
		t.s.State.Pending = &pending
	}
	if !t.anyToRun(domain.KindAction) {
		t.follow(domain.ActionsExecuted{})
	}
}

// takeEdits puts in the params that the person changed.
func (t *turn) takeEdits(edited []*domain.Execution) {
	for _, given := range edited {
		if x := t.plannedByID(given.ID); x != nil && !x.Status.Final() {
			x.Params, x.Digest, x.CommandID = given.Params, given.Digest, given.CommandID
			x.GrantID = "" // the person said yes to their own version
		}
	}
}

// askAgain shows the present values: a record changed since the person saw it.
func askAgain(t *turn) {
	c := t.commandsToPlan()
	reasons := t.reasonsAgain(c.Reasons)
	t.settleAll(domain.ApprovalStatusStale, false)
	for _, given := range c.Actions {
		if x := t.plannedByID(given.ID); x != nil && !x.Status.Final() {
			x.Params, x.Digest, x.CommandID, x.Status = given.Params, given.Digest, given.CommandID, domain.ExecPlanned
			x.GrantID = given.GrantID
		}
	}
	w := domain.WaitingContext{Kind: domain.WaitValidation, MessageID: t.s.State.AnswerID}
	cancel := t.cancel
	if old := t.s.State.Waiting; old != nil && old.CancelMessageID != "" {
		w.CancelMessageID = old.CancelMessageID
	} else {
		cancel = t.storeCancelled()
	}
	a := &domain.Approval{Kind: domain.ApprovalActions, Reasons: reasons, Actions: slices.Clone(c.Cards), CancelMessageID: w.CancelMessageID}
	t.waitFor(w, cancel, a)
	t.bindApproval()
}

// reasonsAgain are those for which a person was asked, and what has come to them.
func (t *turn) reasonsAgain(now []domain.ApprovalReason) []domain.ApprovalReason {
	var reasons []domain.ApprovalReason
	for _, a := range t.open {
		if a.Kind == domain.ApprovalActions {
			reasons = append(reasons, a.Reasons...)
		}
	}
	for _, r := range now {
		if !slices.Contains(reasons, r) {
			reasons = append(reasons, r)
		}
	}
	return reasons
}
