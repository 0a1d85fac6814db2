package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// waitFor begins a person's wait: its cancel message stands in the record already.
func (t *turn) waitFor(w domain.WaitingContext, cancel *domain.Message, a *domain.Approval) {
	a.Reasons = append([]domain.ApprovalReason(nil), a.Reasons...)
	a = t.openApproval(a)
	w.ApprovalID, w.At = a.ID, t.p.Now
	if cancel != nil {
		w.CancelMessageID, a.CancelMessageID = cancel.ID, cancel.ID
		t.cancel = cancel
	}
	t.s.State.Waiting = &w
}

// openApproval opens a question to a person.
func (t *turn) openApproval(a *domain.Approval) *domain.Approval {
	a.ID = t.newID(domain.PrefixApproval)
	a.WorkspaceID, a.SessionID, a.RoundID = t.s.WorkspaceID, t.s.ID, t.s.State.RoundID
	a.Status, a.CreatedAt = domain.ApprovalStatusOpen, t.p.Now
	a.OnExpiry = t.p.Settings.ApprovalOnExpiry
	a.ResponseSchema = responseSchema(a)
	if expiry := time.Duration(t.p.Settings.ApprovalExpiry); expiry > 0 {
		at := t.p.Now.Add(expiry)
		a.ExpiresAt = &at
	}
	t.open = append(t.open, a)
	t.c.Approvals = append(t.c.Approvals, a)
	t.emit(domain.LogEvent{Type: domain.LogApprovalRequested, Approval: a})
	return a
}

// settle closes the approval of the present wait, with the decision that the event
// brings. It does nothing when it was settled already (a parked session).
func (t *turn) settle(status domain.ApprovalStatus) {
	w := t.s.State.Waiting
	if w == nil || w.ApprovalID == "" {
		return
	}
	if t.expired && status == domain.ApprovalStatusRefused {
		status = domain.ApprovalStatusExpired
	}
	for _, a := range t.open {
		if a.ID == w.ApprovalID {
			t.settleOne(a, status)
		}
	}
}

// settleAll closes whatever is open; questions about unknown outcomes only when the
// session ends.
func (t *turn) settleAll(status domain.ApprovalStatus, outcomesToo bool) {
	for _, a := range append([]*domain.Approval(nil), t.open...) {
		if outcomesToo || a.Kind != domain.ApprovalOutcome {
			t.settleOne(a, status)
		}
	}
}

func (t *turn) settleOne(a *domain.Approval, status domain.ApprovalStatus) {
	if a.Status != domain.ApprovalStatusOpen {
		return
	}
	now := t.p.Now
	fresh := false
	for _, there := range t.c.Approvals {
		fresh = fresh || there == a
	}
	if fresh {
		// The event of its opening keeps the approval as it was then.
		own := *a
		t.replaceOpen(a, &own)
		a = &own
	}
	a.Status, a.SettledAt = status, &now
	a.SettledBy, a.Decision = t.decider()
	t.c.Approvals = append(t.c.Approvals, a)
	t.emit(domain.LogEvent{Type: domain.LogApprovalSettled, Approval: a})
}

func (t *turn) replaceOpen(old, own *domain.Approval) {
	for i := range t.open {
		if t.open[i] == old {
			t.open[i] = own
		}
	}
}

