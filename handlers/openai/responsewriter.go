package openai

import (
	"strings"
	"unicode/utf8"
)

// Events are numbered by the log, so that every reader gives them the same numbers: the sequence number
// of the session's event, and a position after it. A text delta has the position of its last character
// after the event that began the call of the AI: numbers do not depend on how the text was split, and a
// text that was generated twice has other numbers the second time.
const (
	placesOfEvent = 1 << 24 // an answer has 8 MiB at most

	placeItemAdded = 0
	placePartAdded = 1
	placeText      = 1 // plus n for the n-th character

	placeTextDone = placesOfEvent - 5
	placePartDone = placesOfEvent - 4
	placeItemDone = placesOfEvent - 3
	placeItemVoid = placesOfEvent - 2
	placeEnd      = placesOfEvent - 1
)

// Numbers of the events before the first one of a round.
const (
	numberCreated = iota
	numberQueued
	numberInProgress
)

func numberOf(seq int64, place int) int64 { return seq*placesOfEvent + int64(place) }

// responseWriter follows a round and emits it as the events of a response.
type responseWriter struct {
	out  response
	emit func(*responseEvent) // nil: only the response itself is needed

	call   int64 // sequence number of the event that began the latest call of the AI
	closed int64 // calls up to this number are complete
	open   *openItem
	rd     *round
}

// openItem is an answer that is being streamed.
type openItem struct {
	id        string
	base      int64 // sequence number of the event that began its call; 0: not known yet
	text      []byte
	chars     int
	sentBytes int // bytes that were emitted
}

func newResponseWriter(at *location, of responseMetadata) *responseWriter {
	return &responseWriter{out: newResponse(at, of)}
}

// round returns the follower of the round.
func (t *responseWriter) round(at *location) *round {
	t.rd = &round{message: at.message.ID, id: at.message.RoundID, sink: t, stopAtCalls: true}
	return t.rd
}

// response returns the response in its current state.
func (t *responseWriter) response() *response {
	t.out.Usage = nil
	if t.out.Status != responseInProgress && t.out.Status != responseQueued {
		t.out.Usage = responseUsageOf(t.rd.usage)
	}
	return &t.out
}

func (t *responseWriter) callStarted(seq int64) {
	t.call = seq
	if t.out.Status == responseQueued {
		t.out.Status = responseInProgress
	}
	t.sendOpenText()
}

func (t *responseWriter) textDelta(message string, offset int, text string) {
	o := t.startItem(message)
	if offset != o.chars {
		return // the stored message contains the missing part
	}
	o.text = append(o.text, text...)
	o.chars += utf8.RuneCountInString(text)
	t.sendOpenText()
}

func (t *responseWriter) textSnapshot(message, text string) {
	o := t.startItem(message)
	if utf8.RuneCountInString(text) < o.chars {
		return
	}
	o.set(text)
	t.sendOpenText()
}

// startItem goes to the item of a message. An open item of another call is discarded.
func (t *responseWriter) startItem(message string) *openItem {
	if t.open != nil && t.open.id != message {
		t.discard()
	}
	if t.open == nil {
		t.open = &openItem{id: message}
	}
	return t.open
}

// set replaces the text of an item.
func (o *openItem) set(text string) {
	if !strings.HasPrefix(text, string(o.text[:o.sentBytes])) {
		// The text is another one. The client has as many characters of the old one, and the last event
		// of the message contains all of the new one.
		o.sentBytes = len(text) - len(skipRunes(text, utf8.RuneCount(o.text[:o.sentBytes])))
	}
	o.text, o.chars = []byte(text), utf8.RuneCountInString(text)
}

// sendOpenText emits the rest of the open item, once its call is known.
func (t *responseWriter) sendOpenText() {
	o := t.open
	if o == nil || len(o.text) == o.sentBytes {
		return
	}
	if o.base == 0 {
		if t.call <= t.closed {
			return
		}
		o.base = t.call
		t.emitItemAdded(o.base, o.id)
	}
	t.emitTextDelta(o, o.base)
}

func (t *responseWriter) emitItemAdded(base int64, id string) {
	item, part := itemOf(id, responseInProgress), partOf("")
	t.emitEvent(&responseEvent{Type: "response.output_item.added", Number: numberOf(base, placeItemAdded), Item: &item})
	t.emitEvent(&responseEvent{Type: "response.content_part.added", Number: numberOf(base, placePartAdded), ItemID: id, Part: &part})
}

