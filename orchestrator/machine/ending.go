package machine

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// closureDelay is how long a client still shows an automation's last state.
const closureDelay = 5 * time.Second

func closeLimitReached(s *step) { beginClosure(s, domain.EndLimitReached) }
func closeError(s *step)        { beginClosure(s, domain.EndError) }
func closeTimeout(s *step)      { beginClosure(s, domain.EndTimeout) }

// beginClosure begins the closure with the reason that will be the session's.
func beginClosure(s *step, reason domain.EndReason) {
	s.session.State.Waiting = &domain.WaitingContext{Kind: domain.WaitClosure, Reason: reason, At: s.policy.Now.Add(closureDelay)}
}

func endCompleted(s *step)    { endFor(s, domain.EndCompleted) }
func endLimitReached(s *step) { endFor(s, domain.EndLimitReached) }
func endError(s *step)        { endFor(s, domain.EndError) }
func endTimeout(s *step)      { endFor(s, domain.EndTimeout) }
func endCancelled(s *step)    { endFor(s, domain.EndCancelled) }

func endAsClosed(s *step) {
	reason := domain.EndCompleted
	if w := s.session.State.Waiting; w != nil && w.Kind == domain.WaitClosure && w.Reason != "" {
		reason = w.Reason
	}
	endFor(s, reason)
}

// endFor closes all that is open: nothing asks anybody about an ended session.
func endFor(s *step, reason domain.EndReason) {
	s.settleAll(domain.ApprovalStatusStopped, true)
	s.closeAnswer()
	if s.session.Type == domain.Run {
		storeFeedback(s)
	}
	s.session.EndReason = reason
	s.session.HoldsSlot = false
	s.session.State.Suspended, s.session.State.Poisoned, s.session.State.Suspicion = false, false, domain.Suspicion{}
	s.session.State.PendingCause, s.session.State.Again = "", nil
	s.next = nil
	s.ended = true
	s.because(string(reason))
}

// storeFeedback closes a run's record with its cost: the time in the queue, before it began, does not
// count.
func storeFeedback(s *step) {
	begun := s.session.State.BegunAt
	if begun.IsZero() {
		begun = s.policy.Now
	}
	s.place(&domain.Message{
		Sender: domain.SenderSystem, ExcludeFromPrompt: true,
		Run: &domain.ExecutionMetadata{
			AutomationID: s.session.AutomationID, Trigger: s.session.Trigger, ScheduledAt: s.session.ScheduledExecutionTime,
			DurationMS: s.policy.Now.Sub(begun).Milliseconds(), Tokens: s.session.Usage.Total(), Cost: s.session.Usage.Cost,
		},
	})
}

// cutAnswer ends the answer that is being carried out, so that the record can be
// sent again: every call of it gets its one result.
func cutAnswer(s *step) {
	switch s.session.Phase {
	case domain.ExecutingDataQueries:
		storeCut(s, domain.KindQuery, domain.SystemDataAdded)
	case domain.ExecutingActions:
		storeCut(s, domain.KindAction, domain.SystemActionsExecuted)
	case domain.WaitingCompletionConfirmation:
		guidePending(s, "Stopped before it was confirmed.")
	default:
		leaveAsked(s)
		s.cancelPlanned(domain.Say("The round was cut before it ran.", "Interrompu avant l’exécution."))
	}
	s.closeAnswer()
}

func storeCut(s *step, kind domain.CommandKind, message domain.SystemType) {
	pending := s.pending()
	pending.Results = append(append([]domain.CommandResult(nil), pending.Results...), pending.Actions...)
	s.session.State.Pending = &pending
	for _, x := range s.planned {
		if x.Kind == domain.KindAction && x.Status == domain.ExecStarted {
			leaveRunning(s, x)
		}
	}
	s.cancelPlanned(domain.Say("The round was cut before it ran.", "Interrompu avant l’exécution."))
	results := seriesResults(s, kind, nil)
	if len(results) > 0 {
		data := ""
		if kind == domain.KindQuery {
			data = withUnformatted("", results, nil)
		}
		s.system(message, domain.Counted(results).EN, results, data)
	}
}

// leaveRunning: the action runs on outside, and this step does not wait for it. Its outcome is reported
// later, by its process, its server, or a person.
func leaveRunning(s *step, x *domain.Execution) {
	x.Status, x.EndedAt, x.Text = domain.ExecUnknown, new(s.policy.Now), "It was running when the round was cut."
	s.write(x)
	s.commandEvent(domain.LogCommandEnded, x)
	if s.event.Name() != "StopRequested" {
		askOutcome(s, x)
	}
}

// keepPartialText keeps the part of an answer that a person cut.
func keepPartialText(s *step) {
	e := s.event.(domain.InterruptRequested)
	if e.PartialText == "" {
		return
	}
	noteDescribed(s, s.policy.Estimate.Described)
	s.place(&domain.Message{
		ID: e.MessageID, Sender: domain.SenderAI, Status: domain.MessageInterrupted,
		AI:  &domain.AIMessage{PreText: e.PartialText},
		Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: e.PartialText},
	})
}

// keepPart keeps the partial answer of a failed call: the person has read it, and continues from there
// with the next message.
func keepPart(s *step, part *domain.PartialAnswer) {
	if part == nil || !chat(s) {
		return
	}
	s.place(&domain.Message{
		ID: part.MessageID, Sender: domain.SenderAI, Status: domain.MessageInterrupted,
		AI:  &domain.AIMessage{PreText: part.Text, StopReason: part.StopReason},
		Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: part.Text, StopReason: part.StopReason},
	})
}

// Confirming that an automation is done.

// askConfirmation waits for the timer, or for a person if configured. What was dropped of the answer is
// stored first: nothing else would report it.
func askConfirmation(s *step) {
	if s.pending().Guidance != "" {
		guidePending(s, "")
	}
	w := domain.WaitingContext{Kind: domain.WaitCompletionConfirmation, MessageID: s.session.State.AnswerID}
	s.session.State.PendingCompleted = false
	if s.session.State.AskCompletion {
		asked := &domain.Approval{Kind: domain.ApprovalCompletion}
		s.waitFor(w, nil, asked.Ask(
			domain.Say("The automation says that it is done. Is it?", "L’automatisation dit avoir terminé. Est-ce le cas ?"), s.language()))
		return
	}
	w.At = s.policy.Now.Add(time.Duration(s.policy.Settings.CompletionConfirmationDelay))
	s.session.State.Waiting = &w
}

func acceptCompletion(s *step) { s.settle(domain.ApprovalStatusApproved) }

// rejectCompletion sends the automation on with the person's words.
func rejectCompletion(s *step) {
	s.settle(domain.ApprovalStatusRefused)
	pending := s.pending()
	s.system(domain.SystemGuidance, "A person says that the task is not done yet. Go on.", pending.Results, "")
	s.closeAnswer()
	s.session.State.NextReason, s.session.State.ResultsGood = domain.RoundtripReason(domain.CauseUserMessage), false
}

// reopen resumes a stopped chat.
func reopen(s *step) {
	s.session.EndReason = ""
	s.session.State.Suspicion = domain.Suspicion{}
}