// decider is who settles an approval by this event, and the answer as it is kept.
func (t *turn) decider() (by string, recorded []byte) {
	if a, ok := domain.AnswerOf(t.event); ok {
		return a.Decision.By.ID, a.Recorded
	}
	switch e := t.event.(type) {
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
func keepAnswer(t *turn) {
	a, _ := domain.AnswerOf(t.event)
	by := a.Decision.By
	if e, ok := t.event.(domain.ValidationReceived); ok {
		t.keepEdits(e.Edited)
	}
	status := domain.ApprovalStatusRefused
	if domain.Accepts(t.event) {
		status = domain.ApprovalStatusApproved
	}
	t.settle(status)
	t.s.State.Waiting.Answer = &domain.WaitAnswer{
		Event: t.event.Name(), Decision: a.Decision, By: by.ID, ByName: by.Name, ByRole: by.Role, Text: a.Text,
	}
}

func (t *turn) keepEdits(edited []*domain.Execution) {
	t.takeEdits(edited)
	for _, x := range edited {
		if own := t.plannedByID(x.ID); own != nil {
			t.write(own)
		}
	}
}

// carryOutAnswer takes up the decision that was kept while the session was parked.
func (t *turn) carryOutAnswer() bool {
	w := t.s.State.Waiting
	if w == nil || w.Answer == nil || t.s.Phase.Question() == nil || !t.hasSlot() {
		return false
	}
	answer := w.Answer
	d := answer.Decision
	d.By, d.ApprovalID = domain.Author{ID: answer.By, Name: answer.ByName, Role: answer.ByRole}, ""
	e := t.s.Phase.Question().Again(answer.Event, domain.Answer{Decision: d, Text: answer.Text})
	if e == nil {
		return false
	}
	t.follow(e)
	w.Answer = nil
	return true
}

// Ends of a wait that nobody answered: the cancel message stays, what was planned is
// not run.

func supersede(t *turn) { t.dropWait(domain.ApprovalStatusSuperseded) }

func interruptWait(t *turn) { t.dropWait(domain.ApprovalStatusInterrupted) }

func evict(t *turn) {
	t.dropWait(domain.ApprovalStatusEvicted)
	leaveSlot(t)
}

func (t *turn) dropWait(status domain.ApprovalStatus) {
	t.settleAll(status, false)
	t.cancelPlanned("The wait for a person ended without an answer.")
	t.closeAnswer()
}

// decline: the answer is no. The cancel message says so to the AI already.
func decline(t *turn) {
	t.settle(domain.ApprovalStatusRefused)
	t.cancelPlanned("Not approved.")
	t.closeAnswer()
	t.s.State.ResultsGood = false // a no is a reason to do it otherwise
}

// storeComment keeps what the person wrote beside the decision.
func storeComment(t *turn) { t.personSaid(t.decision().Comment, t.decision().By, "") }

func thenActionResult(t *turn) { t.s.State.NextReason = domain.ReasonActionResult }

// Expiry.

// expiring is the open approval that the event is about.
func (t *turn) expiring() *domain.Approval {
	e, _ := t.event.(domain.ApprovalExpired)
	w := t.s.State.Waiting
	for _, a := range t.open {
		if w != nil && a.ID == w.ApprovalID && (e.ApprovalID == "" || e.ApprovalID == a.ID) && a.Status == domain.ApprovalStatusOpen {
			return a
		}
	}
	return nil
}

func denies(t *turn) bool {
	a := t.expiring()
	return a != nil && a.OnExpiry == "deny"
}

// answerNo answers in the place of the person who did not.
func answerNo(t *turn) {
	t.expired = true
	if q := t.s.Phase.Question(); q != nil {
		t.follow(q.No(domain.Answer{}))
	}
}

// The question to the person.

// askQuestion waits for the answer to a module.
func askQuestion(t *turn) {
	e := parsed(t)
	carried := map[string]bool{}
	for _, x := range e.Commands.Refused {
		carried[x.CallID] = true
	}
	call := t.questionCall(carried)
	pending := t.pending()
	results := pending.Results
	if call != "" {
		results = append([]domain.CommandResult{{
			CallID: call, Command: callAskUser, Status: domain.ExecCancelled, Text: "The person did not answer.",
		}}, results...)
	}
	text := "The question was not answered."
	if pending.Guidance != "" {
		text += " " + pending.Guidance
	}
	cancel := t.system(domain.SystemCommunicationCancelled, text, results, "")
	t.waitFor(domain.WaitingContext{
		Kind: domain.WaitCommunication, Module: e.Answer.Module, CallID: call, MessageID: t.s.State.AnswerID,
	}, cancel, &domain.Approval{
		Kind: domain.ApprovalQuestion, Module: e.Answer.Module, ResponseSchema: e.ResponseSchema,
	})
}

// storeResponse stores the person's answer in the place of the cancel message.
func storeResponse(t *turn) {
	e := t.event.(domain.CommunicationResponseReceived)
	call := t.s.State.Waiting.CallID
	t.settle(domain.ApprovalStatusApproved)
	t.removeCancelMessage()
	t.tellPending("Not all of the answer could be used.")
	t.closeAnswer()
	m := &domain.Message{Sender: domain.SenderUser, Text: e.Text, AnswersCall: call}
	m.SetBy(e.Decision.By)
	t.place(m)
	t.heardFromUser(e.Decision.By)
	t.s.State.NextReason = domain.RoundtripReason(domain.CauseUserMessage)
}

// askOutcome asks a person what became of an action whose reply was lost.
func (t *turn) askOutcome(x *domain.Execution) {
	t.openApproval(&domain.Approval{
		Kind: domain.ApprovalOutcome, Text: t.say("The reply to %s was lost. Did it happen?", "La réponse à %s s’est perdue. Est-ce que cela a eu lieu ?", x.Command),
		Actions: []domain.ApprovalAction{{ID: x.ID, Command: x.Command, Params: x.Params, Text: x.Command, Digest: x.Digest}},
	})
}
