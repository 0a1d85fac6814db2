package uistream

import (
	"net/http"
	"strconv"

	"github.com/fermata-dev/fermata/handlers/standing"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/speech"
)

// fields are those of a chunk.
type fields map[string]any

// writer writes the chunks of a message, in steps: one for each answer of the AI, with the calls
// that it asked for. What the front end holds already is passed over.
type writer struct {
	standing.Wire

	holds  []heldStep
	states map[string]string // of the calls that the front end holds

	step  int    // the number of the latest, from 1
	open  bool   // the front end was told that it began, and not that it is over
	said  string // the message of the step, once it is stored
	text  speech.Text
	mind  speech.Text
	part  openPart
	parts int // that were begun for one message
	calls map[string]bool
}

// openPart is a text or thoughts that have begun and not ended; without an id, none.
type openPart struct{ kind, id string }

// heldStep is what a front end holds of a step.
type heldStep struct {
	text, thoughts string
	calls          bool
}

func newWriter(w http.ResponseWriter, held *uiMessage) *writer {
	o := &writer{Wire: standing.Wire{W: w}, states: map[string]string{}, calls: map[string]bool{}}
	if held == nil {
		return o
	}
	for _, p := range held.Parts {
		if p.Type == stepStart {
			o.holds = append(o.holds, heldStep{})
			continue
		}
		if p.isTool() {
			o.states[p.CallID] = p.State
			if n := len(o.holds); n > 0 {
				o.holds[n-1].calls = true
			}
		}
		if n := len(o.holds); n > 0 {
			switch p.Type {
			case "text":
				o.holds[n-1].text += p.Text
			case "reasoning":
				o.holds[n-1].thoughts += p.Text
			}
		}
	}
	return o
}

func (o *writer) begin(message string, metadata fields) {
	o.Head()
	o.W.Header().Set("X-Vercel-Ai-Ui-Message-Stream", "v1")
	o.chunk("start", fields{"messageId": message, "messageMetadata": metadata})
}

func (o *writer) chunk(kind string, f fields) {
	f["type"] = kind
	o.Data(jsonbody.Encode(f))
}

// enter goes to the step of a message: another one, if that of the step before is stored.
func (o *writer) enter(message string) {
	if o.step > 0 && (o.said == "" || o.said == message) {
		return
	}
	o.leave()
	o.step++
	o.said, o.parts = "", 0
	if o.step <= len(o.holds) {
		o.text.Hold(o.holds[o.step-1].text)
		o.mind.Hold(o.holds[o.step-1].thoughts)
		return
	}
	o.open = true
	o.chunk("start-step", fields{})
}

// leave ends the step.
func (o *writer) leave() {
	o.endPart()
	if o.open {
		o.chunk("finish-step", fields{})
		o.open = false
	}
}

// brokenOff stands between a text that became no message and the one that took its place.
const brokenOff = "(What stands above was broken off.)\n\n"

// say tells a piece of an answer.
func (o *writer) say(kind, id, more string, anew bool) {
	if more == "" {
		return
	}
	if anew && kind == "text" {
		o.endPart()
		more = brokenOff + more
	}
	if o.part.kind != kind {
		o.endPart()
		o.parts++
		o.part = openPart{kind, id + "-" + strconv.Itoa(o.parts)}
		o.chunk(kind+"-start", fields{"id": o.part.id})
	}
	o.chunk(kind+"-delta", fields{"id": o.part.id, "delta": more})
}

func (o *writer) endPart() {
	if o.part.id != "" {
		o.chunk(o.part.kind+"-end", fields{"id": o.part.id})
		o.part = openPart{}
	}
}

// piece tells a part of an answer that comes.
func (o *writer) piece(id string, offset int, text string) {
	if id == o.said {
		return // it was told whole
	}
	o.enter(id)
	more, anew := o.text.Piece(id, offset, text)
	o.say("text", id, more, anew)
}

func (o *writer) thought(id string, offset int, text string) {
	if id == o.said {
		return
	}
	o.enter(id)
	more, anew := o.mind.Piece(id, offset, text)
	o.say("reasoning", id, more, anew)
}

// stored writes what the client does not have yet of an answer in the record: a stream that is
// resumed has the same reasoning as one that was read live.
func (o *writer) stored(id, thoughts, text string, cut bool) {
	if id == o.said {
		return
	}
	o.enter(id)
	if o.takesReasoning() {
		more, anew := o.mind.Whole(id, thoughts, cut)
		o.say("reasoning", id, more, anew)
	}
	more, anew := o.text.Whole(id, text, cut)
	o.say("text", id, more, anew)
	o.mind.Over()
	o.endPart()
	o.said = id
}

// takesReasoning reports whether reasoning can be added to the step. The client appends parts to the
// end of its message, so that reasoning of a step whose text or calls it has would be misplaced.
func (o *writer) takesReasoning() bool {
	if o.text.Told() != "" {
		return false
	}
	return o.step > len(o.holds) || o.step == len(o.holds) && !o.holds[o.step-1].calls
}

// call tells a call of a tool, once. ours says that it is carried out here.
func (o *writer) call(id, name string, params any, ours bool) {
	if o.calls[id] {
		return
	}
	o.calls[id] = true
	if o.step == 0 {
		o.enter("")
	}
	o.endPart()
	if o.states[id] != "" {
		return
	}
	f := fields{"toolCallId": id, "toolName": name, "dynamic": true}
	if ours {
		f["providerExecuted"] = true
	}
	o.chunk("tool-input-start", f)
	f["input"] = params
	o.chunk("tool-input-available", f)
}

// ended tells what became of a call; a front end that holds an end of it is not told another.
func (o *writer) ended(id, kind string, f fields) {
	switch o.states[id] {
	case "output-available", "output-error", "output-denied":
		return
	}
	f["toolCallId"] = id
	o.chunk(kind, f)
}
