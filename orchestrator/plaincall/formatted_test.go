package plaincall

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
)

// scriptedModel gives answers in their order; "!" is a request that the vendor refuses.
type scriptedModel struct {
	answers []string
	asked   []string // how each call asks for the format
	turns   int      // of the latest prompt
}

func (m *scriptedModel) For(context.Context, string, string) (*providers.Model, error) {
	return &providers.Model{Provider: m, ID: "prv_1"}, nil
}

func (m *scriptedModel) Abilities() providers.Abilities { return providers.Abilities{} }

func (m *scriptedModel) Query(_ context.Context, r *providers.Request) (*providers.Answer, error) {
	how := "words"
	switch {
	case len(r.Prompt.Commands) > 0:
		how = "tools"
	case len(r.Prompt.AnswerSchema) > 0:
		how = "schema"
	}
	text := m.answers[len(m.asked)]
	m.asked, m.turns = append(m.asked, how), len(r.Prompt.Turns)
	if text == "!" {
		return nil, &providers.Error{Class: providers.ClassInvalidRequest, Message: "no such keyword"}
	}
	if r.OnDelta != nil {
		r.OnDelta(providers.Delta{Kind: providers.DeltaText, Text: text})
	}
	return &providers.Answer{Raw: &domain.RawAnswer{Text: text, StopReason: "stop"}, Usage: domain.Usage{OutputTokens: 1}}, nil
}

// roomyStore has no budgets, and keeps nothing.
type roomyStore struct{}

func (roomyStore) View(context.Context, string, string) (*domain.View, error) {
	return &domain.View{Workspace: &domain.Workspace{}}, nil
}

func (roomyStore) Commit(context.Context, *domain.Change) error { return nil }

// unobserved counts no calls.
type unobserved struct{}

func (unobserved) AICall(string, string, time.Duration, time.Duration, domain.Usage, string) {}

// A plain call in a format sends the schema at once, or after the first answer where it has tools, and repairs once.
func TestAPlainCallInAFormat(t *testing.T) {
	const good = `{"n":1}`
	for name, c := range map[string]struct {
		answers, asked []string
		tools          bool
		want           string
	}{
		"at once":           {[]string{good}, []string{"schema"}, false, good},
		"repaired":          {[]string{"One.", "`" + good + "`"}, []string{"schema", "schema"}, false, good},
		"never":             {[]string{"One.", "Two.", good}, []string{"schema", "schema"}, false, "error answer_schema"},
		"refused by vendor": {[]string{"!", good}, []string{"schema", "words"}, false, good},
		"refused twice":     {[]string{"!", "!"}, []string{"schema", "words"}, false, "error invalid"},
		"with tools":        {[]string{good}, []string{"tools"}, true, good},
		"closed":            {[]string{"One.", good}, []string{"tools", "schema"}, true, good},
		"closed, repaired":  {[]string{"One.", "{}", good}, []string{"tools", "schema", "schema"}, true, good},
		"never with tools":  {[]string{"One.", "{}", "{}", good}, []string{"tools", "schema", "schema"}, true, "error answer_schema"},
	} {
		t.Run(name, func(t *testing.T) {
			model, streamed := &scriptedModel{answers: c.answers}, ""
			calls := &Calls{Models: model, Store: roomyStore{}, Budgets: &Budgets{}, Observer: unobserved{}, Clock: clock.System, NewID: repeatable.IDs()}
			ask := &ai.Prompt{Turns: []*ai.Turn{{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: "How many?"}}}}}
			if c.tools {
				ask.Commands = []domain.CommandSpec{{Name: "f"}}
			}
			raw, used, err := calls.Do(t.Context(), "ws", Call{
				Prompt: ask, OnDelta: func(_, text string) { streamed += text },
				Answer: &domain.AnswerFormat{Schema: json.RawMessage(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`)},
			})
			got := "error " + string(domain.ErrorCode(err))
			if err == nil {
				got = raw.Text
			}
			if got != c.want || !slices.Equal(model.asked, c.asked) {
				t.Errorf("%q by %q, want %q by %q", got, model.asked, c.want, c.asked)
			}
			if strings.HasPrefix(got, "{") != (streamed == got) || used.OutputTokens != int64(len(c.asked)-strings.Count(strings.Join(c.answers, ""), "!")) {
				t.Errorf("streamed %q, used %+v", streamed, used)
			}
			if len(ask.Turns) != 1 {
				t.Error("the prompt of the caller was changed")
			}
		})
	}
}
