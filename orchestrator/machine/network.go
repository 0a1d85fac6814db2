package machine

import (
	"cmp"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	requeueAfter  = "requeue_after_3"
	requeueTries  = 3
	requeueDelay  = 60 * time.Second
	fallbackDelay = 30 * time.Second
)

// countFailedCall stores the failed call, and its usage.
func countFailedCall(s *step) {
	call, _ := domain.RoundtripOf(s.event)
	recordCall(s, call)
}

// noteCallBegun remembers since when the AI is called, so that a call that is cut later is
// known as one.
func noteCallBegun(s *step) {
	s.session.State.CallSince = time.Time{}
	if s.effect.CallsAI() {
		s.session.State.CallSince, s.session.State.PendingCause, s.session.State.Unread = s.policy.Now, "", nil
	}
}

// recordCutCall stores a call of the AI that was cut by an event that takes the session out of it: from a
// person, the watchdog, another session, a crash. It may have been paid for; its usage will not be known.
func recordCutCall(s *step) {
	if s.session.State.CallSince.IsZero() || reportsCall(s.event) {
		return
	}
	purpose := "answer"
	if s.session.Phase == domain.CompactingContext {
		purpose = "compaction"
	}
	s.change.Discarded = append(s.change.Discarded, cutBy(s.event))
	known := s.policy.Estimate
	recordCall(s, &domain.Roundtrip{
		ProviderID:   cmp.Or(s.session.State.RoundProvider, s.session.ProviderID, known.ProviderID),
		ProviderKind: known.ProviderKind,
		Model:        cmp.Or(s.session.State.RoundModel, s.session.Model, known.Model), Purpose: purpose, Outcome: domain.OutcomeCut,
		PromptSize: domain.PromptSize{PromptTokens: promptTokens(s)}, StartedAt: s.session.State.CallSince, EndedAt: s.policy.Now,
	})
}

// cutBy is the reason for which an event cuts a call, as it is counted.
func cutBy(e domain.Event) string {
	switch e.(type) {
	case domain.SessionSuspended:
		return domain.CutBySlot
	case domain.StopRequested:
		return domain.CutByStop
	case domain.InterruptRequested, domain.UserMessageSent, domain.RoundRequested:
		return domain.CutByInterrupt
	case domain.WatchdogExpired:
		return domain.CutByWatchdog
	}
	return domain.CutByOther
}

// reportsCall: the event has the call's own report.
func reportsCall(e domain.Event) bool {
	_, reports := domain.RoundtripOf(e)
	return reports
}

func storeNetworkError(s *step) {
	e := s.event.(domain.NetworkErrorOccurred)
	keepPart(s, e.Partial)
	s.session.State.NetworkAttempts++
	code := cmp.Or(e.Code, domain.FailureNetwork)
	kept := domain.Say("It is tried again by itself.", "Un nouvel essai aura lieu.")
	if chat(s) {
		kept = domain.Say("Your message is kept.", "Votre message est conservé.")
	}
	words := domain.Join(" ", code.Text(), kept)
	m := recordFailure(s, code, e.Problem, e.ProviderID, words)
	if e.RetryAfter > 0 {
		m.System.RetryAt = new(s.policy.Now.Add(e.RetryAfter))
	}
	s.notice("error", "network_error", domain.About(s.session.Name, words))
}

// recordFailure stores that the AI did not answer: in words for people, with what the provider said beside them.
func recordFailure(s *step, code domain.FailureCode, detail, provider string, words domain.Text) *domain.Message {
	m := systemForPeople(s, domain.SystemNetworkError, domain.About("", words))
	m.System.Code, m.System.Detail, m.System.ProviderID = code, detail, provider
	return m
}

// lastTry: the workspace's automations give up after three calls.
func lastTry(s *step) bool {
	return s.session.Type == domain.Run && s.policy.Settings.NetworkRetry.Policy == requeueAfter &&
		s.session.State.NetworkAttempts+1 >= requeueTries
}

// waitForNetwork sets the timer of the next try; the provider's own word counts if it
// asks for longer.
func waitForNetwork(s *step) {
	e := s.event.(domain.NetworkErrorOccurred)
	delay := retryDelay(s, s.session.State.NetworkAttempts)
	s.session.State.Waiting = &domain.WaitingContext{
		Kind: domain.WaitNetworkRetry, Attempt: s.session.State.NetworkAttempts, LastError: e.Problem,
		At: s.policy.Now.Add(max(delay, e.RetryAfter)),
	}
}

// retryDelay is that of the n-th try; the last of the list repeats.
func retryDelay(s *step, attempt int) time.Duration {
	if s.policy.Retry != nil {
		return s.policy.Retry(attempt)
	}
	delays := s.policy.Settings.NetworkRetry.Delays
	if len(delays) == 0 {
		return fallbackDelay
	}
	return time.Duration(delays[min(attempt, len(delays))-1])
}

// giveUp leaves the slot to others; the session comes back by itself, as the last in
// the queue.
func giveUp(s *step) {
	w := domain.WaitingContext{Kind: domain.WaitNetworkRetry, Attempt: s.session.State.NetworkAttempts}
	switch e := s.event.(type) {
	case domain.NetworkErrorOccurred:
		w.LastError = e.Problem
	default:
		if old := s.session.State.Waiting; old != nil {
			w.LastError = old.LastError
		}
	}
	w.At = s.policy.Now.Add(requeueDelay)
	s.session.State.Waiting = &w
	s.session.State.NetworkAttempts = 0
	s.session.EndReason = domain.EndNetworkError
	s.session.HoldsSlot = false
	s.because("given up for now")
	standLast(s, string(domain.EndNetworkError), w.At)
}

// standLast takes the last place in the queue, which does not count before an instant.
func standLast(s *step, reason string, notBefore time.Time) {
	now := s.policy.Now
	s.session.QueuedAt = &now
	s.change.Enqueue = append(s.change.Enqueue, domain.QueueRow{
		WorkspaceID: s.session.WorkspaceID, SessionID: s.session.ID, Lane: s.session.Lane,
		Trigger: domain.TriggerResume, Reason: reason, Since: now, NotBefore: &notBefore,
	})
	s.emit(domain.LogEvent{Type: domain.LogQueueChanged, Lane: s.session.Lane})
	askSlot(s)
}

// dueNow: what was waited for has come, only the slot is missing.
func dueNow(s *step) {
	if w := s.session.State.Waiting; w != nil && w.At.After(s.policy.Now) {
		own := *w
		own.At = s.policy.Now
		s.session.State.Waiting = &own
	}
}

func storeSystemError(s *step) {
	e := s.event.(domain.SystemErrorOccurred)
	keepPart(s, e.Partial)
	storeError(s, e.Code, e.Words, e.Problem, e.ProviderID)
}

// storeTooLarge: summarising did not help, and is not tried twice for one call.
func storeTooLarge(s *step) { storeError(s, domain.FailureTooLarge, domain.Text{}, "", "") }

func storeError(s *step, code domain.FailureCode, words domain.Text, detail, provider string) {
	recordFailure(s, code, detail, provider, cmp.Or(words, code.Text()))
	s.because(string(code))
	s.notice("error", string(code), domain.About(s.session.Name, code.Text()))
}

func storeTimeout(s *step) {
	e := s.event.(domain.WatchdogExpired)
	systemForPeople(s, domain.SystemSessionTimeout, e.Reason)
	s.because(e.Reason.In(s.language()))
	s.notice("warning", "session_timeout", domain.About(s.session.Name, domain.Say("this took too long and was stopped.",
		"cela a duré trop longtemps et a été arrêté.")))
}
