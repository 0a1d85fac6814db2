package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// closureDelay is how long a client still shows an automation's last state.
const closureDelay = 5 * time.Second

func closeLimitReached(t *turn) { t.close(domain.EndLimitReached) }
func closeError(t *turn)        { t.close(domain.EndError) }
func closeTimeout(t *turn)      { t.close(domain.EndTimeout) }

// close begins the closure with the reason that will be the session's.
func (t *turn) close(reason domain.EndReason) {
	t.s.State.Waiting = &domain.WaitingContext{Kind: domain.WaitClosure, Reason: reason, At: t.p.Now.Add(closureDelay)}
}

func endCompleted(t *turn)    { t.end(domain.EndCompleted) }
func endLimitReached(t *turn) { t.end(domain.EndLimitReached) }
func endError(t *turn)        { t.end(domain.EndError) }
func endTimeout(t *turn)      { t.end(domain.EndTimeout) }
func endCancelled(t *turn)    { t.end(domain.EndCancelled) }

func endAsClosed(t *turn) {
	reason := domain.EndCompleted
	if w := t.s.State.Waiting; w != nil && w.Kind == domain.WaitClosure && w.Reason != "" {
		reason = w.Reason
	}
	t.end(reason)
}

// end closes all that is open: nothing asks anybody about an ended session.
func (t *turn) end(reason domain.EndReason) {
	t.settleAll(domain.ApprovalStatusStopped, true)
	t.closeAnswer()
	if t.s.Type == domain.Run {
		t.feedback()
	}
	t.s.EndReason = reason
	t.s.HoldsSlot = false
	t.s.State.Suspended, t.s.State.Poisoned, t.s.State.Suspicion = false, false, domain.Suspicion{}
	t.s.State.PendingCause = ""
	t.next = nil
	t.ended = true
	t.because(string(reason))
}

// feedback closes a run's record with what it took: the time in the queue, before it
// began, was not the run's.
func (t *turn) feedback() {
	begun := t.s.State.BegunAt
	if begun.IsZero() {
		begun = t.p.Now
	}
	t.place(&domain.Message{
		Sender: domain.SenderSystem, ExcludeFromPrompt: true,
		Run: &domain.ExecutionMetadata{
			AutomationID: t.s.AutomationID, Trigger: t.s.Trigger, ScheduledAt: t.s.ScheduledExecutionTime,
			DurationMS: t.p.Now.Sub(begun).Milliseconds(), Tokens: t.s.Usage.Total(), Cost: t.s.Usage.Cost,
		},
	})
}

// cutAnswer ends the answer that is being carried out, so that the record can be
// sent again: every call of it gets its one result.
func cutAnswer(t *turn) {
	switch t.s.Phase {
	case domain.ExecutingDataQueries:
		t.storeCut(domain.KindQuery, domain.SystemDataAdded)
	case domain.ExecutingActions:
		t.storeCut(domain.KindAction, domain.SystemActionsExecuted)
	case domain.WaitingCompletionConfirmation:
		t.tellPending("Stopped before it was confirmed.")
	default:
		t.cancelPlanned("The round was cut before it ran.")
	}
	t.closeAnswer()
}

func (t *turn) storeCut(kind domain.CommandKind, message domain.SystemType) {
	pending := t.pending()
	pending.Results = append(append([]domain.CommandResult(nil), pending.Results...), pending.Actions...)
	t.s.State.Pending = &pending
	running := map[string]bool{}
	for _, x := range t.planned {
		if x.Kind == domain.KindAction && x.Status == domain.ExecStarted {
			running[x.ID] = true
			x.Status = domain.ExecUnknown // in the record only; its own outcome is stored later
		}
	}
	t.cancelPlanned("The round was cut before it ran.")
	results := t.results(kind, nil)
	for i := range results {
		if running[results[i].ExecutionID] {
			results[i].Text = "It was running when the round was cut."
		}
	}
	if len(results) > 0 {
		t.system(message, counted(results), results, withUnformatted("", results, nil))
	}
}

// keepPartialText keeps the part of an answer that a person cut.
func keepPartialText(t *turn) {
	e := t.event.(domain.InterruptRequested)
	if e.PartialText == "" {
		return
	}
	t.place(&domain.Message{
		ID: e.MessageID, Sender: domain.SenderAI, Status: domain.MessageInterrupted,
		AI:  &domain.AIMessage{PreText: e.PartialText},
		Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: e.PartialText},
	})
}

// Confirming that an automation is done.

// askConfirmation waits for the timer, or for a person where that is set.
func askConfirmation(t *turn) {
	w := domain.WaitingContext{Kind: domain.WaitCompletionConfirmation, MessageID: t.s.State.AnswerID}
	t.s.State.PendingCompleted = false
	if t.s.State.AskCompletion {
		t.waitFor(w, nil, &domain.Approval{Kind: domain.ApprovalCompletion, Text: t.say("The automation says that it is done. Is it?", "L’automatisation dit avoir terminé. Est-ce le cas ?")})
		return
	}
	w.At = t.p.Now.Add(time.Duration(t.p.Settings.CompletionConfirmationDelay))
	t.s.State.Waiting = &w
}

func acceptCompletion(t *turn) { t.settle(domain.ApprovalStatusApproved) }

// rejectCompletion sends the automation on with the person's words.
func rejectCompletion(t *turn) {
	t.settle(domain.ApprovalStatusRefused)
	pending := t.pending()
	t.system(domain.SystemGuidance, "A person says that the task is not done yet. Go on.", pending.Results, "")
	t.closeAnswer()
	t.s.State.NextReason, t.s.State.ResultsGood = domain.RoundtripReason(domain.CauseUserMessage), false
}

// reopen brings a stopped chat back.
func reopen(t *turn) {
	t.s.EndReason = ""
	t.s.State.Suspicion = domain.Suspicion{}
}
