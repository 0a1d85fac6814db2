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

// stream sends an answer as it comes. Its head is sent when the message is stored: from then
// on errors are told within it.
func (a *asking) stream(w http.ResponseWriter, r *http.Request, at *place, out *chunks) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
	out.comment("accepted")
	out.delta(wireDelta{Role: roleAssistant, Content: new(string)})
	rd := &round{message: at.message.ID, id: at.message.RoundID, thought: func(s string) { out.delta(wireDelta{ReasoningContent: s}) }}
	rd.told.emit = func(s string) { out.delta(wireDelta{Content: &s}) }
	if err := out.flush(); err != nil {
		return
	}
	var err error
	if out.extra.ask, err = a.follow(r, at, rd, out); err == nil {
		out.finish(rd)
	} else if r.Context().Err() == nil {
		out.data(json.RawMessage(encodeError(a.Failure(err))))
		_ = out.flush() // the client may have gone
	}
}

// finish ends an answer.
func (c *chunks) finish(rd *round) {
	if c.extra.ask != nil {
		text := c.extra.text
		if rd.told.any {
			text = separator + text
		}
		c.delta(wireDelta{Content: &text})
	}
	last := c.head
	last.Choices, last.Fermata = []choice{{Delta: &wireDelta{}, FinishReason: finishReason(rd)}}, &c.extra
	c.data(&last)
	if c.usage {
		sum := c.head
		sum.Choices, sum.Usage = []choice{}, usageOf(rd.usage)
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
