package orchestrator

import (
	"cmp"
	"math"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// room is what a prompt may be, in tokens.
type room struct {
	budget *int
	// ofHistory: the budget is for the history alone, not for what precedes it.
	ofHistory bool
	// sizes are those of the latest prompt. If the provider found that too long, shorter
	// is what the history of the next may have.
	sizes   sizes
	shorter int
	leftOut int // of the history, in the latest prompt
}

// room is what a prompt of the session may be.
func (d *driver) room() *room {
	limits := d.view.Workspace.Settings.LimitsOf(d.session)
	return &room{budget: limits.ContextBudgetTokens, ofHistory: d.session.State.Agent != nil}
}

// sizes estimates the parts of a prompt, in tokens.
type sizes struct{ rules, data, turns int }

func (s sizes) fixed() int { return s.rules + s.data }
func (s sizes) whole() int { return s.rules + s.data + s.turns }

// measured are the sizes of a prompt whose history has so many tokens.
func measured(ask *ai.Prompt, turns int) sizes {
	data := prompt.EstimateTokens(ask.UserData)
	return sizes{rules: prompt.Size(ask, 0) - data, data: data, turns: turns}
}

// roomError: the prompt does not fit, and is not sent. With hopeless, no summary would
// make it fit.
type roomError struct {
	hopeless bool
	text     domain.Text
}

func (*roomError) Error() string { return "the prompt does not fit its budget" }

// event replaces the call: a summary makes room, but only once.
func (e *roomError) event(a *asking) domain.Event {
	if !e.hopeless {
		return domain.ContextBudgetExceeded{Roundtrip: a.lastMade()}
	}
	return domain.SystemErrorOccurred{Code: domain.FailureTooLarge, Words: e.text, Roundtrip: a.lastMade()}
}

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

// answerRoom is the maximum size of an answer: what is allowed, as far as the model's window leaves room
// beside the prompt. Prompts are estimated, so a margin stays free.
func answerRoom(model *providers.Model, most, prompt int, commands bool) int {
	window, asked := model.Provider.Abilities().ContextWindow, allowed(model, most, commands)
	left := window - prompt - prompt/20
	if window == 0 || asked > 0 && asked <= left {
		return most
	}
	return max(left, providers.LeastAnswer)
}

// allowed is the maximum size of an answer for this request (0: the provider's own); 0: unknown.
func allowed(model *providers.Model, most int, commands bool) int {
	own := model.Provider.Abilities().MaxTokens
	if most > 0 || own == 0 || !commands {
		return cmp.Or(most, own)
	}
	return max(own, providers.MinToolTokens)
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

// fit makes the turns of a prompt fit, measured as a whole. Before a summary was tried, it requests one;
// after it, results are cut and old turns left out of this prompt, until it fits. The levels before the
// history are never cut: if they leave no room, the person is notified, and nothing is sent.
func (r *room) fit(ask *ai.Prompt, turns int, model *providers.Model, compacted bool) error {
	r.sizes, r.leftOut = measured(ask, turns), 0
	left, most := r.left(model, r.sizes.fixed())
	switch {
	case turns <= left:
		return nil
	case left < leastRoom && r.shorter == 0:
		return &roomError{hopeless: true, text: r.tooLarge()}
	case !compacted:
		return &roomError{}
	}
	fitted, size := prompt.Fit(ask.Turns, turns, left)
	if size > max(left, most) {
		return &roomError{hopeless: compacted, text: r.tooLarge()}
	}
	ask.Turns, r.sizes.turns, r.leftOut = fitted, size, turns-size
	return nil
}

// leastTurns is the size below which a history is not made shorter for a provider
// that finds it too long: it is not the history then.
const leastTurns = 200

// halve: the provider rejects even this prompt as too long. It reports whether a shorter one can be tried.
func (r *room) halve() bool {
	r.shorter = r.sizes.turns / 2
	return r.sizes.turns > leastTurns
}

// tooLarge describes to a person that the prompt does not fit, with its figures and what can be done.
func (r *room) tooLarge() domain.Text {
	what := domain.Say("What the model would have to read is too large", "Ce que le modèle aurait à lire est trop long")
	text := []domain.Text{domain.Join("", what, r.parts())}
	if r.budget != nil {
		text = append(text, domain.Say("context_budget_tokens is %[1]d.", "context_budget_tokens vaut %[1]d.", *r.budget))
	}
	text = append(text, domain.Say("Nothing was sent, and your message is kept.", "Rien n’a été envoyé, et votre message est conservé."), r.advice())
	return domain.Join(" ", text...)
}

// refused describes to a person that the provider rejects every form of the prompt as too long.
func (r *room) refused() domain.Text {
	return domain.Join(" ",
		domain.Join("", domain.Say("The model says that what it has to read is too long, though the earlier messages were summarised and results cut",
			"Le modèle dit que ce qu’il doit lire est trop long, bien que les messages précédents aient été résumés et les résultats coupés"), r.parts()),
		domain.Say("Your message is kept.", "Votre message est conservé."), r.advice())
}

func (r *room) parts() domain.Text {
	return domain.Say(
		": about %d tokens, of which the rules and commands are %d, the published documents and the data that is always sent %d, "+
			"and the conversation %d.",
		" : environ %d jetons, dont %d pour les règles et les commandes, %d pour les documents publiés et les données toujours envoyées, "+
			"et %d pour la conversation.",
		r.sizes.whole(), r.sizes.rules, r.sizes.data, r.sizes.turns,
	)
}

// advice lists what to shorten, the largest part first.
func (r *room) advice() domain.Text {
	type part struct {
		size int
		what domain.Text
	}
	parts := []part{
		{r.sizes.turns, domain.Say("say it in smaller parts", "découpez votre message")},
		{r.sizes.data, domain.Say("shorten the published documents, or send less data with every call (always_send)",
			"raccourcissez les documents publiés, ou envoyez moins de données à chaque appel (always_send)")},
		{r.sizes.rules, domain.Say("choose a lower prompt_detail", "choisissez un prompt_detail plus bas")},
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.size, a.size) })
	var words []domain.Text
	for _, p := range parts {
		if p.size > r.sizes.whole()/5 {
			words = append(words, p.what)
		}
	}
	last := domain.Say("choose a model that reads more", "choisissez un modèle qui en lit plus")
	if r.budget != nil {
		last = domain.Say("raise context_budget_tokens", "augmentez context_budget_tokens")
	}
	return domain.About("", domain.Join("", domain.JoinBetween(domain.Say(", or ", ", ou "), append(words, last)...), domain.Same(".")))
}
