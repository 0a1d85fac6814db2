package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// waitFor begins a person's wait: its cancel message is in the record already.
func (s *step) waitFor(w domain.WaitingContext, cancel *domain.Message, a *domain.Approval) {
	a.Reasons = append([]domain.ApprovalReason(nil), a.Reasons...)
	a = s.openApproval(a)
	w.ApprovalID, w.At = a.ID, s.policy.Now
	if cancel != nil {
		w.CancelMessageID, a.CancelMessageID = cancel.ID, cancel.ID
		s.cancel = cancel
	}
	s.session.State.Waiting = &w
}

// openApproval opens a question to a person.
func (s *step) openApproval(a *domain.Approval) *domain.Approval {
	a.ID = s.newID(domain.PrefixApproval)
	a.WorkspaceID, a.SessionID, a.RoundID = s.session.WorkspaceID, s.session.ID, s.session.State.RoundID
	a.Status, a.CreatedAt = domain.ApprovalStatusOpen, s.policy.Now
	a.OnExpiry = s.policy.Settings.ApprovalOnExpiry
	a.ResponseSchema = responseSchema(a)
	if run := s.session.State.Agent; run != nil && a.Text == "" {
		a.Ask(domain.Say("The agent %s asks for this.", "L’agent %s le demande.", run.Name), s.language())
	}
	if expiry := time.Duration(s.policy.Settings.ApprovalExpiry); expiry > 0 {
		at := s.policy.Now.Add(expiry)
		a.ExpiresAt = &at
	}
	s.open = append(s.open, a)
	s.change.Approvals = append(s.change.Approvals, a)
	s.emit(domain.LogEvent{Type: domain.LogApprovalRequested, Approval: a})
	return a
}

// settle closes the approval of the current wait, with the event's decision. It does nothing when it was
// settled already (a parked session).
func (s *step) settle(status domain.ApprovalStatus) {
	w := s.session.State.Waiting
	if w == nil || w.ApprovalID == "" {
		return
	}
	if s.expired && status == domain.ApprovalStatusRefused {
		status = domain.ApprovalStatusExpired
	}
	for _, a := range s.open {
		if a.ID == w.ApprovalID {
			s.settleOne(a, status)
		}
	}
}

// settleAll closes every open approval; questions about unknown outcomes, and those of running tasks, only
// when the session ends.
func (s *step) settleAll(status domain.ApprovalStatus, whenItEnds bool) {
	for _, a := range append([]*domain.Approval(nil), s.open...) {
		if whenItEnds || a.Kind != domain.ApprovalOutcome && !ofTask(s, a) {
			s.settleOne(a, status)
		}
	}
}

func (s *step) settleOne(a *domain.Approval, status domain.ApprovalStatus) {
	if a.Status != domain.ApprovalStatusOpen {
		return
	}
	now := s.policy.Now
	fresh := false
	for _, there := range s.change.Approvals {
		fresh = fresh || there == a
	}
	if fresh {
		// The event of its opening keeps the approval as it was then.
		own := *a
		replaceOpen(s, a, &own)
		a = &own
	}
	a.Status, a.SettledAt = status, &now
	a.SettledBy, a.Decision = decider(s)
	if answer, ok := domain.AnswerOf(s.event); ok {
		a.Evidence = answer.Evidence
	}
	s.change.Approvals = append(s.change.Approvals, a)
	s.emit(domain.LogEvent{Type: domain.LogApprovalSettled, Approval: a})
}

func replaceOpen(s *step, old, own *domain.Approval) {
	for i := range s.open {
		if s.open[i] == old {
			s.open[i] = own
		}
	}
}

// decider is who settles an approval by this event, and the answer as it is kept.
func decider(s *step) (by string, recorded []byte) {
	if a, ok := domain.AnswerOf(s.event); ok {
		return a.Decision.By.ID, a.Recorded
	}
	switch e := s.event.(type) {
	case domain.ExternalResultReceived:
		if e.Answer != nil {
			return e.Answer.Decision.By.ID, e.Answer.Recorded
		}
	case domain.StopRequested:
		return e.By, nil
	case domain.InterruptRequested:
		return e.By, nil
	case domain.UserMessageSent:
		return e.Message.SenderID, nil
	}
	return "", nil
}

// keepAnswer settles the approval of a parked session and keeps the decision until
// the slot is granted.
func keepAnswer(s *step) {
	a, _ := domain.AnswerOf(s.event)
	by := a.Decision.By
	if e, ok := s.event.(domain.ValidationReceived); ok {
		keepEdits(s, e.Edited)
	}
	status := domain.ApprovalStatusRefused
	if domain.Approves(s.event) {
		status = domain.ApprovalStatusApproved
	}
	s.settle(status)
	s.session.State.Waiting.Answer = &domain.WaitAnswer{
		Event: s.event.Name(), Decision: a.Decision, By: by.ID, ByName: by.Name, ByRole: by.Role, Text: a.Text,
	}
}

