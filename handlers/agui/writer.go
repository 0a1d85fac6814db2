package agui

import (
	"encoding/json"
	"net/http"
	"strings"

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

	step      string // the open step
	text      rounds.TextMerger
	reasoning rounds.TextMerger
	// ids of the answers whose text and whose reasoning are open; "" for none
	textID, reasoningID string
	// complete are the ids of ended messages; heldMessages, those that the client has, in order.
	complete     map[string]bool
	heldMessages []json.RawMessage
}

func newWriter(w http.ResponseWriter, in *input) *writer {
	whole := rounds.TextMerger{StreamJSON: true}
	out := &writer{Wire: rounds.Wire{W: w}, in: in, complete: map[string]bool{}, text: whole, reasoning: whole}
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
	more, _ := o.text.Add(id, offset, text)
	o.writeText(more)
}

func (o *writer) openText(id string) {
	if o.textID == id {
		return
	}
	o.endText()
	o.endReasoning()
	o.textID = id
	o.event("TEXT_MESSAGE_START", fields{"messageId": id, "role": "assistant"})
}

func (o *writer) writeText(text string) {
	if text != "" {
		o.event("TEXT_MESSAGE_CONTENT", fields{"messageId": o.textID, "delta": text})
	}
}

func (o *writer) endText() {
	if o.textID == "" {
		return
	}
	o.event("TEXT_MESSAGE_END", fields{"messageId": o.textID})
	o.textID = ""
	o.text.Reset()
}

// reasoningDelta writes a delta of reasoning that begins at an offset in characters.
func (o *writer) reasoningDelta(id string, offset int, text string) {
	if o.reasoningID != "" && o.reasoningID != id {
		o.endReasoning()
	}
	if !o.complete[reasoningOf(id)] {
		more, _ := o.reasoning.Add(id, offset, text)
		o.writeReasoning(id, more)
	}
}

// reasoningOf returns the id of the message with the reasoning of an answer.
func reasoningOf(id string) string { return id + "-thoughts" }

// writeReasoning writes a part of the reasoning of an answer, and begins its message if necessary.
func (o *writer) writeReasoning(id, text string) {
	if text == "" {
		return
	}
	if o.reasoningID != id {
		o.reasoningID = id
		o.event("REASONING_START", fields{"messageId": reasoningOf(id)})
		o.event("REASONING_MESSAGE_START", fields{"messageId": reasoningOf(id), "role": "reasoning"})
	}
	o.event("REASONING_MESSAGE_CONTENT", fields{"messageId": reasoningOf(id), "delta": text})
}

// completeReasoning writes what the client does not have yet of the reasoning of an answer, unless its
// text has begun.
func (o *writer) completeReasoning(id, thoughts string) {
	if o.reasoningID != "" && o.reasoningID != id {
		o.endReasoning()
	}
	if o.textID == id || o.complete[reasoningOf(id)] {
		return
	}
	if more, restarted := o.reasoning.Complete(id, thoughts, false); !restarted {
		o.writeReasoning(id, more)
	}
}

func (o *writer) endReasoning() {
	if o.reasoningID == "" {
		return
	}
	id := reasoningOf(o.reasoningID)
	o.event("REASONING_MESSAGE_END", fields{"messageId": id})
	o.event("REASONING_END", fields{"messageId": id})
	o.complete[id] = true
	o.reasoningID = ""
	o.reasoning.Reset()
}

// storedAnswer writes what the client does not have yet of an answer in the record.
func (o *writer) storedAnswer(id, thoughts, text string) {
	if o.complete[id] {
		return
	}
	o.complete[id] = true
	o.completeReasoning(id, thoughts)
	o.endReasoning()
	if text == "" && o.textID != id {
		return
	}
	if o.textID == id && !strings.HasPrefix(text, o.text.Sent()) {
		o.discard() // it has another text
	}
	o.openText(id)
	more, _ := o.text.Complete(id, text, false)
	o.writeText(more)
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
