package commands

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// repeatNote is for the AI alone.
const repeatNote = `To run it once more all the same, add "repeat": true to its params.`

func unchangedNote(e *Env) string {
	return e.spoken(domain.Say("Unchanged since the last look.", "Inchangé depuis la dernière lecture."))
}

// guard keeps models from going in circles: an action that is repeated in an answer, or was done just
// before, is not done again.
func (p *planner) guard(ctx context.Context) error {
	seen := map[string]*domain.Execution{}
	for _, e := range p.plan.Commands.Queries {
		if e.Status.Final() {
			continue
		}
		if first := seen[e.CommandID]; first != nil {
			p.cached(e, p.env.spoken(domain.Say("Asked twice in one answer: the result is the same.",
				"Demandé deux fois dans une réponse : le résultat est le même.")), "")
			continue
		}
		seen[e.CommandID] = e
		if err := p.guardQuery(ctx, e); err != nil {
			return err
		}
	}
	for _, e := range p.plan.Commands.Actions {
		if e.Status.Final() || e.Repeat {
			continue
		}
		if first := seen[e.CommandID]; first != nil {
			p.cached(e, p.env.spoken(domain.Say("Asked twice in one answer: it is done once.",
				"Demandé deux fois dans une réponse : c’est fait une fois.")), repeatNote)
			e.Summary = domain.Say("Asked for twice, done once: %s", "Demandé deux fois, fait une fois : %s", p.words(ctx, e))
			continue
		}
		seen[e.CommandID] = e
		if before := p.justDone(e); before != nil {
			p.cached(e, before.Text, repeatNote)
			e.Result, e.Foreign = before.Result, cmp.Or(e.Foreign, before.Foreign)
			e.Summary = domain.Say("Just done, not done again: %s", "Fait à l’instant, pas refait : %s", p.words(ctx, e))
		}
	}
	return nil
}

// words describes an action that is not run: summaries of earlier runs are not stored.
func (p *planner) words(ctx context.Context, e *domain.Execution) domain.Text {
	entry := p.catalogue.entry(&p.env, e.Command)
	if entry == nil || entry.describe == nil {
		return domain.Same(e.Command)
	}
	d, err := entry.describe(ctx, p.catalogue.call(p.store, p.env, e))
	if err != nil || d.text == (domain.Text{}) {
		return domain.Same(e.Command)
	}
	return d.text
}

func (p *planner) cached(e *domain.Execution, text, note string) {
	p.end(e, domain.ExecCached)
	e.Text, e.Note = text, note
}

// justDone finds the same command, done in the last 30 s.
func (p *planner) justDone(e *domain.Execution) *domain.Execution {
	var latest *domain.Execution
	for _, before := range p.recent {
		if before.CommandID != e.CommandID || before.Status != domain.ExecSuccess || before.EndedAt == nil {
			continue
		}
		if age := p.env.Now.Sub(*before.EndedAt); age > domain.RepeatWindow || age < 0 {
			continue
		}
		if latest == nil || !before.EndedAt.Before(*latest.EndedAt) {
			latest = before
		}
	}
	return latest
}

// guardQuery answers a repeated query from the earlier result, if nothing it reads has changed. Only the
// query can determine that: it is run, and its result compared.
func (p *planner) guardQuery(ctx context.Context, e *domain.Execution) error {
	before := p.justDone(e)
	if before == nil || p.catalogue.entry(&p.env, e.Command).external() {
		return nil // another server's data can only be read by another call
	}
	if domain.CallsAgent(e.Command) {
		p.cached(e, before.Text, p.env.spoken(domain.Say("The same task was given a moment ago; this is what came of it.",
			"La même tâche vient d’être confiée ; voici ce qu’elle a donné.")))
		e.Result = before.Result
		e.Summary = domain.Say("The agent was not called again: it just did this task", "Agent non rappelé : il vient de faire cette tâche")
		return nil
	}
	again := *e
	p.catalogue.RunQueries(ctx, p.store, nil, p.env, []*domain.Execution{&again})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if again.Status == domain.ExecSuccess && bytes.Equal(again.Result, before.Result) {
		// The earlier note may contain the cursor of the next page.
		p.cached(e, before.Text, strings.TrimSpace(before.Note+" "+unchangedNote(&p.env)))
		e.Result, e.Summary, e.Foreign = before.Result, again.Summary, again.Foreign
	}
	return nil
}
