package machine

import (
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

// Events that the machine itself notices on the way to the AI.
type (
	limitReached   struct{ limit, text string }
	budgetExceeded struct {
		limit, text string
		question    *domain.BudgetQuestion
	}
)

func (limitReached) Name() string   { return "LimitReached" }
func (budgetExceeded) Name() string { return "BudgetExceeded" }

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

// limitGate checks the counters. A message that joins the round now starts some of
// them again, so it is heard first.
func (t *turn) limitGate() domain.Event {
	st, l := &t.s.State, t.limits()
	if !t.steered() {
		if max := l.MaxAutonomousRoundtrips; max != nil && st.RoundRoundtrips >= *max {
			return limitReached{"max_autonomous_roundtrips", fmt.Sprintf("The limit of %d calls of the AI in a row is reached.", *max)}
		}
		if inCircles(st.AnswerHashes) {
			return limitReached{"going_in_circles", "Going in circles: the same answer came three times in a row."}
		}
	}
	for _, c := range []struct {
		max  *int
		now  int
		name string
		what string
	}{
		{l.MaxDataQueryIterations, st.ConsecutiveDataQueries, "max_data_query_iterations", "readings of data in a row"},
		{l.MaxActionRetries, st.ConsecutiveActionRetries, "max_action_retries", "corrections of failed actions in a row"},
		{l.MaxFormatErrorRetries, st.ConsecutiveFormatErrors, "max_format_error_retries", "corrections of unreadable answers in a row"},
		{l.MaxCommandsPerSession, st.CommandsRun, "max_commands_per_session", "commands in this session"},
	} {
		if c.max != nil && c.now > *c.max {
			return limitReached{c.name, fmt.Sprintf("The limit of %d %s is reached.", *c.max, c.what)}
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

// inCircles: the last three answers are the same.
func inCircles(h []string) bool {
	return len(h) >= 3 && h[len(h)-1] == h[len(h)-2] && h[len(h)-2] == h[len(h)-3]
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
	t.notice("warning", "limit_reached", e.text)
}

// Compaction.

// promptTooLong: the prompt outgrew its budget and was not made shorter on the way to
// this call already.
func (t *turn) promptTooLong() bool {
	max := t.limits().ContextBudgetTokens
	return max != nil && !t.s.State.Compacted && t.s.State.ContextTokens > *max
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