func (t *responseWriter) emitTextDelta(o *openItem, base int64) {
	piece := string(o.text[o.sentBytes:])
	o.sentBytes = len(o.text)
	t.emitEvent(&responseEvent{Type: "response.output_text.delta", Number: numberOf(base, placeText+o.chars), ItemID: o.id, Delta: piece})
}

func (t *responseWriter) emitItemDone(seq int64, item *outputItem) {
	text := item.Content[0].Text
	done := responseEvent{Type: "response.output_text.done", Number: numberOf(seq, placeTextDone), ItemID: item.ID, Text: &text}
	part := responseEvent{Type: "response.content_part.done", Number: numberOf(seq, placePartDone), ItemID: item.ID, Part: &item.Content[0]}
	t.emitEvent(&done)
	t.emitEvent(&part)
	t.emitEvent(&responseEvent{Type: "response.output_item.done", Number: numberOf(seq, placeItemDone), Item: item})
}

// stored completes the item of a stored answer: the record decides, whatever was streamed.
func (t *responseWriter) stored(m *storedText) {
	o := t.startItem(m.id)
	if m.text == "" {
		t.discard()
		t.closed = m.seq
		return
	}
	if o.set(m.text); o.base == 0 {
		if o.base = t.call; t.call <= t.closed {
			o.base = m.seq // without a call: the text after actions, or at a limit
		}
		t.emitItemAdded(o.base, o.id)
	}
	if o.sentBytes < len(o.text) {
		t.emitTextDelta(o, o.base)
	}
	status := responseCompleted
	if m.cut {
		status = responseIncomplete
	}
	item := itemOf(m.id, status, m.text)
	t.emitItemDone(m.seq, &item)
	t.out.Output = append(t.out.Output, item)
	t.open, t.closed = nil, m.seq
}

// discard ends the open item without text: the next answer replaces it, and a client that assembles
// deltas starts again.
func (t *responseWriter) discard() {
	if o := t.open; o != nil && o.base != 0 {
		t.emitEvent(&responseEvent{
			Type: "response.output_item.done", Number: numberOf(o.base, placeItemVoid), Item: new(itemOf(o.id, responseIncomplete)),
		})
		t.closed = o.base
	}
	t.open = nil
}

// end emits the end of the response: the round is over or waits for a person.
func (t *responseWriter) end(rd *round, ask *openApproval) {
	t.discard()
	if rd.notice != "" {
		t.emitNotice(rd.endedSeq, "msg_"+strings.TrimPrefix(rd.rejected.ID, "apr_")+"_refused", rd.notice)
	}
	switch {
	case ask.forClient():
		t.emitCalls(rd.endedSeq, ask)
		t.out.Status = responseCompleted
	case ask != nil:
		t.emitApproval(rd.endedSeq, ask)
		t.out.Status, t.out.IncompleteDetails = responseIncomplete, &incompleteDetails{reasonInput}
	case rd.failure != "":
		t.out.Status = responseFailed
		t.out.Error = &responseError{Code: codeOfFailure, Message: rd.failure}
	case rd.withdrawn || rd.interrupted:
		t.out.Status = responseCancelled
	case rd.truncated:
		t.out.Status, t.out.IncompleteDetails = responseIncomplete, &incompleteDetails{reasonTokens}
	default:
		t.out.Status = responseCompleted
	}
	name := t.out.Status
	if name == responseCancelled {
		name = responseIncomplete // it has no event of its own
	}
	t.emitEvent(&responseEvent{Type: "response." + name, Number: numberOf(rd.endedSeq, placeEnd), Response: t.response()})
}

// emitApproval emits the text about an open approval. It is in no message of the record: the text
// after the answer replaces it.
func (t *responseWriter) emitApproval(seq int64, ask *openApproval) {
	t.emitNotice(seq, "msg_"+strings.TrimPrefix(ask.ApprovalID, "apr_"), ask.text)
	t.out.Fermata.openApproval = ask
}

// emitNotice emits a text that is in no message of the record.
func (t *responseWriter) emitNotice(seq int64, id, text string) {
	if len(t.out.Output) > 0 {
		text = separator + text
	}
	o := &openItem{id: id}
	o.set(text)
	t.emitItemAdded(seq, o.id)
	t.emitTextDelta(o, seq)
	item := itemOf(o.id, responseCompleted, text)
	t.emitItemDone(seq, &item)
	t.out.Output = append(t.out.Output, item)
}

// emitEvent emits an event of the current item.
func (t *responseWriter) emitEvent(e *responseEvent) {
	if t.emit != nil {
		e.index = len(t.out.Output)
		t.emit(e)
	}
}

// skipRunes returns a text without its first n characters.
func skipRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[i:]
		}
		n--
	}
	return ""
}
