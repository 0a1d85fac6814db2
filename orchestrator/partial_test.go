package orchestrator

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// cut has the model answer with something that did not come to its end.
func (m *fakeModel) cut(raw domain.RawAnswer, output int64) {
	m.then(func(context.Context, *providers.Request) (*providers.Answer, error) {
		own := raw
		own.Protocol = domain.ProtocolNative
		return &providers.Answer{Raw: &own, Usage: domain.Usage{OutputTokens: output}}, nil
	})
}

// lastTurn is what the model reads last.
func lastTurn(ask *ai.Prompt) string {
	var all []string
	for _, b := range ask.Turns[len(ask.Turns)-1].Blocks {
		all = append(all, b.Text)
	}
	return strings.Join(all, "\n")
}

// TestACutCallIsReportedToTheAI verifies that if an answer was truncated in the middle of a call, the AI receives
// an error and answers again.
func TestACutCallIsReportedToTheAI(t *testing.T) {
	for name, row := range map[string]struct {
		raw      domain.RawAnswer
		output   int64
		guidance []string
	}{
		"a call": {domain.RawAnswer{Text: "I make it.", StopReason: "length", CutCalls: []string{"CREATE_ZONE"}}, 1024,
			[]string{"was cut at 1024 tokens", "CREATE_ZONE", "nothing of it was run", "shorter"}},
		"thoughts alone": {domain.RawAnswer{StopReason: "length", Thinking: []domain.Thinking{{Text: "hm"}}}, 1024,
			[]string{"was cut at 1024 tokens", "thoughts", "shorter"}},
		"nothing":   {domain.RawAnswer{StopReason: "length"}, 0, []string{"its length limit", "shorter"}},
		"malformed": {domain.RawAnswer{StopReason: "malformed", StopDetail: "MALFORMED_FUNCTION_CALL"}, 5, []string{"MALFORMED_FUNCTION_CALL", "nothing of it was run"}},
		"a word that is not known, in a call": {domain.RawAnswer{StopReason: "unknown", StopDetail: "bad_weather", CutCalls: []string{"ZONES"}}, 5,
			[]string{"bad_weather", "ZONES", "nothing of it was run"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.model.cut(row.raw, row.output)
			w.model.text("Shorter.")
			w.say("Make a zone.")
			w.rest()
			if got := w.said(); len(got) != 4 || got[2] != "FORMAT_ERROR" || got[3] != "AI:Shorter." {
				t.Fatalf("the record is %v", got)
			}
			for _, words := range row.guidance {
				if turn := lastTurn(w.model.asked[1]); !strings.Contains(turn, words) {
					t.Errorf("%q is not in %s", words, turn)
				}
			}
		})
	}
}

// A model that reaches its limit again and again with nothing to show is not asked for ever, and
// the person learns the reason.
func TestAnswersThatAreCutAgainAndAgain(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.model.cut(domain.RawAnswer{Text: strings.Repeat("I try. ", i+1), StopReason: "length", CutCalls: []string{"CREATE_ZONE"}}, 100)
	}
	w.say("Make a zone.")
	w.rest()
	got := w.said()
	if len(w.model.asked) != 3 || got[len(got)-1] != "LIMIT_REACHED" {
		t.Fatalf("asked %d times: %v", len(w.model.asked), got)
	}
	if last := w.messages[len(w.messages)-1].System.Summary; !strings.Contains(last, "length limit") || !strings.Contains(last, "max_tokens") {
		t.Errorf("the person reads %s", last)
	}
	w.model.answers = nil
	w.model.text("Fine.")
	w.say("Again.")
	w.rest()
	if got := w.said(); got[len(got)-1] != "AI:Fine." {
		t.Errorf("the next message: %v", got)
	}
}

