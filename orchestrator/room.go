package orchestrator

import (
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/prompt"
)

// tooLarge is what a person is told when nothing that can be left out is left.
const tooLarge = "What the model would have to read is larger than its budget, even without the earlier messages. Say it in smaller parts, or raise context_budget_tokens."

// room is what a prompt may be, in tokens.
type room struct {
	budget *int
	// turns is the size of the conversation in the latest prompt. If the provider found
	// that too long, shorter is what the next may have.
	turns, shorter int
}

// roomError: the prompt does not fit, and is not sent.
type roomError struct {
	compacted bool
}

func (*roomError) Error() string { return "the prompt does not fit its budget" }

// event says what happens instead of the call: a summary makes room, but once only.
func (e *roomError) event(a *asking) domain.Event {
	if !e.compacted {
		return domain.ContextBudgetExceeded{Roundtrip: a.lastMade()}
	}
	return domain.SystemErrorOccurred{Code: "context_too_large", Problem: tooLarge, Roundtrip: a.lastMade()}
}

// of is the room that this model leaves: its own window counts too, where it is known.
func (r *room) of(model *Model) (tokens int, bounded bool) {
	if r.budget != nil {
		tokens, bounded = *r.budget, true
	}
	abilities := model.Provider.Abilities()
	if window := abilities.ContextWindow; window > 0 {
		if window = max(window-max(model.MaxTokens, abilities.MaxTokens), window/2); !bounded || window < tokens {
			tokens, bounded = window, true
		}
	}
	return tokens, bounded
}

// fit makes the turns of a prompt fit. Before a summary was tried, it asks for one; after
// it, results are cut and old turns left out in this prompt, until it fits. The levels
// before the conversation are never cut: a budget that they alone use up leaves a fourth
// of it to the conversation.
func (r *room) fit(ask *domain.Prompt, turns int, model *Model, compacted bool) error {
	budget, bounded := r.of(model)
	fixed := prompt.Size(ask, 0)
	left := max(budget-fixed, budget/4)
	if r.shorter > 0 && (!bounded || r.shorter < left) {
		left, budget, bounded = r.shorter, r.shorter, true
	}
	r.turns = turns
	switch {
	case !bounded || turns <= left:
		return nil
	case !compacted && (turns > budget || fixed <= budget/2):
		return &roomError{}
	}
	ask.Turns, r.turns = prompt.Fit(ask.Turns, turns, left)
	if r.turns > max(left, budget) {
		return &roomError{compacted: true}
	}
	return nil
}

// leastTurns is the size below which a conversation is not made shorter for a provider
// that finds it too long: it is not the conversation then.
const leastTurns = 200

// halve: the provider finds even this prompt too long. It says whether a shorter one can
// be tried.
func (r *room) halve() bool {
	r.shorter = r.turns / 2
	return r.turns > leastTurns
}
