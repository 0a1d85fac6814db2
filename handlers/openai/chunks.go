package openai

import (
	"encoding/json"
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/rounds"
)

// chunks writes a completion as a stream of chunks.
type chunks struct {
	rounds.Wire
	head  completion
	extra extra
	usage bool
}

// open sends the headers and the first chunk.
func (c *chunks) open() {
	c.SetHeaders()
	c.head.Object = chatChunk
	c.WriteComment("accepted")
	c.delta(wireDelta{Role: roleAssistant, Content: new(string)})
	_ = c.Flush() // a disconnected client is noticed by its context
}

// stream sends an answer as it is generated. The headers are sent when the message is stored; later
// errors are sent within the stream.
func (a *completionRequest) stream(r *http.Request, at *location, out *chunks) {
	out.open()
	merger := newTextMerger(func(s string) { out.delta(wireDelta{Content: &s}) })
	rd := &round{
		message: at.message.ID, id: at.message.RoundID, sink: merger,
		onReasoning: func(s string) { out.delta(wireDelta{ReasoningContent: s}) },
	}
	ask, err := a.follow(r, at, rd, out)
	if err != nil {
		out.fail(r, a.Failure(err))
		return
	}
	if ask.forClient() {
		out.delta(wireDelta{ToolCalls: ask.calls(true)})
		out.end(&toolCalls, &out.extra, rd.usage)
		return
	}
	text := rd.notice
	if out.extra.openApproval = ask; ask != nil {
		text = ask.text
	}
	if text != "" {
		if merger.sentAny {
			text = separator + text
		}
		out.delta(wireDelta{Content: &text})
	}
	out.end(finishReason(rd), &out.extra, rd.usage)
}

// end ends the stream.
func (c *chunks) end(reason *string, more *extra, used api.Usage) {
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

func (c *chunks) delta(d wireDelta) {
	chunk := c.head
	chunk.Choices = []choice{{Delta: &d}}
	c.data(&chunk)
}

func (c *chunks) data(v any) {
	body, _ := json.Marshal(v) // texts and numbers only: cannot fail
	c.WriteData(body)
}