// TestACutTextIsMarked verifies that a truncated text is stored and marked, and that the person sees a notice.
func TestACutTextIsMarked(t *testing.T) {
	for stop, notice := range map[string]string{"length": "length limit", "unknown": "before it was whole"} {
		w := newWorld(t)
		w.model.cut(domain.RawAnswer{Text: "One, two,", StopReason: stop}, 7)
		w.say("Count.")
		w.rest()
		last := w.messages[len(w.messages)-1]
		if last.AI == nil || last.AI.PreText != "One, two," || last.AI.StopReason != stop || last.Raw.StopReason != stop {
			t.Errorf("%s: the last message is %+v", stop, last)
		}
		if stop == "length" && last.Raw.CutAt != 7 {
			t.Errorf("cut at %d", last.Raw.CutAt)
		}
		if len(w.notices) != 1 || !strings.HasPrefix(w.notices[0], "answer_cut: ") || !strings.Contains(w.notices[0], notice) {
			t.Errorf("%s: the notices are %v", stop, w.notices)
		}
	}
}

// What had come of an answer whose call fails in a chat stays, is not taken back from those who
// watch, and stands before the next message for the AI.
func TestAnAnswerThatBreaksOffIsKept(t *testing.T) {
	for name, row := range map[string]struct {
		fails providers.Error
		stop  string
		mark  string
	}{
		"broken off":  {providers.Error{Class: providers.ClassNetwork, Message: "the answer broke off", Partial: true}, "broken_off", "[the answer broke off here]"},
		"overloaded":  {providers.Error{Class: providers.ClassOverloaded, Partial: true}, "broken_off", "broke off"},
		"filtered":    {providers.Error{Class: providers.ClassRefused, Partial: true}, "content_filter", "filter cut"},
		"not watched": {providers.Error{Class: providers.ClassRefused, Partial: true, Text: "Half an"}, "content_filter", "filter cut"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.streams.watched = row.fails.Text == ""
			w.model.then(func(_ context.Context, r *providers.Request) (*providers.Answer, error) {
				if r.OnDelta != nil {
					r.OnDelta(providers.Delta{Kind: providers.DeltaThinking, Text: "hm"})
					r.OnDelta(providers.Delta{Kind: providers.DeltaText, Text: "Half "})
					r.OnDelta(providers.Delta{Kind: providers.DeltaText, Text: "an"})
				}
				return nil, &row.fails
			})
			w.model.text("answer.")
			w.say("Say it.")
			w.rest()
			if got := w.said(); !slices.Equal(got, []string{"USER:Say it.", "AI:Half an", "NETWORK_ERROR"}) {
				t.Fatalf("the record is %v", got)
			}
			part := w.messages[1]
			if part.Status != domain.MessageInterrupted || part.AI.StopReason != row.stop {
				t.Errorf("the part is %+v, %+v", part, part.AI)
			}
			if len(w.streams.discarded) != 0 || w.streams.watched && (w.streams.settled != 1 || part.ID != w.roundtrips[0].MessageID) {
				t.Errorf("discarded %v, settled %d, stored as %s", w.streams.discarded, w.streams.settled, part.ID)
			}
			w.say("Continue.")
			w.rest()
			turns := w.model.asked[1].Turns
			if len(turns) != 3 || !strings.Contains(turns[1].Blocks[0].Text, "Half an\n") || !strings.Contains(turns[1].Blocks[0].Text, row.mark) {
				t.Errorf("the AI reads %+v", turns[1].Blocks)
			}
		})
	}
}

// Nothing stays where nothing had come, where the prompt was the reason, or where it is too much.
func TestWhatIsNotKeptOfAnAnswer(t *testing.T) {
	for name, row := range map[string]struct {
		class providers.Class
		text  string
	}{
		"blank":         {providers.ClassNetwork, " \n"},
		"too much":      {providers.ClassNetwork, strings.Repeat("x", maxPart+1)},
		"not an answer": {providers.ClassInvalidRequest, "Half an"},
	} {
		w := newWorld(t)
		w.streams.watched = true
		w.model.then(func(_ context.Context, r *providers.Request) (*providers.Answer, error) {
			r.OnDelta(providers.Delta{Kind: providers.DeltaText, Text: row.text})
			return nil, &providers.Error{Class: row.class, Partial: true}
		})
		w.say("Say it.")
		w.rest()
		if got := w.said(); !slices.Equal(got, []string{"USER:Say it.", "NETWORK_ERROR"}) || len(w.streams.discarded) != 1 {
			t.Errorf("%s: the record is %v, discarded %v", name, got, w.streams.discarded)
		}
	}
}

