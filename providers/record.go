package providers

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// CallObserver counts calls of models, with their usage. firstToken is the time to the first token; zero: unknown.
type CallObserver interface {
	AICall(provider, outcome string, took, firstToken time.Duration, usage domain.Usage, model string)
}

// RecordAnswer completes the record of a call with its answer, which came at a time. settings have the prices of the
// workspace; requested is the model's name as it was requested, by which it may have one.
func RecordAnswer(call *domain.Roundtrip, answer *Answer, at time.Time, settings *domain.Settings, requested string) {
	call.Outcome, call.EndedAt, call.Usage = domain.OutcomeAnswered, at, answer.Usage
	if answer.Raw.Model != "" {
		call.Model = answer.Raw.Model
	}
	if call.Usage.Cost == nil { // a provider that has the prices is more precise
		call.Usage.Cost = settings.CostOf(answer.Usage, call.Model, requested)
	}
	if !answer.FirstTokenAt.IsZero() {
		call.FirstTokenAt = new(answer.FirstTokenAt.UTC().Truncate(time.Microsecond))
	}
}

// Observe counts a call whose record is complete.
func Observe(observer CallObserver, call *domain.Roundtrip) {
	var first time.Duration
	if call.FirstTokenAt != nil {
		first = call.FirstTokenAt.Sub(call.StartedAt)
	}
	observer.AICall(call.ProviderKind, call.Outcome, call.EndedAt.Sub(call.StartedAt), first, call.Usage, call.Model)
}
