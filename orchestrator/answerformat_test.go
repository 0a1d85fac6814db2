package orchestrator

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

const totalSchema = `{"type":"object","required":["total"],"properties":{"total":{"type":"integer"}},"additionalProperties":false}`

// asks sends a message whose answer has a format.
func (w *world) asks(text, schema string) {
	w.t.Helper()
	w.deliver(domain.UserMessageSent{Message: &domain.Message{
		ID: w.newID(domain.PrefixMessage), WorkspaceID: "default", SessionID: "ses_1", Sender: domain.SenderUser,
		Status: domain.MessageStored, Timestamp: clock.System(), Rich: &domain.RichContent{LinearText: text},
		Tools: &domain.ClientTools{Answer: &domain.AnswerFormat{Schema: json.RawMessage(schema)}},
	}})
}

// sent describes the calls of the AI: what each offers, and the schema that it sends.
func (w *world) sent() (all []string) {
	for _, p := range w.model.asked {
		one := "text"
		if len(p.Commands) > 0 {
			one = "commands"
		}
		if len(p.AnswerSchema) > 0 {
			one = "schema"
		}
		if !strings.Contains(p.Tail, `"ANSWER_FORMAT"`) {
			one += " without a word of it"
		}
		all = append(all, one)
	}
	return all
}

// The schema is sent on the call that closes the round, and on no other; an answer that satisfies it already needs
// no further call.
func TestAnAnswerInAFormat(t *testing.T) {
	for name, c := range map[string]struct {
		model      func(m *fakeModel)
		said, sent []string
	}{
		"at once": {func(m *fakeModel) { m.text(` {"total": 3} `) }, []string{`AI:{"total": 3}`}, []string{"commands"}},
		"in a fence": {
			func(m *fakeModel) { m.text("Here it is:\n```json\n{\"total\": 3}\n```\nAnything else?") },
			[]string{`AI:{"total": 3}`}, []string{"commands"},
		},
		"in prose": {func(m *fakeModel) { m.text(`It is {"total":3}.`) }, []string{`AI:{"total":3}`}, []string{"commands"}},
		"after commands": {func(m *fakeModel) {
			m.says("I look.", "ZONES", "{}")
			m.text("There are three.")
			m.text(`{"total":3}`)
		}, []string{"AI:I look.", "DATA_ADDED", "AI:" + domain.InvalidFormatText, "FORMAT_ERROR", `AI:{"total":3}`},
			[]string{"commands", "commands", "schema"}},
		"after actions": {func(m *fakeModel) {
			m.says("I make one.", "CREATE_ZONE", `{"name":"Work"}`)
			m.text(`{"total":1}`)
		}, []string{"AI:I make one.", "ACTIONS_EXECUTED", `AI:{"total":1}`}, []string{"commands", "commands"}},
		"repaired": {func(m *fakeModel) {
			m.text("Three.")
			m.text(`{"total":"3"}`)
			m.text(`{"total":3}`)
		}, []string{"AI:" + domain.InvalidFormatText, "FORMAT_ERROR", "AI:" + domain.InvalidFormatText, "FORMAT_ERROR", `AI:{"total":3}`},
			[]string{"commands", "schema", "schema"}},
		"never": {func(m *fakeModel) {
			m.text("Three.")
			m.text(`{"total":"3"}`)
			m.text(`{"total":3,"more":1}`)
			m.text(`{"total":3}`)
		}, []string{"AI:" + domain.InvalidFormatText, "FORMAT_ERROR", "AI:" + domain.InvalidFormatText, "FORMAT_ERROR", "NETWORK_ERROR"},
			[]string{"commands", "schema", "schema"}},
		"refused by the model": {func(m *fakeModel) {
			m.then(func(context.Context, *providers.Request) (*providers.Answer, error) {
				return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "No.", StopReason: domain.StopRefused}}, nil
			})
		}, []string{"AI:No."}, []string{"commands"}},
		"refused by the vendor": {func(m *fakeModel) {
			m.text("Three.")
			m.then(func(context.Context, *providers.Request) (*providers.Answer, error) {
				return nil, &providers.Error{Class: providers.ClassInvalidRequest, Message: "no such keyword"}
			})
			m.text(`{"total":3}`)
		}, []string{"AI:" + domain.InvalidFormatText, "FORMAT_ERROR", `AI:{"total":3}`}, []string{"commands", "schema", "text"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.ws.Settings.AfterActions = domain.AfterActionsRest
			w.streams.watched = true
			c.model(w.model)
			w.asks("how many?", totalSchema)
			s := w.rest()
			wantSaid(t, w, append([]string{"USER:how many?"}, c.said...)...)
			if got := w.sent(); !slices.Equal(got, c.sent) || s.Phase != domain.Idle {
				t.Errorf("the calls were %q, want %q; phase %s", got, c.sent, s.Phase)
			}
			if w.streams.text != "" {
				t.Errorf("%q was streamed before it was checked", w.streams.text)
			}
		})
	}
}

// What is wrong is said to the AI and, in the end, to the client; the next round begins afresh.
func TestAFormatThatIsNotMet(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.model.text(`{"total":"3"}`)
	}
	w.asks("how many?", totalSchema)
	w.rest()
	var problems []string
	for _, m := range w.messages {
		if m.System != nil {
			problems = append(problems, string(m.System.Code)+m.System.Detail+m.System.Summary)
		}
	}
	if len(problems) != 3 || !strings.Contains(problems[0], "/total: This must be a whole number") ||
		!strings.Contains(problems[2], "answer_schema") || !strings.Contains(problems[2], "/total: ") {
		t.Errorf("%q", problems)
	}
	w.model.text("Text again.")
	w.say("and now?")
	if s := w.rest(); s.State.Misfits != 0 || w.sent()[3] != "commands without a word of it" {
		t.Errorf("%d, %q", s.State.Misfits, w.sent())
	}
}

// A process that takes over between an answer and its repair continues with the repair.
func TestARepairOutlivesTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.model.text("Three.")
		w.model.then(func(ctx context.Context, _ *providers.Request) (*providers.Answer, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		w.asks("how many?", totalSchema)
		synctest.Wait()
		if err := w.loop.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.rest()
		w.loop = New(w.loop.cfg)
		w.model.text(`{"total":3}`)
		w.loop.Drive(w.view(), domain.DoCallAI)
		w.rest()
		wantSaid(t, w, "USER:how many?", "AI:"+domain.InvalidFormatText, "FORMAT_ERROR", `AI:{"total":3}`)
		if got := w.sent(); !slices.Equal(got, []string{"commands", "schema", "schema"}) {
			t.Errorf("the calls were %q", got)
		}
	})
}
