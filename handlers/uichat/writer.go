package uichat

import (
	"net/http"
	"strconv"

	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/rounds"
)

// fields are the fields of a chunk.
type fields map[string]any

// writer writes the chunks of a message in steps: one step for each answer of the AI, with the calls
// that it requested. What the front end has already is skipped.
type writer struct {
	rounds.Wire

	heldSteps []heldStep
	heldCalls map[string]string // of the calls that the front end has, by their id

	step      int    // number of the current step, from 1
	open      bool   // start-step was written, and finish-step was not
	storedID  string // id of the step's message, once it is stored
	text      rounds.TextMerger
	reasoning rounds.TextMerger
	part      openPart
	parts     int // number of parts of the current message
	calls     map[string]bool
}

// openPart is a text or reasoning part that has no end chunk yet; none if the id is empty.
type openPart struct{ kind, id string }

// heldStep is what the front end has of a step.
type heldStep struct {
	text, reasoning string
	calls           bool
}

func newWriter(w http.ResponseWriter, held *uiMessage) *writer {
	o := &writer{Wire: rounds.Wire{W: w}, heldCalls: map[string]string{}, calls: map[string]bool{}}
	if held == nil {
		return o
	}
	for _, p := range held.Parts {
		if p.Type == stepStart {
			o.heldSteps = append(o.heldSteps, heldStep{})
			continue
		}
		if p.isTool() {
			o.heldCalls[p.CallID] = p.State
			if n := len(o.heldSteps); n > 0 {
				o.heldSteps[n-1].calls = true
			}
		}
		if n := len(o.heldSteps); n > 0 {
			switch p.Type {
			case "text":
				o.heldSteps[n-1].text += p.Text
			case "reasoning":
				o.heldSteps[n-1].reasoning += p.Text
			}
		}
	}
	return o
}

func (o *writer) start(message string, metadata fields) {
	o.SetHeaders()
	o.W.Header().Set("X-Vercel-Ai-Ui-Message-Stream", "v1")
	o.chunk("start", fields{"messageId": message, "messageMetadata": metadata})
}

func (o *writer) chunk(kind string, f fields) {
	f["type"] = kind
	o.WriteData(jsonbody.Encode(f))
}

// enterStep goes to the step of a message, which is a new one if the message of the current step is
// stored.
func (o *writer) enterStep(message string) {
	if o.step > 0 && (o.storedID == "" || o.storedID == message) {
		return
	}
	o.leaveStep()
	o.step++
	o.storedID, o.parts = "", 0
	if o.step <= len(o.heldSteps) {
		o.text.Resume(o.heldSteps[o.step-1].text)
		o.reasoning.Resume(o.heldSteps[o.step-1].reasoning)
		return
	}
	o.open = true
	o.chunk("start-step", fields{})
}

// leaveStep ends the step.
func (o *writer) leaveStep() {
	o.endPart()
	if o.open {
		o.chunk("finish-step", fields{})
		o.open = false
	}
}

// brokenOffNotice is written between a text that became no message and the text that replaces it.
const brokenOffNotice = "(The text above was broken off.)\n\n"

// writeText writes a delta of a part, and begins the part if necessary.
func (o *writer) writeText(kind, id, more string, restarted bool) {
	if more == "" {
		return
	}
	if restarted && kind == "text" {
		o.endPart()
		more = brokenOffNotice + more
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

// textDelta writes a streamed delta of an answer.
func (o *writer) textDelta(id string, offset int, text string) {
	if id == o.storedID {
		return // it is complete
	}
	o.enterStep(id)
	more, restarted := o.text.Add(id, offset, text)
	o.writeText("text", id, more, restarted)
}

func (o *writer) reasoningDelta(id string, offset int, text string) {
	if id == o.storedID {
		return
	}
	o.enterStep(id)
	more, restarted := o.reasoning.Add(id, offset, text)
	o.writeText("reasoning", id, more, restarted)
}

// storedAnswer writes what the client does not have yet of an answer in the record: a stream that is
// resumed has the same reasoning as one that was read live.
func (o *writer) storedAnswer(id, thoughts, text string, cut bool) {
	if id == o.storedID {
		return
	}
	o.enterStep(id)
	if o.takesReasoning() {
		more, restarted := o.reasoning.Complete(id, thoughts, cut)
		o.writeText("reasoning", id, more, restarted)
	}
	more, restarted := o.text.Complete(id, text, cut)
	o.writeText("text", id, more, restarted)
	o.reasoning.Reset()
	o.endPart()
	o.storedID = id
}

// takesReasoning reports whether reasoning can be added to the step. The client appends parts to the
// end of its message, so that reasoning of a step whose text or calls it has would be misplaced.
func (o *writer) takesReasoning() bool {
	if o.text.Sent() != "" {
		return false
	}
	return o.step > len(o.heldSteps) || o.step == len(o.heldSteps) && !o.heldSteps[o.step-1].calls
}

// call writes a tool call, once. ownCommand marks a command that the server runs.
func (o *writer) call(id, name string, params any, ownCommand bool) {
	if o.calls[id] {
		return
	}
	o.calls[id] = true
	if o.step == 0 {
		o.enterStep("")
	}
	o.endPart()
	if o.heldCalls[id] != "" {
		return
	}
	f := fields{"toolCallId": id, "toolName": name, "dynamic": true}
	if ownCommand {
		f["providerExecuted"] = true
	}
	o.chunk("tool-input-start", f)
	f["input"] = params
	o.chunk("tool-input-available", f)
}

// callEnded writes the outcome of a call, unless the front end has one.
func (o *writer) callEnded(id, kind string, f fields) {
	switch o.heldCalls[id] {
	case "output-available", "output-error", "output-denied":
		return
	}
	f["toolCallId"] = id
	o.chunk(kind, f)
}
