package providers

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// counted is the last call that was counted.
type counted struct {
	took, first time.Duration
	model       string
}

func (c *counted) AICall(_, _ string, took, firstToken time.Duration, _ domain.Usage, model string) {
	*c = counted{took, firstToken, model}
}

func TestAnAnswerCompletesTheRecord(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	settings := &domain.Settings{Prices: domain.Prices{"m": {Input: 2, Output: 8}}}
	usage := domain.Usage{InputTokens: 1_000_000, OutputTokens: 500_000}
	for name, c := range map[string]struct {
		answer Answer
		cost   float64
		first  time.Duration
	}{
		"by the name that was requested": {Answer{Raw: &domain.RawAnswer{Model: "m-2026-01-01"}, Usage: usage}, 6, 0},
		"by the provider's own account":  {Answer{Raw: &domain.RawAnswer{Model: "m"}, Usage: domain.Usage{InputTokens: 1, Cost: new(0.5)}}, 0.5, 0},
		"streamed":                       {Answer{Raw: &domain.RawAnswer{Model: "m"}, Usage: usage, FirstTokenAt: start.Add(time.Second + 1)}, 6, time.Second},
	} {
		call := &domain.Roundtrip{Model: "m", StartedAt: start}
		RecordAnswer(call, &c.answer, start.Add(3*time.Second), settings, "m")
		if call.Usage.Cost == nil || *call.Usage.Cost != c.cost || call.Outcome != domain.OutcomeAnswered || call.Model != c.answer.Raw.Model {
			t.Errorf("%s: the record is %+v", name, call)
		}
		var seen counted
		Observe(&seen, call)
		if want := (counted{3 * time.Second, c.first, call.Model}); seen != want {
			t.Errorf("%s: %+v was counted, want %+v", name, seen, want)
		}
	}
}
