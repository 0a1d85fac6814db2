package machine

import "github.com/fermata-dev/fermata/domain"

// A call of the AI that is under way needs no slot. A session that loses the slot meanwhile keeps its call: what would
// be thrown away was paid for. The slot is needed again to act on the answer.

// callUnderWay reports whether the session has the slot and its call has begun.
func callUnderWay(s *step) bool {
	return s.session.HoldsSlot && !s.session.State.CallSince.IsZero() && !setAside(s)
}

// callAside reports whether its call continues without the slot.
func callAside(s *step) bool { return s.session.State.CallAside }

// setCallAside releases the slot, and keeps the call.
func setCallAside(s *step) { s.session.HoldsSlot, s.session.State.CallAside = false, true }

// rejoinCall: with the slot, the call continues as if it had never been lost.
func rejoinCall(s *step) { s.session.State.CallAside = !withSlot(s) }

// mustAct: something in the answer needs the slot. A chat's final text, its question and calls of the program that sent
// the message need none.
func mustAct(s *step) bool {
	c := parsed(s).Commands
	return !chat(s) || len(c.Queries)+len(c.Actions) > 0 || withQueries(s) || clientBesideOthers(s)
}

// holdAnswer stores an answer that must wait for the slot.
func holdAnswer(s *step) {
	var messageID string
	var raw *domain.RawAnswer
	switch e := s.event.(type) {
	case domain.AIResponseParsed:
		messageID, raw = e.MessageID, e.Raw
	case domain.ParseErrorOccurred:
		messageID, raw = e.MessageID, e.Raw
	}
	s.session.State.AnswerHeld = true
	s.change.HeldAnswers = append(s.change.HeldAnswers, domain.HeldAnswer{
		WorkspaceID: s.session.WorkspaceID, SessionID: s.session.ID, MessageID: messageID, Answer: raw,
	})
	waitToContinue(s)
}

// releaseAnswer: the session leaves its held answer behind.
func releaseAnswer(s *step) {
	if s.session.State.AnswerHeld {
		s.session.State.AnswerHeld = false
		s.change.HeldAnswers = append(s.change.HeldAnswers, domain.HeldAnswer{
			WorkspaceID: s.session.WorkspaceID, SessionID: s.session.ID,
		})
	}
}

// waitToContinue queues a session whose call ended without the slot and that has work left.
func waitToContinue(s *step) {
	s.session.State.CallAside = false
	s.session.State.Suspended, s.session.State.SuspendedAt = true, s.policy.Now
	if notChat(s) {
		s.session.EndReason = domain.EndSuspended
	}
	queueFor(s, domain.TriggerResume, string(domain.CauseResume))
}

func queueFor(s *step, trigger, reason string) {
	now := s.policy.Now
	s.session.QueuedAt = &now
	s.change.Enqueue = append(s.change.Enqueue, domain.QueueRow{
		WorkspaceID: s.session.WorkspaceID, SessionID: s.session.ID, Lane: s.session.Lane,
		Trigger: trigger, Reason: reason, Since: now, BeforeRuns: chat(s) && reason != domain.QueuedInTurn,
	})
	s.emit(domain.LogEvent{Type: domain.LogQueueChanged, Lane: s.session.Lane})
	askSlot(s)
}

// suspendCall cuts a call that continued without the slot; it is made again later.
func suspendCall(s *step) {
	suspend(s)
	waitToContinue(s)
}

// readsAnswer: the call has ended without the slot. Whether the answer needs it is known when it is read.
func readsAnswer(s *step) bool {
	return callAside(s) && !withSlot(s) && s.session.Phase == domain.ParsingAIResponse
}

// endAside is what follows when a call that continued without the slot leads to a rest, a wait or the end: a wait for the
// network is that of a session that was set aside, and a run without the slot is closed at once. A chat with something to
// do next queues: its driver, which has decided this, cannot ask the scheduler.
func endAside(s *step) {
	if !s.was.State.CallAside || withSlot(s) {
		return
	}
	switch s.session.Phase {
	case domain.WaitingNetworkRetry:
		suspend(s)
	case domain.AwaitingSessionClosure:
		thenSessionCompleted(s)
	case domain.Idle:
		if s.fromEffect && s.session.QueuedAt == nil && (len(s.inbox) > 0 || roundRemembered(s)) {
			queueFor(s, string(domain.CauseUserMessage), domain.QueuedInTurn)
		}
	}
}
