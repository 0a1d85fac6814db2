package orchestrator

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// room is what a prompt may be, in tokens.
type room struct {
	budget *int
	// ofHistory: the budget is for the history alone, whatever stands before it.
	ofHistory bool
	// sizes are those of the latest prompt. If the provider found that too long, shorter
	// is what the history of the next may have.
	sizes   sizes
	shorter int
}

// roomOf is what a prompt of the session may be.
func roomOf(d *driver) *room {
	limits := d.view.Workspace.Settings.LimitsOf(d.session)
	return &room{budget: limits.ContextBudgetTokens, ofHistory: d.session.State.Agent != nil}
}

// sizes estimates the parts of a prompt, in tokens.
type sizes struct{ rules, data, turns int }

func (s sizes) fixed() int { return s.rules + s.data }
func (s sizes) whole() int { return s.rules + s.data + s.turns }

// measured are the sizes of a prompt whose history has so many tokens.
func measured(ask *domain.Prompt, turns int) sizes {
	data := prompt.EstimateTokens(ask.UserData)
	return sizes{rules: prompt.Size(ask, 0) - data, data: data, turns: turns}
}

// roomError: the prompt does not fit, and is not sent. With hopeless, no summary would
// make it fit.
type roomError struct {
	hopeless bool
	text     string
}

func (*roomError) Error() string { return "the prompt does not fit its budget" }

// event says what happens instead of the call: a summary makes room, but once only.
func (e *roomError) event(a *asking) domain.Event {
	if !e.hopeless {
		return domain.ContextBudgetExceeded{Roundtrip: a.lastMade()}
	}
	return domain.SystemErrorOccurred{Code: codeTooLarge, Problem: e.text, Roundtrip: a.lastMade()}
}

const codeTooLarge = "context_too_large"

// of is the room that this model leaves: its own window counts too, where it is known.
func (r *room) of(model *providers.Model) (tokens int, bounded bool) {
	if r.budget != nil {
		tokens, bounded = *r.budget, true
	}
	if window := windowOf(model); window > 0 && (!bounded || window < tokens) {
		tokens, bounded = window, true
	}
	return tokens, bounded
}

// windowOf is how long a prompt for this model may be by its vendor; 0 where that is not
// known.
func windowOf(model *providers.Model) int {
	abilities := model.Provider.Abilities()
	window := abilities.ContextWindow
	return max(window-max(model.MaxTokens, abilities.MaxTokens), window/2)
}

// left is the room for the history, and the most that it may have when nothing more
// can be left out. A budget is a ceiling for the whole prompt. A window is the vendor's to
// judge, in its own tokens: a fourth of it is tried in any case.
func (r *room) left(model *providers.Model, fixed int) (left, most int) {
	left, most = math.MaxInt, math.MaxInt
	if r.budget != nil {
		if left = *r.budget; !r.ofHistory {
			left -= fixed
		}
		most = left
	}
	if window := windowOf(model); window > 0 {
		left, most = min(left, max(window-fixed, window/4)), min(most, window)
	}
	if r.shorter > 0 {
		left, most = min(left, r.shorter), min(most, r.shorter)
	}
	return left, most
}

// leastRoom is the room below which no summary makes a history fit.
const leastRoom = prompt.LeastTranscript

// fit makes the turns of a prompt fit, measured whole. Before a summary was tried, it asks
// for one; after it, results are cut and old turns left out in this prompt, until it fits.
// The levels before the history are never cut: where they leave no room, the person
// is told, and nothing is sent.
func (r *room) fit(ask *domain.Prompt, turns int, model *providers.Model, compacted bool) error {
	r.sizes = measured(ask, turns)
	fixed := r.sizes.fixed()
	left, most := r.left(model, fixed)
	budget, _ := r.of(model)
	switch {
	case turns <= left:
		return nil
	case left < leastRoom && r.shorter == 0:
		return &roomError{hopeless: true, text: r.tooLarge()}
	case !compacted && (turns > budget || fixed <= budget/2 || r.ofHistory):
		return &roomError{}
	}
	fitted, size := prompt.Fit(ask.Turns, turns, left)
	if size > max(left, most) {
		return &roomError{hopeless: compacted, text: r.tooLarge()}
	}
	ask.Turns, r.sizes.turns = fitted, size
	return nil
}

// leastTurns is the size below which a history is not made shorter for a provider
// that finds it too long: it is not the history then.
const leastTurns = 200

// halve: the provider finds even this prompt too long. It says whether a shorter one can
// be tried.
func (r *room) halve() bool {
	r.shorter = r.sizes.turns / 2
	return r.sizes.turns > leastTurns
}

// tooLarge tells a person what does not fit, and what to shorten.
func (r *room) tooLarge() string {
	text := "What the model would have to read is too large" + r.parts()
	if r.budget != nil {
		text += fmt.Sprintf(" context_budget_tokens is %d.", *r.budget)
	}
	return text + " Nothing was sent, and your message is kept. " + r.advice()
}

// refused tells a person that the provider finds the prompt too long in whatever form.
func (r *room) refused(problem string) string {
	return "The model says that what it has to read is too long, though the earlier messages were summarised and results cut" +
		r.parts() + " Your message is kept. " + r.advice() + " It said: " + strings.TrimRight(problem, ". ") + "."
}

func (r *room) parts() string {
	return fmt.Sprintf(
		": about %d tokens, of which the rules and commands are %d, the published documents and the data that is always sent %d, and the conversation %d.",
		r.sizes.whole(),
		r.sizes.rules,
		r.sizes.data,
		r.sizes.turns,
	)
}

// advice says what to shorten, the largest part first.
func (r *room) advice() string {
	parts := []struct {
		size int
		what string
	}{
		{r.sizes.turns, "say it in smaller parts"},
		{r.sizes.data, "shorten the published documents, or send less data with every call (always_send)"},
		{r.sizes.rules, "choose a lower prompt_detail"},
	}
	slices.SortStableFunc(parts, func(a, b struct {
		size int
		what string
	}) int {
		return cmp.Compare(b.size, a.size)
	})
	var words []string
	for _, p := range parts {
		if p.size > r.sizes.whole()/5 {
			words = append(words, p.what)
		}
	}
	last := "choose a model that reads more"
	if r.budget != nil {
		last = "raise context_budget_tokens"
	}
	advice := strings.Join(append(words, last), ", or ")
	return strings.ToUpper(advice[:1]) + advice[1:] + "."
}
