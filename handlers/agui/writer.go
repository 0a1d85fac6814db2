package agui

import (
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/rounds"
)

// writer writes the events of a run in a valid order: everything that was started is ended before
// the run is.
type writer struct {
	rounds.Wire
	in      *input
	started bool

	step      string      // the open step
	text      openMessage // the open text message
	reasoning openMessage // the open reasoning message
	// complete are the ids of ended messages; heldMessages, those that the client has, in order.
	complete     map[string]bool
	heldMessages []json.RawMessage
}

// openMessage is a message that was started and not ended.
type openMessage struct {
	id    string
	chars int
	text  string
}

func newWriter(w http.ResponseWriter, in *input) *writer {
	out := &writer{Wire: rounds.Wire{W: w}, in: in, complete: map[string]bool{}}
	if in.last >= 0 {
		out.heldMessages = in.Messages[: in.last+1 : in.last+1]
	}
	return out
}

// keepUpTo sets the client's messages that are not written again.
func (o *writer) keepUpTo(last int) { o.heldMessages = o.in.Messages[: last+1 : last+1] }

// fields are the fields of an event.
type fields map[string]any

func (o *writer) start() {
	if o.started {
		return
	}
	o.started = true
	o.SetHeaders()
	o.event("RUN_STARTED", fields{"threadId": o.in.ChatID, "runId": o.in.RunID})
}

func (o *writer) event(kind string, f fields) {
	f["type"] = kind
	o.WriteData(jsonbody.Encode(f))
}

// closeAll ends everything that is open.
func (o *writer) closeAll() {
	o.endText()
	o.endReasoning()
	o.toStep("")
}

func (o *writer) finish(outcome fields) {
	o.closeAll()
	o.event("RUN_FINISHED", fields{"threadId": o.in.ChatID, "runId": o.in.RunID, "outcome": outcome})
	_ = o.Flush() // the client may have disconnected
}

func (o *writer) fail(f *api.Failure) {
	o.closeAll()
	o.event("RUN_ERROR", fields{"message": f.Message, "code": string(f.Code)})
	_ = o.Flush() // the client may have disconnected
}

// toStep goes to another step; "" for none.
func (o *writer) toStep(name string) {
	if name == o.step {
		return
	}
	if o.step != "" {
		o.event("STEP_FINISHED", fields{"stepName": o.step})
	}
	if o.step = name; name != "" {
		o.event("STEP_STARTED", fields{"stepName": name})
	}
}

// textDelta writes a delta of a text that begins at an offset in characters.
func (o *writer) textDelta(id string, offset int, text string) {
	if o.complete[id] {
		return
	}
	o.openText(id)
	if offset != o.text.chars {
		return // the stored message contains the missing part
	}
	o.writeText(text)
}

// textSnapshot writes the rest of a text that was streamed before the client connected.
func (o *writer) textSnapshot(id, text string) {
	if o.complete[id] {
		return
	}
	o.openText(id)
	if len(text) > len(o.text.text) && text[:len(o.text.text)] == o.text.text {
		o.writeText(text[len(o.text.text):])
	}
}

func (o *writer) openText(id string) {
	if o.text.id == id {
		return
	}
	o.endText()
	o.endReasoning()
	o.text = openMessage{id: id}
	o.event("TEXT_MESSAGE_START", fields{"messageId": id, "role": "assistant"})
}

func (o *writer) writeText(text string) {
	if text == "" {
		return
	}
	o.text.text += text
	o.text.chars += utf8.RuneCountInString(text)
	o.event("TEXT_MESSAGE_CONTENT", fields{"messageId": o.text.id, "delta": text})
}

func (o *writer) endText() {
	if o.text.id == "" {
		return
	}
	o.event("TEXT_MESSAGE_END", fields{"messageId": o.text.id})
	o.text = openMessage{}
}

// writeReasoning writes a delta of reasoning.
func (o *writer) writeReasoning(id, text string) {
	id += "-thoughts"
	if text == "" || o.complete[id] {
		return
	}
	if o.reasoning.id != id {
		o.endReasoning()
		o.reasoning = openMessage{id: id}
		o.event("REASONING_START", fields{"messageId": id})
		o.event("REASONING_MESSAGE_START", fields{"messageId": id, "role": "reasoning"})
	}
	o.reasoning.text += text
	o.event("REASONING_MESSAGE_CONTENT", fields{"messageId": id, "delta": text})
}

// completeThoughts writes what the client does not have yet of the reasoning of an answer, unless
// its text has begun.
func (o *writer) completeReasoning(id, thoughts string) {
	if o.text.id == id {
		return
	}
	sent := ""
	if o.reasoning.id == id+"-thoughts" {
		sent = o.reasoning.text
	}
	if rest, ok := strings.CutPrefix(thoughts, sent); ok {
		o.writeReasoning(id, rest)
	}
}

func (o *writer) endReasoning() {
	if o.reasoning.id == "" {
		return
	}
	o.event("REASONING_MESSAGE_END", fields{"messageId": o.reasoning.id})
	o.event("REASONING_END", fields{"messageId": o.reasoning.id})
	o.complete[o.reasoning.id] = true
	o.reasoning = openMessage{}
}

// stored writes what the client does not have yet of an answer in the record.
func (o *writer) storedAnswer(id, thoughts, text string) {
	if o.complete[id] {
		return
	}
	o.complete[id] = true
	o.completeReasoning(id, thoughts)
	o.endReasoning()
	if text == "" && o.text.id != id {
		return
	}
	sent := ""
	if o.text.id == id {
		sent = o.text.text
	}
	if len(text) < len(sent) || text[:len(sent)] != sent {
		o.discard() // it has another text
		sent = ""
	}
	o.openText(id)
	o.writeText(text[len(sent):])
	o.endText()
	o.heldMessages = append(o.heldMessages, jsonbody.Encode(fields{"id": id, "role": "assistant", "content": text}))
}

// discard removes streamed text that will not become a message, or became another one. The client
// gets its messages without it.
func (o *writer) discard() {
	o.endText()
	o.endReasoning()
	o.snapshot()
}

// snapshot replaces the messages of the client.
func (o *writer) snapshot() {
	o.event("MESSAGES_SNAPSHOT", fields{"messages": o.heldMessages})
}
