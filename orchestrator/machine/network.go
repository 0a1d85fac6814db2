package machine

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	requeueAfter  = "requeue_after_3"
	requeueTries  = 3
	requeueDelay  = 60 * time.Second
	fallbackDelay = 30 * time.Second
)

func tooLargeText(s *step) string {
	return s.say("What the model would have to read is too large, even after it was summarised. Your message is kept. "+
		"Say it in smaller parts, or shorten the published documents and the data that is always sent.",
		"Ce que le modèle aurait à lire est trop long, même résumé. Votre message est conservé. "+
			"Découpez-le, ou raccourcissez les documents publiés et les données toujours envoyées.")
}

// countFailedCall keeps the call that failed, and what it used.
func countFailedCall(s *step) {
	call, _ := domain.RoundtripOf(s.event)
	recordCall(s, call)
}

// noteCallBegun remembers since when the AI is called, so that a call that is cut later is
// known as one.
func noteCallBegun(s *step) {
	s.session.State.CallSince = time.Time{}
	if s.effect.CallsAI() {
		s.session.State.CallSince, s.session.State.PendingCause = s.policy.Now, ""
	}
}

// recordCutCall keeps a call of the AI that was cut, by whatever takes the session out of
// it: a person, the watchdog, another session, a crash. It may have been paid for, and what
// it used will not be known.
func recordCutCall(s *step) {
	if s.session.State.CallSince.IsZero() || reportsCall(s.event) {
		return
	}
	purpose := "answer"
	if s.session.Phase == domain.CompactingContext {
		purpose = "compaction"
	}
	recordCall(s, &domain.Roundtrip{
		ProviderID: cmp.Or(s.session.State.RoundProvider, s.session.ProviderID),
		Model:      cmp.Or(s.session.State.RoundModel, s.session.Model), Purpose: purpose, Outcome: domain.OutcomeCut,
		PromptTokens: promptTokens(s), StartedAt: s.session.State.CallSince, EndedAt: s.policy.Now,
	})
}

// reportsCall: the event says itself what became of the call.
func reportsCall(e domain.Event) bool {
	_, reports := domain.RoundtripOf(e)
	return reports
}

func storeNetworkError(s *step) {
	e := s.event.(domain.NetworkErrorOccurred)
	s.session.State.NetworkAttempts++
	text := "The call of the AI failed: " + strings.TrimRight(e.Problem, ". ") + "."
	if chat(s) {
		text += " Your message is kept; retry when the provider is back."
		if e.RetryAfter > 0 {
			text += fmt.Sprintf(" It may be called again at %s UTC (in %s).",
				s.policy.Now.Add(e.RetryAfter).UTC().Format(time.TimeOnly), e.RetryAfter.Round(time.Second))
		}
	}
	s.system(domain.SystemNetworkError, text, nil, "")
	s.notice("error", "network_error", unreachable(s))
}

// unreachable tells people elsewhere on the page that the AI cannot be reached: what happened and
// what was kept. Why stands in the record, and is not for everybody's eyes.
func unreachable(s *step) string {
	name := domain.VisibleLine(s.session.Name)
	if chat(s) {
		return s.say("“%s”: the AI provider can’t be reached. Your message is kept.",
			"« %s » : le fournisseur d’IA est injoignable. Votre message est conservé.", name)
	}
	return s.say("“%s” is waiting: the AI provider can’t be reached.",
		"« %s » est en attente : le fournisseur d’IA est injoignable.", name)
}

// lastTry: the workspace wants an automation to stand back after three calls.
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
		WorkspaceID: s.session.WorkspaceID, SessionID: s.session.ID, Trigger: "RESUME", Reason: reason, Since: now, NotBefore: &notBefore,
	})
	s.emit(domain.LogEvent{Type: domain.LogQueueChanged})
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
	storeError(s, e.Code, e.Problem)
}

// storeTooLarge: summarising did not help, and is not tried twice for one call.
func storeTooLarge(s *step) { storeError(s, "context_too_large", tooLargeText(s)) }

func storeError(s *step, code, problem string) {
	s.system(domain.SystemNetworkError, fmt.Sprintf("%s (%s)", problem, code), nil, "")
	s.because(code)
	s.notice("error", code, troubleOf(s, code))
}

// troubleOf tells people elsewhere on the page why the AI did not answer, and what to do; the provider's own words
// stand in the record.
func troubleOf(s *step, code string) string {
	name := domain.VisibleLine(s.session.Name)
	switch code {
	case "provider_authentication":
		return s.say("“%s”: the AI provider refused the key. Check the provider.",
			"« %s » : le fournisseur d’IA a refusé la clé. Vérifiez le fournisseur.", name)
	case "provider_unusable":
		return s.say("“%s”: the AI provider can’t be used as it is set up. Check the provider.",
			"« %s » : le fournisseur d’IA est inutilisable tel qu’il est réglé. Vérifiez le fournisseur.", name)
	case "context_too_large":
		return s.say("“%s” has become too long for this model. Start a new chat, or choose a larger model.",
			"« %s » est devenue trop longue pour ce modèle. Ouvrez une nouvelle conversation ou changez de modèle.", name)
	case "internal":
		return s.say("“%s”: something went wrong on the server.", "« %s » : une erreur est survenue sur le serveur.", name)
	}
	return s.say("“%s”: the AI provider refused the request. Check the provider.",
		"« %s » : le fournisseur d’IA a refusé la requête. Vérifiez le fournisseur.", name)
}

func storeTimeout(s *step) {
	e := s.event.(domain.WatchdogExpired)
	s.system(domain.SystemSessionTimeout, e.Reason, nil, "")
	s.because(e.Reason)
	s.notice("warning", "session_timeout", s.say("“%s” took too long and was stopped.",
		"« %s » a duré trop longtemps et a été arrêtée.", domain.VisibleLine(s.session.Name)))
}
