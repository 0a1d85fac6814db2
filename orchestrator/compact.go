package orchestrator

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// keptVerbatim limits how much of the person's current request is repeated verbatim after a summary, in
// bytes.
const keptVerbatim = 8_000

// compact has the model summarise the older messages. They stay in the record; the summary replaces them
// in the prompt. The prompt is shorter afterwards in any case: a request for a summary that is too long is
// repeated with half of the transcript while the answer's own two calls are left, and a model that returns
// no summary is replaced by an excerpt.
func (d *driver) compact(ctx context.Context) (domain.Event, error) {
	s := d.session
	first, err := d.loop.cfg.Models.For(ctx, s.WorkspaceID, s.Calls())
	if err != nil {
		return noModel(err, s.Calls())
	}
	ask, size, err := d.assemble(ctx, first)
	if err != nil {
		return nil, err
	}
	now := measured(ask, size)
	left, _ := d.room().left(first, now.fixed())
	c := &compaction{turns: ask.Turns, fixed: now.fixed(), budget: d.summaryBudget(first), left: left}
	transcript := c.budget
	if s.State.TooLong > 0 { // the vendor's limit for this very prompt: it is lower
		transcript = min(transcript, now.whole()/2)
	}
	a := &asking{driver: d, purpose: purposeCompaction}
	for ; a.tooLongCalls() < maxTooLong-2; transcript /= 2 {
		a.request = d.summaryRequest(c.turns, transcript)
		r, err := a.ask(ctx, first)
		switch {
		case err != nil:
			return nil, err
		case r.failed == nil:
			return c.event(r.call, r.answer.Raw.Text), nil
		case r.failed.class != providers.ClassContextTooLong:
			return a.eventOf(r.failed), nil
		}
	}
	return c.event(a.lastMade(), ""), nil
}

// summaryBudget is how long the transcript for a summary may be, in tokens: as long as a
// prompt may be, less what the summary itself takes.
func (d *driver) summaryBudget(model *providers.Model) int {
	r := d.room()
	tokens, bounded := r.of(model)
	if !bounded {
		return prompt.DefaultTranscript
	}
	return max(tokens-tokens/8, prompt.LeastTranscript)
}

func (d *driver) summaryRequest(
	turns []*ai.Turn,
	transcript int,
) func(context.Context, *providers.Model, *domain.Roundtrip) (*providers.Request, error) {
	return func(_ context.Context, model *providers.Model, call *domain.Roundtrip) (*providers.Request, error) {
		s := d.session
		ask := prompt.SummaryRequest(turns, d.view.Workspace.Settings.Language, transcript)
		call.PromptHash = prompt.Fingerprint(ask)
		call.PromptTokens = prompt.Size(ask, prompt.EstimateTurns(ask.Turns))
		if small := model.Provider.Abilities().SmallModel; small != "" {
			call.Model = small
		}
		return &providers.Request{
			Prompt: ask, MaxTokens: answerRoom(model, model.MaxTokens, call.PromptTokens, false), Small: true,
			SessionID: s.ID, RoundID: s.State.RoundID, NewID: d.loop.cfg.NewID,
		}, nil
	}
}

// compaction is the input of a summary: the turns, what precedes them in any case, the budget of the whole
// and what it leaves for the history, in tokens.
type compaction struct {
	turns               []*ai.Turn
	fixed, budget, left int
}

// leastSummary is the least that a summary may have, in tokens.
const leastSummary = 150

// event has the summary: at most a fourth of the budget and a third of what is left for the history, since
// the current request follows it verbatim; or an excerpt if the model returned none.
func (c *compaction) event(call *domain.Roundtrip, text string) domain.Event {
	most := max(min(c.budget/4, c.left/3), leastSummary) * 7 / 2
	summary := prompt.CutMiddle(strings.TrimSpace(text), most)
	if summary == "" {
		summary = "The model gave no summary. This is an excerpt of what was said:\n\n" + prompt.Excerpt(c.turns, most)
	}
	if request := prompt.LatestWords(c.turns, min(keptVerbatim, most)); request != "" {
		summary += "\n\nThe person's present request, word for word:\n" + request
	}
	return domain.ContextCompacted{Summary: summary, Tokens: c.fixed + prompt.EstimateTokens(summary), Roundtrip: call}
}
