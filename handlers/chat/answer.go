package chat

import (
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// answerText merges the streamed and the stored text of a round: each character is sent once, however
// often a call of the AI is repeated.
type answerText struct {
	emit            func(wireDelta)
	text, reasoning rounds.TextMerger
	sentAny         bool // text was sent
}

func newAnswerText(emit func(wireDelta)) answerText {
	whole := rounds.TextMerger{StreamJSON: true}
	return answerText{emit: emit, text: whole, reasoning: whole}
}

// Event handles an event of the round.
func (a *answerText) Event(e *api.Event) {
	switch {
	case e.Message != nil:
		a.stored(e.Message)
	case e.Text == nil:
	case e.Name == stream.EventMessageSnapshot:
		a.delta(e.Text, 0)
	default:
		a.delta(e.Text, e.Text.Offset)
	}
}

// delta handles a part of an answer that begins at an offset in characters.
func (a *answerText) delta(d *api.MessageDeltaData, offset int) {
	switch d.Kind {
	case stream.KindThinking:
		more, _ := a.reasoning.Add(d.MessageID, offset, d.Text)
		a.sendReasoning(more)
	case stream.KindText:
		first := a.text.Sent() == ""
		more, restarted := a.text.Add(d.MessageID, offset, d.Text)
		a.send(more, first || restarted)
	}
}

// stored sends the rest of a stored answer. Of one that is the beginning of what was sent, there is none.
func (a *answerText) stored(m *api.Message) {
	text, ok := rounds.ShownText(m)
	if !ok {
		return
	}
	more, _ := a.reasoning.Complete(m.ID, m.Reasoning(), true)
	a.sendReasoning(more)
	first := a.text.Sent() == ""
	more, restarted := a.text.Complete(m.ID, text, true)
	a.send(more, first || restarted)
}

func (a *answerText) sendReasoning(text string) {
	if text != "" {
		a.emit(wireDelta{ReasoningContent: text})
	}
}

// send sends text. begins reports that it does not continue the text before it.
func (a *answerText) send(text string, begins bool) {
	if text == "" {
		return
	}
	if begins && a.sentAny {
		text = rounds.Separator + text
	}
	a.sentAny = true
	a.emit(wireDelta{Content: &text})
}

// wholeAnswer is an answer that is written at once.
type wholeAnswer struct {
	rounds.Unwritten
	answerText

	content, thoughts strings.Builder
}

func newWholeAnswer() *wholeAnswer {
	a := &wholeAnswer{}
	a.answerText = newAnswerText(func(d wireDelta) {
		a.thoughts.WriteString(d.ReasoningContent)
		if d.Content != nil {
			a.content.WriteString(*d.Content)
		}
	})
	return a
}

// Event handles an event of the round.
func (a *wholeAnswer) Event(e *api.Event) { a.answerText.Event(e) }

// answer follows the round until it is over or waits for a person, and writes the completion.
func (c *Completions) answer(w http.ResponseWriter, r *http.Request, x *rounds.Round, ask *request) error {
	out, extra := newWholeAnswer(), openai.NewExtra(&x.Found)
	var err error
	if extra.OpenApproval, err = c.FollowEvents(r, x, out); err != nil {
		if x.Outcome.Final {
			w.Header().Set(openai.ShouldRetry, "false")
		}
		return err
	}
	content := rounds.Joined(out.content.String(), closing(x, extra.OpenApproval))
	message := &wireMessOut{
		Role: openai.RoleAssistant, Content: &content, ReasoningContent: out.thoughts.String(), ToolCalls: callsOf(x, false),
	}
	if len(message.ToolCalls) > 0 && content == "" {
		message.Content = nil
	}
	head := newCompletion(chatCompletion, ask.Model, x.Found.Placed)
	head.Choices = []choice{{Message: message, FinishReason: finishReason(x)}}
	head.Usage, head.Fermata = usageOf(x.Outcome.Usage), &extra
	openai.WriteJSON(w, &head)
	return nil
}

// closing returns the text of this server that an answer ends with; "" for none.
func closing(x *rounds.Round, open *openai.OpenApproval) string {
	if open != nil {
		return open.Text
	}
	return x.Outcome.Notice
}
