package chat

import (
	"encoding/json"
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
)

// chunks writes a completion as a stream of chunks.
type chunks struct {
	rounds.Wire
	answerText

	head  completion
	usage bool
}

// newChunks sends the headers and the first chunk.
func newChunks(w http.ResponseWriter, head completion, usage bool) *chunks {
	c := &chunks{Wire: rounds.Wire{W: w}, head: head, usage: usage}
	c.answerText = newAnswerText(c.delta)
	c.SetHeaders()
	c.head.Object = chatChunk
	c.WriteComment("accepted")
	c.delta(wireDelta{Role: openai.RoleAssistant, Content: new(string)})
	_ = c.Flush() // a disconnected client is noticed by its context
	return c
}

// stream sends an answer as it is generated. The headers are sent when the message is stored; later
// errors are sent within the stream.
func (c *Completions) stream(w http.ResponseWriter, r *http.Request, x *rounds.Round, ask *request) {
	out := newChunks(w, newCompletion(chatCompletion, ask.Model, x.Found.Placed), ask.wantsUsage())
	extra := openai.NewExtra(&x.Found)
	var err error
	if extra.OpenApproval, err = c.FollowEvents(r, x, out); err != nil {
		out.fail(r, c.Failure(err))
		return
	}
	if calls := callsOf(x, true); len(calls) > 0 {
		out.delta(wireDelta{ToolCalls: calls})
	}
	out.send(closing(x, extra.OpenApproval), true)
	out.end(finishReason(x), &extra, x.Outcome.Usage)
}

// end ends the stream.
func (c *chunks) end(reason *string, more *openai.Extra, used api.Usage) {
	last := c.head
	last.Choices, last.Fermata = []choice{{Delta: &wireDelta{}, FinishReason: reason}}, more
	c.data(&last)
	if c.usage {
		sum := c.head
		sum.Choices, sum.Usage = []choice{}, usageOf(used)
		c.data(&sum)
	}
	c.WriteDone()
}

// fail writes an error within the stream.
func (c *chunks) fail(r *http.Request, f *api.Failure) {
	if !rounds.CallerGone(r.Context()) {
		c.data(json.RawMessage(openai.EncodeError(f)))
		_ = c.Flush() // the client may have disconnected
	}
}

func (c *chunks) delta(d wireDelta) {
	chunk := c.head
	chunk.Choices = []choice{{Delta: &d}}
	c.data(&chunk)
}

func (c *chunks) data(v any) {
	body, _ := json.Marshal(v) // texts and numbers only: cannot fail
	c.WriteData(body)
}
