package openai

import (
	"encoding/json"
	"net/http"
)

// chunks writes an answer piece by piece.
type chunks struct {
	w     http.ResponseWriter
	head  completion
	extra extra
	usage bool
	err   error // of the first write that failed: the client has gone
}

// open sends the head of an answer, and what every one begins with.
func (c *chunks) open() {
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
	c.head.Object = chatChunk
	c.comment("accepted")
	c.delta(wireDelta{Role: roleAssistant, Content: new(string)})
	_ = c.flush() // a client that has gone is noticed by its context
}

// stream sends an answer as it comes. Its head is sent when the message is stored: from then
// on errors are told within it.
func (a *completing) stream(r *http.Request, at *place, out *chunks) {
	out.open()
	told := &telling{emit: func(s string) { out.delta(wireDelta{Content: &s}) }}
	rd := &round{
		message: at.message.ID, id: at.message.RoundID, told: told,
		thought: func(s string) { out.delta(wireDelta{ReasoningContent: s}) },
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
	text := rd.words
	if out.extra.ask = ask; ask != nil {
		text = ask.text
	}
	if text != "" {
		if told.any {
			text = separator + text
		}
		out.delta(wireDelta{Content: &text})
	}
	out.end(finishReason(rd), &out.extra, rd.usage)
}

// end ends an answer.
func (c *chunks) end(reason *string, more *extra, used tokens) {
	last := c.head
	last.Choices, last.Fermata = []choice{{Delta: &wireDelta{}, FinishReason: reason}}, more
	c.data(&last)
	if c.usage {
		sum := c.head
		sum.Choices, sum.Usage = []choice{}, usageOf(used)
		c.data(&sum)
	}
	c.write([]byte("data: [DONE]\n\n"))
	_ = c.flush() // the client may have gone
}

func (c *chunks) delta(d wireDelta) {
	chunk := c.head
	chunk.Choices = []choice{{Delta: &d}}
	c.data(&chunk)
}

func (c *chunks) data(v any) {
	body, _ := json.Marshal(v) // structs of texts and numbers: cannot fail
	c.write(append(append([]byte("data: "), body...), "\n\n"...))
}

// beat tells a client that waits, and the proxies before it, that somebody is there.
func (c *chunks) beat() error {
	c.comment("waiting")
	return c.flush()
}

func (c *chunks) comment(text string) { c.write([]byte(": " + text + "\n\n")) }

func (c *chunks) write(b []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(b)
	}
}

func (c *chunks) flush() error {
	if c.err == nil {
		c.err = http.NewResponseController(c.w).Flush()
	}
	return c.err
}
