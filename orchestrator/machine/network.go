package machine

import (
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	requeueAfter  = "requeue_after_3"
	requeueTries  = 3
	requeueDelay  = 60 * time.Second
	tooLargeText  = "What the model would have to read is too large, even after it was summarised. Your message is kept. Say it in smaller parts, or shorten the published documents and the data that is always sent."
	fallbackDelay = 30 * time.Second
)

// countFailedCall keeps the call that failed, and what it used.
func countFailedCall(t *turn) {
	call, _ := domain.RoundtripOf(t.event)
	t.recordCall(call)
}

// noteCall remembers since when the AI is called, so that a call that is cut later is
// known as one.
func (t *turn) noteCall() {
	t.s.State.CallSince = time.Time{}
	if t.effect.CallsAI() {
		t.s.State.CallSince = t.p.Now
	}
}

// recordCutCall keeps a call of the AI that was cut, by whatever takes the session out of
// it: a person, the watchdog, another session, a crash. It may have been paid for, and what
// it used will not be known.
func (t *turn) recordCutCall() {
	if t.s.State.CallSince.IsZero() || reportsCall(t.event) {
		return
	}
	purpose := "answer"
	if t.s.Phase == domain.CompactingContext {
		purpose = "compaction"
	}
	t.recordCall(&domain.Roundtrip{
		ProviderID: t.s.ProviderID, Model: t.s.Model, Purpose: purpose, Outcome: domain.OutcomeCut,
		PromptTokens: t.promptTokens(), StartedAt: t.s.State.CallSince, EndedAt: t.p.Now,
	})
}

// reportsCall: the event says itself what became of the call.
func reportsCall(e domain.Event) bool {
	_, reports := domain.RoundtripOf(e)
	return reports
}

func storeNetworkError(t *turn) {
	e := t.event.(domain.NetworkErrorOccurred)
	t.s.State.NetworkAttempts++
	text := "The call of the AI failed: " + strings.TrimRight(e.Problem, ". ") + "."
	if chat(t) {
		text += " Your message is kept; retry when the provider is back."
		if e.RetryAfter > 0 {
			text += fmt.Sprintf(" It may be called again at %s UTC (in %s).",
				t.p.Now.Add(e.RetryAfter).UTC().Format(time.TimeOnly), e.RetryAfter.Round(time.Second))
		}
	}
	t.system(domain.SystemNetworkError, text, nil, "")
	t.notice("error", "network_error", text)
}

// lastTry: the workspace wants an automation to stand back after three calls.
func lastTry(t *turn) bool {
	return t.s.Type == domain.Run && t.p.Settings.NetworkRetry.Policy == requeueAfter &&
		t.s.State.NetworkAttempts+1 >= requeueTries
}

// waitForNetwork sets the timer of the next try; the provider's own word counts if it
// asks for longer.
func waitForNetwork(t *turn) {
	e := t.event.(domain.NetworkErrorOccurred)
	delay := t.retryDelay(t.s.State.NetworkAttempts)
	t.s.State.Waiting = &domain.WaitingContext{
		Kind: domain.WaitNetworkRetry, Attempt: t.s.State.NetworkAttempts, LastError: e.Problem,
		At: t.p.Now.Add(max(delay, e.RetryAfter)),
	}
}

// retryDelay is that of the n-th try; the last of the list repeats.
func (t *turn) retryDelay(attempt int) time.Duration {
	if t.p.Retry != nil {
		return t.p.Retry(attempt)
	}
	delays := t.p.Settings.NetworkRetry.Delays
	if len(delays) == 0 {
		return fallbackDelay
	}
	return time.Duration(delays[min(attempt, len(delays))-1])
}

// giveUp leaves the slot to others; the session comes back by itself, as the last in
// the queue.
func giveUp(t *turn) {
	w := domain.WaitingContext{Kind: domain.WaitNetworkRetry, Attempt: t.s.State.NetworkAttempts}
	switch e := t.event.(type) {
	case domain.NetworkErrorOccurred:
		w.LastError = e.Problem
	default:
		if old := t.s.State.Waiting; old != nil {
			w.LastError = old.LastError
		}
	}
	w.At = t.p.Now.Add(requeueDelay)
	t.s.State.Waiting = &w
	t.s.State.NetworkAttempts = 0
	t.s.EndReason = domain.EndNetworkError
	t.s.HoldsSlot = false
	t.because("given up for now")
	t.standLast(string(domain.EndNetworkError), w.At)
}

// standLast takes the last place in the queue, which does not count before an instant.
func (t *turn) standLast(reason string, notBefore time.Time) {
	now := t.p.Now
	t.s.QueuedAt = &now
	t.c.Enqueue = append(t.c.Enqueue, domain.QueueRow{
		WorkspaceID: t.s.WorkspaceID, SessionID: t.s.ID, Trigger: "RESUME", Reason: reason, Since: now, NotBefore: &notBefore,
	})
	t.emit(domain.LogEvent{Type: domain.LogQueueChanged})
	askSlot(t)
}

// dueNow: what was waited for has come, only the slot is missing.
func dueNow(t *turn) {
	if w := t.s.State.Waiting; w != nil && w.At.After(t.p.Now) {
		own := *w
		own.At = t.p.Now
		t.s.State.Waiting = &own
	}
}

func storeSystemError(t *turn) {
	e := t.event.(domain.SystemErrorOccurred)
	t.storeError(e.Code, e.Problem)
}

// storeTooLarge: summarising did not help, and is not tried twice for one call.
func storeTooLarge(t *turn) { t.storeError("context_too_large", tooLargeText) }

func (t *turn) storeError(code, problem string) {
	t.system(domain.SystemNetworkError, fmt.Sprintf("%s (%s)", problem, code), nil, "")
	t.because(code)
	t.notice("error", code, problem)
}

func storeTimeout(t *turn) {
	e := t.event.(domain.WatchdogExpired)
	t.system(domain.SystemSessionTimeout, e.Reason, nil, "")
	t.because(e.Reason)
	t.notice("warning", "session_timeout", e.Reason)
}
