package agui

import (
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/handlers/standing"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// writer writes the events of a run, each in its order: what was begun is ended before the run
// is.
type writer struct {
	standing.Wire
	in    *input
	begun bool

	step string // that is open
	text open   // the message that is being told
	mind open   // the thoughts that are being told
	// whole are the messages that were told to their end; kept, what the client holds of the
	// run in their order.
	whole map[string]bool
	kept  []json.RawMessage
}

// open is a message that has begun and not ended.
type open struct {
	id    string
	chars int
	text  string
}

func newWriter(w http.ResponseWriter, in *input) *writer {
	out := &writer{Wire: standing.Wire{W: w}, in: in, whole: map[string]bool{}}
	if in.last >= 0 {
		out.kept = in.Messages[: in.last+1 : in.last+1]
	}
	return out
}

// holds: what the client has up to this message is not told again.
func (o *writer) holds(last int) { o.kept = o.in.Messages[: last+1 : last+1] }

// fields are those of an event.
type fields map[string]any

func (o *writer) begin() {
	if o.begun {
		return
	}
	o.begun = true
	o.Head()
	o.event("RUN_STARTED", fields{"threadId": o.in.Talk, "runId": o.in.RunID})
}

func (o *writer) event(kind string, f fields) {
	f["type"] = kind
	o.Data(jsonbody.Encode(f))
}

// over ends what is open.
func (o *writer) over() {
	o.endText()
	o.endThoughts()
	o.toStep("")
}

func (o *writer) finish(outcome fields) {
	o.over()
	o.event("RUN_FINISHED", fields{"threadId": o.in.Talk, "runId": o.in.RunID, "outcome": outcome})
	_ = o.Flush() // the client may have gone
}

func (o *writer) fail(f *api.Failure) {
	o.over()
	o.event("RUN_ERROR", fields{"message": f.Message, "code": string(f.Code)})
	_ = o.Flush() // the client may have gone
}

// toStep goes over to another step; "" is none.
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

// more tells a piece of a text that begins at a character.
func (o *writer) more(id string, offset int, text string) {
	if o.whole[id] {
		return
	}
	o.toText(id)
	if offset != o.text.chars {
		return // the message itself brings what is missing here
	}
	o.say(text)
}

// soFar tells what of a text has come before the client did.
func (o *writer) soFar(id, text string) {
	if o.whole[id] {
		return
	}
	o.toText(id)
	if len(text) > len(o.text.text) && text[:len(o.text.text)] == o.text.text {
		o.say(text[len(o.text.text):])
	}
}

func (o *writer) toText(id string) {
	if o.text.id == id {
		return
	}
	o.endText()
	o.endThoughts()
	o.text = open{id: id}
	o.event("TEXT_MESSAGE_START", fields{"messageId": id, "role": "assistant"})
}

func (o *writer) say(text string) {
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
	o.text = open{}
}

// think tells a piece of thoughts.
func (o *writer) think(id, text string) {
	id += "-thoughts"
	if text == "" || o.whole[id] {
		return
	}
	if o.mind.id != id {
		o.endThoughts()
		o.mind = open{id: id}
		o.event("REASONING_START", fields{"messageId": id})
		o.event("REASONING_MESSAGE_START", fields{"messageId": id, "role": "reasoning"})
	}
	o.mind.text += text
	o.event("REASONING_MESSAGE_CONTENT", fields{"messageId": id, "delta": text})
}

// completeThoughts writes what the client does not have yet of the reasoning of an answer, unless
// its text has begun.
func (o *writer) completeThoughts(id, thoughts string) {
	if o.text.id == id {
		return
	}
	told := ""
	if o.mind.id == id+"-thoughts" {
		told = o.mind.text
	}
	if rest, ok := strings.CutPrefix(thoughts, told); ok {
		o.think(id, rest)
	}
}

func (o *writer) endThoughts() {
	if o.mind.id == "" {
		return
	}
	o.event("REASONING_MESSAGE_END", fields{"messageId": o.mind.id})
	o.event("REASONING_END", fields{"messageId": o.mind.id})
	o.whole[o.mind.id] = true
	o.mind = open{}
}

// stored writes what the client does not have yet of an answer in the record.
func (o *writer) stored(id, thoughts, text string) {
	if o.whole[id] {
		return
	}
	o.whole[id] = true
	o.completeThoughts(id, thoughts)
	o.endThoughts()
	if text == "" && o.text.id != id {
		return
	}
	told := ""
	if o.text.id == id {
		told = o.text.text
	}
	if len(text) < len(told) || text[:len(told)] != told {
		o.discard() // it has become another one
		told = ""
	}
	o.toText(id)
	o.say(text[len(told):])
	o.endText()
	o.kept = append(o.kept, jsonbody.Encode(fields{"id": id, "role": "assistant", "content": text}))
}

// discard: what was streamed will not become a message, or another one. The client is given
// what it holds without it.
func (o *writer) discard() {
	o.endText()
	o.endThoughts()
	o.snapshot()
}

// snapshot replaces what the client holds.
func (o *writer) snapshot() {
	o.event("MESSAGES_SNAPSHOT", fields{"messages": o.kept})
}
