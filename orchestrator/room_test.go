package orchestrator

import (
	"context"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// tooLong refuses every prompt, as a vendor does whose window is small.
func (m *fakeModel) tooLong(times int) {
	for range times {
		m.then(func(context.Context, *providers.Request) (*providers.Answer, error) {
			return nil, &providers.Error{Class: providers.ClassContextTooLong, Message: "maximum context length exceeded"}
		})
	}
}

// lastNotice is the last error that the person reads.
func (w *world) lastNotice() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := ""
	for _, m := range w.messages {
		if m.System != nil && m.System.Type == domain.SystemNetworkError {
			text = string(m.System.Code) + ": " + m.System.Summary
		}
	}
	return text
}

// TestAProviderThatAlwaysSaysTooLong verifies that a provider that always returns "too long" is called four times
// in all, summaries included, and that the person then sees what to shorten. The next message is another attempt.
func TestAProviderThatAlwaysSaysTooLong(t *testing.T) {
	if domain.OutcomeTooLong != string(providers.ClassContextTooLong) {
		t.Fatal("the outcome of a call that was too long has two names")
	}
	for name, c := range map[string]struct{ budget, words int }{
		"a short message": {80_000, 1}, "a conversation over its budget": {20_000, 20_000}, "no budget": {0, 5_000},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.ws.Settings.Limits.Chat.ContextBudgetTokens = nil
			if c.budget > 0 {
				w.ws.Settings.Limits.Chat.ContextBudgetTokens = &c.budget
			}
			w.model.tooLong(20)
			for message := 1; message <= 2; message++ {
				w.say(strings.Repeat("hi ", c.words))
				if s := w.rest(); s.Phase != domain.Idle {
					t.Fatalf("it does not rest: %s", s.Phase)
				}
				if n := len(w.model.asked); n > 4*message || n < 2 {
					t.Errorf("after message %d it was asked %d times", message, n)
				}
				if n := len(w.roundtrips); n != len(w.model.asked) {
					t.Errorf("%d calls are in the record, %d were made", n, len(w.model.asked))
				}
				notice := w.lastNotice()
				for _, word := range []string{"context_too_large", "message is kept", "about ", "rules and commands", "or "} {
					if !strings.Contains(notice, word) {
						t.Errorf("the person reads nothing of %q: %s", word, notice)
					}
				}
			}
		})
	}
}

// The first prompt is measured whole: levels 1 and 2, commands, the message and what is
// added to it.
func TestTheFirstPromptIsMeasuredWhole(t *testing.T) {
	w := newWorld(t)
	w.model.text("Hello.")
	w.model.text("Again.")
	w.say("hi")
	w.rest()
	for i := range 2 {
		if i == 1 {
			w.say("hi")
			w.rest()
		}
		ask := w.model.asked[i]
		if want := prompt.Size(ask, prompt.EstimateTurns(ask.Turns)); w.roundtrips[i].PromptTokens != want || want < 2_000 {
			t.Errorf("call %d: its prompt is recorded with %d tokens, and has %d", i, w.roundtrips[i].PromptTokens, want)
		}
	}
}

// TestABudgetThatTheLevelsUseUp verifies that a prompt whose fixed parts alone exceed the budget is not sent and no
// summary is paid for; the person sees what to shorten.
func TestABudgetThatTheLevelsUseUp(t *testing.T) {
	w := newWorld(t)
	budget := 2_000
	w.ws.Settings.Limits.Chat.ContextBudgetTokens = &budget
	for _, words := range []int{1, 5_000} {
		w.say(strings.Repeat("hi ", words))
		if s := w.rest(); s.Phase != domain.Idle || len(w.model.asked) != 0 || len(w.roundtrips) != 0 {
			t.Fatalf("in %s after %d calls, %d recorded", s.Phase, len(w.model.asked), len(w.roundtrips))
		}
		notice := w.lastNotice()
		for _, word := range []string{"context_too_large", "context_budget_tokens is 2000", "Nothing was sent", "prompt_detail", "raise context_budget_tokens"} {
			if !strings.Contains(notice, word) {
				t.Errorf("the person reads nothing of %s: %s", word, notice)
			}
		}
	}
}

// What a call of a new session reserves counts what stands before its history, level
// 2 included, once it was looked for.
func TestTheEstimateKnowsWhatStandsBefore(t *testing.T) {
	w := newWorld(t)
	view := w.view()
	if _, known := w.loop.Estimate(view); known {
		t.Error("nothing was read, and all is known")
	}
	w.loop.Learn(t.Context(), "default", "")
	estimate, known := w.loop.Estimate(view)
	if !known || estimate.Before() < 2_000 {
		t.Fatalf("known: %v", known)
	}
	w.model.text("Hello.")
	w.say("hi")
	w.rest()
	ask := w.model.asked[0]
	if sent := prompt.Size(ask, 0) - prompt.EstimateTokens(ask.Tail); estimate.Before() != sent {
		t.Errorf("%d tokens are expected before the history, %d were sent", estimate.Before(), sent)
	}
}

func TestFit(t *testing.T) {
	block := func(bytes int) *ai.Turn {
		return &ai.Turn{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: strings.Repeat("x", bytes)}}}
	}
	budget := func(n int) *int { return &n }
	window := func(n int) *providers.Model { return &providers.Model{Provider: &windowed{fakeModel{}, n}} }
	for _, c := range []struct {
		name              string
		room              room
		model             *providers.Model
		rules, data, said int // bytes
		compacted         bool
		want              string // "", "summary" or "hopeless"
	}{
		{"it fits", room{budget: budget(1000)}, window(0), 700, 700, 700, false, ""},
		{"to the last token", room{budget: budget(609)}, window(0), 700, 700, 686, false, ""},
		{"one token more", room{budget: budget(608)}, window(0), 0, 0, 3500, false, "summary"},
		{"the levels leave no room", room{budget: budget(1000)}, window(0), 1750, 1750, 70, false, "hopeless"},
		{"the levels leave too little for a summary", room{budget: budget(1000)}, window(0), 1750, 350, 7000, false, "hopeless"},
		{"the conversation is too long", room{budget: budget(2000)}, window(0), 700, 0, 70_000, false, "summary"},
		{"and still is, after the summary", room{budget: budget(2000)}, window(0), 700, 0, 70_000, true, "hopeless"},
		{"a window is the vendor's to judge", room{}, window(1000), 70_000, 0, 70, false, ""},
		{"no bound at all", room{}, window(0), 70_000, 70_000, 70_000, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ask := &ai.Prompt{System: strings.Repeat("r", c.rules), UserData: strings.Repeat("d", c.data), Turns: []*ai.Turn{block(c.said)}}
			err := c.room.fit(ask, prompt.EstimateTurns(ask.Turns), c.model, c.compacted)
			got := ""
			if full, ok := err.(*roomError); ok {
				got = map[bool]string{true: "hopeless", false: "summary"}[full.hopeless]
			}
			if got != c.want {
				t.Errorf("got %q, want %q: %+v", got, c.want, c.room.sizes)
			}
			if size := prompt.Size(ask, prompt.EstimateTurns(ask.Turns)); got == "" && c.room.budget != nil && size > *c.room.budget {
				t.Errorf("a prompt of %d tokens is sent", size)
			}
		})
	}
}

// windowed is a model whose window is known.
type windowed struct {
	fakeModel
	window int
}

func (m *windowed) Abilities() providers.Abilities {
	return providers.Abilities{ContextWindow: m.window}
}
