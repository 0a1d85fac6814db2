package responses

import (
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
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

// writer writes a round as the events of a response, and as the response itself.
type writer struct {
	*rounds.Round

	eventStream

	out response

	call   int64 // sequence number of the event that began the latest call of the AI
	closed int64 // calls up to this number are complete
	open   *openItem
}

// eventStream takes the events of a response.
type eventStream interface {
	send(e *event)
	Flush() error
	WriteHeartbeat() error
}

// unsent is for a response of which the events are not needed.
type unsent struct{ rounds.Unwritten }

func (unsent) send(*event) {}

// openItem is an answer that is being streamed.
type openItem struct {
	id        string
	base      int64 // sequence number of the event that began its call; 0: not known yet
	text      []byte
	chars     int
	sentBytes int // bytes that were emitted
}

func newWriter(x *rounds.Round, of metadata) *writer {
	return &writer{Round: x, out: newResponse(&x.Found, of), eventStream: unsent{}}
}

// Event handles an event of the round.
func (t *writer) Event(e *api.Event) {
	switch d := e.Text; {
	case e.Message != nil:
		if text, ok := rounds.ShownText(e.Message); ok {
			t.stored(e, text)
		}
	case rounds.CallBegins(e):
		t.callStarted(e.SessionSeq)
	case e.Discarded != nil:
		t.discard()
	case d == nil || d.Kind != stream.KindText:
	case e.Name == stream.EventMessageSnapshot:
		t.textSnapshot(d.MessageID, d.Text)
	default:
		t.textDelta(d.MessageID, d.Offset, d.Text)
	}
}

// response returns the response in its current state.
func (t *writer) response() *response {
	t.out.Usage = nil
	if t.out.Status != statusInProgress && t.out.Status != statusQueued {
		t.out.Usage = usageOf(t.Outcome.Usage)
	}
	return &t.out
}

func (t *writer) callStarted(seq int64) {
	t.call = seq
	if t.out.Status == statusQueued {
		t.out.Status = statusInProgress
	}
	t.sendOpenText()
}

func (t *writer) textDelta(message string, offset int, text string) {
	o := t.startItem(message)
	if offset != o.chars {
		return // the stored message contains the missing part
	}
	o.text = append(o.text, text...)
	o.chars += utf8.RuneCountInString(text)
	t.sendOpenText()
}

func (t *writer) textSnapshot(message, text string) {
	o := t.startItem(message)
	if utf8.RuneCountInString(text) < o.chars {
		return
	}
	o.set(text)
	t.sendOpenText()
}

// startItem goes to the item of a message. An open item of another call is discarded.
func (t *writer) startItem(message string) *openItem {
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
func (t *writer) sendOpenText() {
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

func (t *writer) emitItemAdded(base int64, id string) {
	item, part := itemOf(id, statusInProgress), partOf("")
	t.emit(&event{Type: "response.output_item.added", Number: numberOf(base, placeItemAdded), Item: &item})
	t.emit(&event{Type: "response.content_part.added", Number: numberOf(base, placePartAdded), ItemID: id, Part: &part})
}

func (t *writer) emitTextDelta(o *openItem, base int64) {
	piece := string(o.text[o.sentBytes:])
	o.sentBytes = len(o.text)
	t.emit(&event{Type: "response.output_text.delta", Number: numberOf(base, placeText+o.chars), ItemID: o.id, Delta: piece})
}

func (t *writer) emitItemDone(seq int64, item *outputItem) {
	text := item.Content[0].Text
	done := event{Type: "response.output_text.done", Number: numberOf(seq, placeTextDone), ItemID: item.ID, Text: &text}
	part := event{Type: "response.content_part.done", Number: numberOf(seq, placePartDone), ItemID: item.ID, Part: &item.Content[0]}
	t.emit(&done)
	t.emit(&part)
	t.emit(&event{Type: "response.output_item.done", Number: numberOf(seq, placeItemDone), Item: item})
}

// stored completes the item of a stored answer: the record decides, whatever was streamed.
func (t *writer) stored(e *api.Event, text string) {
	id, seq := e.Message.ID, e.SessionSeq
	o := t.startItem(id)
	if text == "" {
		t.discard()
		t.closed = seq
		return
	}
	if o.set(text); o.base == 0 {
		if o.base = t.call; t.call <= t.closed {
			o.base = seq // without a call: the text after actions, or at a limit
		}
		t.emitItemAdded(o.base, o.id)
	}
	if o.sentBytes < len(o.text) {
		t.emitTextDelta(o, o.base)
	}
	status := statusCompleted
	if e.Message.Status == api.MessageStatusInterrupted {
		status = statusIncomplete
	}
	item := itemOf(id, status, text)
	t.emitItemDone(seq, &item)
	t.out.Output = append(t.out.Output, item)
	t.open, t.closed = nil, seq
}

// discard ends the open item without text: the next answer replaces it, and a client that assembles
// deltas starts again.
func (t *writer) discard() {
	if o := t.open; o != nil && o.base != 0 {
		t.emit(&event{
			Type: "response.output_item.done", Number: numberOf(o.base, placeItemVoid), Item: new(itemOf(o.id, statusIncomplete)),
		})
		t.closed = o.base
	}
	t.open = nil
}

// end emits the end of the response: the round is over or waits for a person.
func (t *writer) end(open *openai.OpenApproval) {
	t.discard()
	o, calls := &t.Outcome, openai.ClientCalls(t.Round)
	if o.Notice != "" {
		t.emitNotice(o.EndSeq, "msg_"+strings.TrimPrefix(o.Rejected.ID, "apr_")+"_refused", o.Notice)
	}
	switch {
	case calls != nil:
		t.emitCalls(o.EndSeq, calls)
		t.out.Status = statusCompleted
	case open != nil:
		// The text is in no message of the record: the text after the answer replaces it.
		t.emitNotice(o.EndSeq, "msg_"+strings.TrimPrefix(open.ApprovalID, "apr_"), open.Text)
		t.out.Fermata.OpenApproval = open
		t.out.Status, t.out.IncompleteDetails = statusIncomplete, &incompleteDetails{reasonInput}
	case o.Failure != "":
		t.out.Status = statusFailed
		t.out.Error = &failure{Code: string(domain.ErrorCode(o.Err())), Message: o.Failure}
	case o.Withdrawn || o.Interrupted:
		t.out.Status = statusCancelled
	case o.Truncated:
		t.out.Status, t.out.IncompleteDetails = statusIncomplete, &incompleteDetails{reasonTokens}
	default:
		t.out.Status = statusCompleted
	}
	name := t.out.Status
	if name == statusCancelled {
		name = statusIncomplete // it has no event of its own
	}
	t.emit(&event{Type: "response." + name, Number: numberOf(o.EndSeq, placeEnd), Response: t.response()})
}

// emitNotice emits a text that is in no message of the record.
func (t *writer) emitNotice(seq int64, id, text string) {
	if len(t.out.Output) > 0 {
		text = rounds.Separator + text
	}
	o := &openItem{id: id}
	o.set(text)
	t.emitItemAdded(seq, o.id)
	t.emitTextDelta(o, seq)
	item := itemOf(o.id, statusCompleted, text)
	t.emitItemDone(seq, &item)
	t.out.Output = append(t.out.Output, item)
}

// emitCalls emits the calls that the client is to run. Events are numbered like those of text, by
// the position of their arguments.
func (t *writer) emitCalls(seq int64, asked *domain.Approval) {
	place := 0
	next := func(width int) int64 {
		place += width
		return numberOf(seq, place)
	}
	for i, action := range asked.Actions {
		call := domain.ClientCallID(asked.ID, i)
		item := outputItem{
			ID: "fc_" + strings.TrimPrefix(call, "call_"), Type: itemCall, Status: statusInProgress,
			CallID: call, Name: action.Command, Arguments: new(string),
		}
		begun, arguments := item, rounds.Arguments(action.Params)
		item.Status, item.Arguments = statusCompleted, &arguments
		t.emit(&event{Type: "response.output_item.added", Number: next(1), Item: &begun})
		t.emit(&event{
			Type: "response.function_call_arguments.delta", Number: next(utf8.RuneCountInString(arguments)),
			ItemID: item.ID, Delta: arguments,
		})
		t.emit(&event{
			Type: "response.function_call_arguments.done", Number: next(1), ItemID: item.ID, Name: item.Name, Arguments: &arguments,
		})
		t.emit(&event{Type: "response.output_item.done", Number: next(1), Item: &item})
		t.out.Output = append(t.out.Output, item)
	}
}

// emit emits an event of the current item.
func (t *writer) emit(e *event) {
	e.index = len(t.out.Output)
	t.send(e)
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
