package machine

import (
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
)

// Events that the machine itself notices on the way to the AI.
type (
	limitReached struct {
		limit  string
		text   domain.Text
		circle string // which kind, for limitCircles
	}
	budgetExceeded struct {
		limit    string
		text     domain.Text
		question *domain.BudgetQuestion
	}
)

// limitCircles is the limit that no setting has: a model that goes in circles.
const limitCircles = "going_in_circles"

// limitLength is the limit of an answer's length: a model that repeatedly reaches it without a usable
// answer is not called for ever.
const limitLength = "answer_length"

// maxCuts is how many answers in a row may be cut so.
const maxCuts = 3

func tooOftenCut() domain.Text {
	return domain.Say("The answer was cut at its length limit %d times in a row, with nothing that could be used. "+
		"Raise max_tokens of the provider, ask for less at a time, or choose a model that thinks less.",
		"La réponse a été coupée %d fois de suite à sa limite de longueur, sans rien d’utilisable. "+
			"Augmentez max_tokens du fournisseur, demandez moins à la fois, ou choisissez un modèle qui réfléchit moins.", maxCuts)
}

func reached(limit string, max int) limitReached {
	return limitReached{limit: limit, text: limitText(limit, max)}
}

func (limitReached) Name() string   { return "LimitReached" }
func (budgetExceeded) Name() string { return "BudgetExceeded" }

func (limitReached) Source() domain.Source   { return domain.FromServer }
func (budgetExceeded) Source() domain.Source { return domain.FromServer }

// beforeCall is the event that must be handled before the next call of the AI, or nil. The order matters:
// a budget must be there for the summary too, so it comes before.
func beforeCall(s *step) domain.Event {
	if e := limitGate(s); e != nil {
		return e
	}
	if e := budgetGate(s); e != nil {
		return e
	}
	if promptTooLong(s) {
		return domain.ContextBudgetExceeded{}
	}
	if m := steeredWithData(s); m != nil {
		return domain.UserMessageSent{Message: m}
	}
	return nil
}

func (s *step) limits() domain.Limits { return s.policy.Settings.LimitsOf(s.session) }

// limitGate checks the counters. Each limit is a ceiling: n allowed calls, readings and commands are n,
// and after n corrections the next failure ends the round. A message that joins the round now resets some
// of them, so it is placed first.
func limitGate(s *step) domain.Event {
	st, l := &s.session.State, s.limits()
	steering, calls := steered(s), st.RoundRoundtrips
	if steering {
		calls = 0
	}
	if max := l.MaxAutonomousRoundtrips; max != nil && calls >= *max {
		return reached("max_autonomous_roundtrips", *max)
	}
	if max := l.MaxCommandsPerSession; max != nil && !steering && st.OverLimit == "max_commands_per_session" {
		return reached(st.OverLimit, *max)
	}
	if st.Cuts >= maxCuts && !steering {
		return limitReached{limit: limitLength, text: tooOftenCut()}
	}
	if e := circleGate(s); e != nil && !steering {
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
func steered(s *step) bool {
	for _, item := range s.inbox {
		if chat(s) && item.IfBusy == domain.IfBusySteer {
			return true
		}
	}
	return false
}

// oneCallLeft: the next call is the last that the limit allows; the AI is informed.
func oneCallLeft(s *step) bool {
	max := s.limits().MaxAutonomousRoundtrips
	return max != nil && s.session.State.RoundRoundtrips > 0 && s.session.State.RoundRoundtrips+1 == *max
}

func storeLimit(s *step) {
	e := s.event.(limitReached)
	systemForPeople(s, domain.SystemLimitReached, e.text)
	s.because(e.limit)
	s.change.Limits = append(s.change.Limits, e.limit)
	if e.circle != "" {
		s.change.Circles = append(s.change.Circles, e.circle)
		s.session.State.Circle, s.session.State.AnswerHashes = nil, nil // what comes next is read again
	}
	s.notice("warning", "limit_reached", e.text)
}

// Compaction.

// promptTooLong: the prompt exceeds its budget and was not shortened before this call already. If the
// history is not the cause, a summary does not help: the call itself measures the prompt, and informs the
// person.
func promptTooLong(s *step) bool {
	max := s.limits().ContextBudgetTokens
	if max != nil && s.session.State.Agent != nil { // it is its history's alone
		return !s.session.State.Compacted && s.session.State.ContextTokens-fixedTokens(s) > *max
	}
	return max != nil && !s.session.State.Compacted && s.session.State.ContextTokens > *max && fixedTokens(s) < *max
}

func notCompacted(s *step) bool { return !s.session.State.Compacted }

// noteLeftOut informs people, once a round, that the AI did not read the whole history.
func noteLeftOut(s *step, tokens int) {
	if tokens <= 0 || s.session.State.LeftOut {
		return
	}
	s.session.State.LeftOut = true
	name := visible.Line(s.session.Name)
	s.notice("warning", "context_left_out", domain.Say(
		"“%s”: about %d tokens of earlier messages and results were left out of what the AI reads, for lack of room.",
		"« %s » : environ %d jetons de messages et de résultats antérieurs n’ont pas été lus par l’IA, faute de place.", name, tokens))
}

// notePromptTooLong keeps the provider's word in the estimate, so that a retry after
// a network error makes the prompt shorter again instead of failing in the same way.
func notePromptTooLong(s *step) {
	if max := s.limits().ContextBudgetTokens; max != nil && s.session.State.ContextTokens <= *max {
		s.session.State.ContextTokens = *max + 1
	}
}

func storeSummary(s *step) {
	e := s.event.(domain.ContextCompacted)
	recordCall(s, e.Roundtrip)
	m := s.system(domain.SystemContextSummary, e.Summary, nil, "")
	s.session.State.Compacted = true
	s.session.State.ContextTokens = e.Tokens
	s.emit(domain.LogEvent{Type: domain.LogContextCompacted, Message: m})
}