// With a quota that is used up, another provider can answer; a chat whose providers are all
// without one is not tried again.
func TestAnEmptyQuota(t *testing.T) {
	w, models := withFallbacks(t, "b")
	w.model.fail(&providers.Error{Class: providers.ClassQuota, Message: "nothing left"})
	models.models["b"].text("From b.")
	w.say("Hello")
	w.rest()
	if got := w.said(); !slices.Equal(got, []string{"USER:Hello", "AI:From b."}) {
		t.Errorf("the record is %v", got)
	}
}

// room for an answer is what its model's window leaves beside the prompt, but never too little to
// say something.
func TestRoomForTheAnswer(t *testing.T) {
	for _, c := range []struct {
		name               string
		window, own        int
		most, prompt, want int
		commands           bool
	}{
		{"the window is not known", 0, 4096, 4096, 100_000, 4096, true},
		{"there is room", 128_000, 4096, 4096, 6100, 4096, true},
		{"there is less", 8192, 4096, 4096, 6100, 8192 - 6100 - 305, true},
		{"there is hardly any", 8192, 4096, 4096, 8000, 256, true},
		{"the prompt is larger than the window", 8192, 4096, 4096, 9000, 256, true},
		{"nothing was said, and there is room", 128_000, 1024, 0, 6100, 0, true},
		{"nothing was said, with commands", 8192, 1024, 0, 6100, 8192 - 6100 - 305, true},
		{"nothing was said, without", 8192, 1024, 0, 6100, 0, false},
	} {
		model := &providers.Model{Provider: &limited{providers.Abilities{ContextWindow: c.window, MaxTokens: c.own}}}
		if got := answerRoom(model, c.most, c.prompt, c.commands); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

type limited struct{ abilities providers.Abilities }

func (l *limited) Abilities() providers.Abilities { return l.abilities }
func (l *limited) Query(context.Context, *providers.Request) (*providers.Answer, error) {
	return nil, nil
}

// TestASmallRoomIsSummarisedFirst verifies that even with a small budget beside the rules, older messages are
// summarised before any is left out, and the summary fits. If something is left out after all, the person sees one
// notice.
func TestASmallRoomIsSummarisedFirst(t *testing.T) {
	rules := newWorld(t)
	rules.model.text("Hello.")
	rules.say("hi")
	rules.rest()
	fixed := rules.roundtrips[0].PromptTokens
	for _, more := range []int{1_500, 2_200, 3_200, 5_000} {
		w := newWorld(t)
		budget := fixed + more
		w.ws.Settings.Limits.Chat.ContextBudgetTokens = &budget
		for range 80 {
			w.model.then(func(_ context.Context, r *providers.Request) (*providers.Answer, error) {
				words := strings.Repeat("Well. ", 150)
				if r.Small {
					words = strings.Repeat("They talked. ", 400)
				}
				return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: words, StopReason: "stop"}}, nil
			})
		}
		for range 16 {
			w.say(strings.Repeat("Tell me more. ", 50))
			if s := w.rest(); s.Phase != domain.Idle {
				t.Fatalf("with %d tokens it does not rest: %s", more, s.Phase)
			}
		}
		summaries := 0
		for _, ask := range w.model.asked {
			if size := prompt.Size(ask, prompt.EstimateTurns(ask.Turns)); len(ask.Commands) > 0 && size > budget {
				t.Errorf("with %d tokens a prompt of %d is sent, over %d", more, size, budget)
			}
			for _, turn := range ask.Turns {
				for _, b := range turn.Blocks {
					if strings.Contains(b.Text, "left out here") {
						t.Errorf("with %d tokens something is left out", more)
					}
				}
			}
		}
		for _, said := range w.said() {
			if said == string(domain.SystemContextSummary) {
				summaries++
			}
		}
		if summaries == 0 || len(w.notices) != 0 || strings.Contains(strings.Join(w.said(), " "), "NETWORK_ERROR") {
			t.Errorf("with %d tokens: %d summaries, notices %v", more, summaries, w.notices)
		}
	}
}