func keepEdits(s *step, edited []*domain.Execution) {
	takeEdits(s, edited)
	for _, x := range edited {
		if own := s.plannedByID(x.ID); own != nil {
			s.write(own)
		}
	}
}

// carryOutAnswer takes up the decision that was kept while the session was parked.
func carryOutAnswer(s *step) bool {
	w := s.session.State.Waiting
	if w == nil || w.Answer == nil || s.session.Phase.Question() == nil || !withSlot(s) {
		return false
	}
	answer := w.Answer
	d := answer.Decision
	d.By, d.ApprovalID = domain.Author{ID: answer.By, Name: answer.ByName, Role: answer.ByRole}, ""
	e := s.session.Phase.Question().Again(answer.Event, domain.Answer{Decision: d, Text: answer.Text})
	if e == nil {
		return false
	}
	s.follow(e)
	w.Answer = nil
	return true
}

// Ends of a wait without an answer: the cancel message stays, the planned actions do not run.

func supersede(s *step) { dropWait(s, domain.ApprovalStatusSuperseded) }

func interruptWait(s *step) { dropWait(s, domain.ApprovalStatusInterrupted) }

func evict(s *step) {
	dropWait(s, domain.ApprovalStatusEvicted)
	leaveSlot(s)
}

func dropWait(s *step, status domain.ApprovalStatus) {
	s.settleAll(status, false)
	leaveAsked(s)
	s.cancelPlanned(domain.Say("The wait for a person ended without an answer.", "L’attente a pris fin sans réponse."))
	s.closeAnswer()
}

// decline: the answer is a refusal. The cancel message informs the AI already.
func decline(s *step) {
	s.settle(domain.ApprovalStatusRefused)
	s.cancelPlanned(domain.Say("Not approved.", "Non approuvé."))
	s.closeAnswer()
	s.session.State.ResultsGood = false // a no is a reason to do it otherwise
}

// storeComment keeps what the person wrote beside the decision.
func storeComment(s *step) { s.personSaid(s.decision().Comment, s.decision().By, "") }

func reasonActionResult(s *step) { s.session.State.NextReason = domain.ReasonActionResult }

// Expiry.

// expiring is the open approval that the event is about.
func expiring(s *step) *domain.Approval {
	e, _ := s.event.(domain.ApprovalExpired)
	w := s.session.State.Waiting
	for _, a := range s.open {
		if w != nil && a.ID == w.ApprovalID && (e.ApprovalID == "" || e.ApprovalID == a.ID) && a.Status == domain.ApprovalStatusOpen {
			return a
		}
	}
	return nil
}

func denies(s *step) bool {
	a := expiring(s)
	return a != nil && a.OnExpiry == "deny"
}

// answerNo answers in the place of the person who did not.
func answerNo(s *step) {
	s.expired = true
	if q := s.session.Phase.Question(); q != nil {
		s.follow(q.No(domain.Answer{}))
	}
}

// The question to the person.

// askQuestion waits for the answer to a module.
func askQuestion(s *step) {
	e := parsed(s)
	carried := map[string]bool{}
	for _, x := range e.Commands.Refused {
		carried[x.CallID] = true
	}
	call := questionCall(s, carried)
	pending := s.pending()
	results := pending.Results
	if call != "" {
		results = append([]domain.CommandResult{{
			CallID: call, Command: domain.AskUser, Status: domain.ExecCancelled, Text: "The person did not answer.",
		}}, results...)
	}
	text := "The question was not answered."
	if pending.Guidance != "" {
		text += " " + pending.Guidance
	}
	cancel := s.system(domain.SystemCommunicationCancelled, text, results, "")
	s.waitFor(domain.WaitingContext{
		Kind: domain.WaitCommunication, Module: e.Answer.Module, CallID: call, MessageID: s.session.State.AnswerID,
	}, cancel, &domain.Approval{
		Kind: domain.ApprovalQuestion, Module: e.Answer.Module, ResponseSchema: e.ResponseSchema,
	})
}

// storeResponse stores the person's answer in the place of the cancel message.
func storeResponse(s *step) {
	e := s.event.(domain.CommunicationResponseReceived)
	call := s.session.State.Waiting.CallID
	s.settle(domain.ApprovalStatusApproved)
	s.removeCancelMessage()
	guidePending(s, "Not all of the answer could be used.")
	s.closeAnswer()
	m := &domain.Message{Sender: domain.SenderUser, Text: e.Text, AnswersCall: call}
	m.SetBy(e.Decision.By)
	s.place(m)
	onUserMessage(s, e.Decision.By)
	s.session.State.NextReason = domain.RoundtripReason(domain.CauseUserMessage)
}
