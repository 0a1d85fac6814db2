package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// demands are the reasons to ask a person that count for this session.
func demands(s *step) []domain.ApprovalReason {
	c := commandsToPlan(s)
	return approving(s).Reasons(withOutside(s, c.Reasons), c.Actions)
}

func approving(s *step) domain.Approving { return s.session.Approving(&s.policy.Settings) }

// verdict is the decision about the event's actions, if there are any that would run.
func verdict(s *step) domain.Verdict {
	for _, x := range commandsToPlan(s).Actions {
		if x.Status == domain.ExecFailed {
			break // what comes after it is cancelled
		}
		if !x.Status.Final() {
			return approving(s).Verdict(demands(s))
		}
	}
	return domain.VerdictRun
}

// needsPerson: a person approves what would run.
func needsPerson(s *step) bool { return verdict(s) == domain.VerdictAsk }

func validationRefused(s *step) bool { return verdict(s) == domain.VerdictRefuse }

// refuseActions refuses an automation all its actions.
func refuseActions(s *step) {
	s.next = nil
	s.cancelPlanned(domain.Say("This needs a person's yes, and automations are refused it here.",
		"Il faut l’accord d’une personne, et ici il est refusé aux automatisations."))
	text := "The actions were not run: they need a person's yes, and automations are refused it here. Do without, or say that it is completed."
	if g := s.pending().Guidance; g != "" {
		text += "\n" + g
	}
	s.system(domain.SystemGuidance, text, seriesResults(s, domain.KindAction, nil), "")
	s.session.State.PendingCompleted = false
	s.session.State.NextReason, s.session.State.ResultsGood = domain.ReasonActionResult, false
	s.closeAnswer()
}

// askValidation waits for a person's approval. The message for the AI in case it is not given is stored
// first, with a result for each action.
func askValidation(s *step) {
	c := commandsToPlan(s)
	cancel := storeCancelled(s)
	s.waitFor(domain.WaitingContext{Kind: domain.WaitValidation, MessageID: s.session.State.AnswerID}, cancel, &domain.Approval{
		Kind: domain.ApprovalActions, Reasons: demands(s), Actions: cards(c),
	})
	bindApproval(s)
}

// bindApproval writes on each action the approval it waits for.
func bindApproval(s *step) {
	for _, x := range s.planned {
		if x.Kind == domain.KindAction && !x.Status.Final() {
			x.Status, x.ApprovalID = domain.ExecPlanned, s.session.State.Waiting.ApprovalID
			s.write(x)
		}
	}
}

func storeCancelled(s *step) *domain.Message {
	var results []domain.CommandResult
	reported := s.pending().Reported
	for _, x := range s.planned {
		if x.Kind != domain.KindAction || slices.Contains(reported, x.CallID) {
			continue
		}
		r := domain.ResultOf(x, s.language())
		if !x.Status.Final() {
			r.Status, r.Text = domain.ExecCancelled, "Not run: a person had to approve it, and did not."
		}
		results = append(results, r)
	}
	results = append(results, s.pending().Results...)
	text := "The actions were not run: a person had to approve them, and did not."
	if g := s.pending().Guidance; g != "" {
		text += " " + g
	}
	return s.system(domain.SystemValidationCancelled, text, results, "")
}

// approve carries out an approval: what was approved runs as it was shown, the rest is cancelled, which is
// no failure.
func approve(s *step) {
	e := s.event.(domain.ValidationReceived)
	s.settle(domain.ApprovalStatusApproved)
	s.removeCancelMessage()
	takeEdits(s, e.Edited)
	for _, x := range s.planned {
		if x.Kind != domain.KindAction || x.Status != domain.ExecPlanned {
			continue
		}
		if len(e.Decision.ApprovedIDs) > 0 && !slices.Contains(e.Decision.ApprovedIDs, x.ID) {
			s.cancelOne(x, "Not approved.")
			continue
		}
		x.Status = domain.ExecApproved
		s.write(x)
	}
	if e.Decision.Comment != "" {
		pending := s.pending()
		by := e.Decision.By
		pending.Comment, pending.By, pending.ByName, pending.ByRole = e.Decision.Comment, by.ID, by.Name, by.Role
		s.session.State.Pending = &pending
	}
	if !s.anyToRun(domain.KindAction) {
		s.follow(domain.ActionsExecuted{})
	}
}

// takeEdits puts in the params that the person changed.
func takeEdits(s *step, edited []*domain.Execution) {
	for _, given := range edited {
		if x := s.plannedByID(given.ID); x != nil && !x.Status.Final() {
			x.Params, x.Digest, x.CommandID = given.Params, given.Digest, given.CommandID
			x.GrantID = "" // the person approved their own version
		}
	}
}

// askAgain shows the present values: a record changed since the person saw it.
func askAgain(s *step) {
	c := commandsToPlan(s)
	reasons := withOutside(s, reasonsAgain(s, c.Reasons))
	s.settleAll(domain.ApprovalStatusStale, false)
	for _, given := range c.Actions {
		if x := s.plannedByID(given.ID); x != nil && !x.Status.Final() {
			x.Params, x.Digest, x.CommandID, x.Status = given.Params, given.Digest, given.CommandID, domain.ExecPlanned
			x.GrantID = given.GrantID
		}
	}
	w := domain.WaitingContext{Kind: domain.WaitValidation, MessageID: s.session.State.AnswerID}
	cancel := s.cancel
	if old := s.session.State.Waiting; old != nil && old.CancelMessageID != "" {
		w.CancelMessageID = old.CancelMessageID
	} else {
		cancel = storeCancelled(s)
	}
	a := &domain.Approval{
		Kind:            domain.ApprovalActions,
		Reasons:         reasons,
		Actions:         cards(c),
		CancelMessageID: w.CancelMessageID,
	}
	s.waitFor(w, cancel, a)
	bindApproval(s)
}

// reasonsAgain are the reasons of the earlier approval, and the new ones.
func reasonsAgain(s *step, now []domain.ApprovalReason) []domain.ApprovalReason {
	var reasons []domain.ApprovalReason
	for _, a := range s.open {
		if a.Kind == domain.ApprovalActions {
			reasons = append(reasons, a.Reasons...)
		}
	}
	for i := range now {
		if now[i].Level != domain.LevelOutside || !fromOutside(reasons) {
			reasons = domain.WithReason(reasons, &now[i])
		}
	}
	return reasons
}
