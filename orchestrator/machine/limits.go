package machine

import (
	"github.com/fermata-dev/fermata/domain"
)

// Events that the machine itself notices on the way to the AI.
type (
	limitReached   struct{ limit, text, circle string } // circle: which kind, for limitCircles
	budgetExceeded struct {
		limit, text string
		question    *domain.BudgetQuestion
	}
)

// limitCircles is the limit that no setting has: a model that goes in circles.
const limitCircles = "going_in_circles"

func reached(limit string, max int) limitReached {
	return limitReached{limit: limit, text: limitText(limit, max)}
}

func (limitReached) Name() string   { return "LimitReached" }
func (budgetExceeded) Name() string { return "BudgetExceeded" }

func (limitReached) Source() domain.Source   { return domain.FromServer }
func (budgetExceeded) Source() domain.Source { return domain.FromServer }

// gate is what stands between the session and the next call of the AI, or nil. The
// order matters: a budget must be there for the summary too, so it comes before.
func (t *turn) gate() domain.Event {
	if e := t.limitGate(); e != nil {
		return e
	}
	if e := t.budgetGate(); e != nil {
		return e
	}
	if t.promptTooLong() {
		return domain.ContextBudgetExceeded{}
	}
	if m := t.steeredWithData(); m != nil {
		return domain.UserMessageSent{Message: m}
	}
	return nil
}

func (t *turn) limits() domain.Limits { return t.p.Settings.LimitsFor(t.s.Type) }

// limitGate checks the counters. Each limit is a ceiling: n allowed calls, readings and
// commands are n, and after n corrections the next failure ends the round. A message that
// joins the round now starts some of them again, so it is heard first.
func (t *turn) limitGate() domain.Event {
	st, l := &t.s.State, t.limits()
	heard, calls := t.steered(), st.RoundRoundtrips
	if heard {
		calls = 0
	}
	if max := l.MaxAutonomousRoundtrips; max != nil && calls >= *max {
		return reached("max_autonomous_roundtrips", *max)
	}
	if max := l.MaxCommandsPerSession; max != nil && !heard && st.OverLimit == "max_commands_per_session" {
		return reached(st.OverLimit, *max)
	}
	if e := t.circleGate(); e != nil && !heard {
		return e
	}
	for _, c := range []struct {
		max  *int
		now  int
		name string
	}{
		{l.MaxDataQueryIterations, st.ConsecutiveDataQueries, "max_data_query_iterations"},
		{l.MaxActionRetries, st.ConsecutiveActionRetries, "max_action_retries"},
		{l.MaxFormatErrorRetries, st.ConsecutiveFormatErrors, "max_format_error_retries"},
	} {
		if c.max != nil && c.now > *c.max {
			return reached(c.name, *c.max)
		}
	}
	return nil
}

// steered: a message waits to join the round at this call.
func (t *turn) steered() bool {
	for _, item := range t.inbox {
		if chat(t) && item.IfBusy == domain.IfBusySteer {
			return true
		}
	}
	return false
}

// oneCallLeft: the call that comes is the last that the limit allows; the AI is told.
func (t *turn) oneCallLeft() bool {
	max := t.limits().MaxAutonomousRoundtrips
	return max != nil && t.s.State.RoundRoundtrips > 0 && t.s.State.RoundRoundtrips+1 == *max
}

func storeLimit(t *turn) {
	e := t.event.(limitReached)
	t.system(domain.SystemLimitReached, e.text, nil, "")
	t.because(e.limit)
	t.c.Limits = append(t.c.Limits, e.limit)
	if e.circle != "" {
		t.c.Circles = append(t.c.Circles, e.circle)
	}
	t.notice("warning", "limit_reached", e.text)
}

// Compaction.

// promptTooLong: the prompt outgrew its budget and was not made shorter on the way to
// this call already. Where it is not the conversation that is too long, no summary helps:
// the call itself measures the prompt, and tells the person.
func (t *turn) promptTooLong() bool {
	max := t.limits().ContextBudgetTokens
	return max != nil && !t.s.State.Compacted && t.s.State.ContextTokens > *max && t.fixedTokens() < *max
}

func notCompacted(t *turn) bool { return !t.s.State.Compacted }

// notePromptTooLong keeps the provider's word in the estimate, so that a retry after
// a network error makes the prompt shorter again instead of failing in the same way.
func notePromptTooLong(t *turn) {
	if max := t.limits().ContextBudgetTokens; max != nil && t.s.State.ContextTokens <= *max {
		t.s.State.ContextTokens = *max + 1
	}
}

func storeSummary(t *turn) {
	e := t.event.(domain.ContextCompacted)
	t.recordCall(e.Roundtrip)
	m := t.system(domain.SystemContextSummary, e.Summary, nil, "")
	t.s.State.Compacted = true
	t.s.State.ContextTokens = e.Tokens
	t.emit(domain.LogEvent{Type: domain.LogContextCompacted, Message: m})
}
