package stream

import (
	"encoding/json"
	"sync/atomic"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
)

// The kinds of text in an answer.
const (
	KindText      = "text"
	KindThinking  = "thinking"
	KindArguments = "arguments"
)

var kinds = [...]string{KindThinking, KindText, KindArguments}

// answer is the text of a message that the AI has written so far. The topic's lock guards it.
type answer struct {
	session, message string
	// from is the node that writes the answer, "" for this one.
	from  string
	parts [len(kinds)]part
	// stored is the message's number in the log, 0 until it is stored.
	stored atomic.Int64
}

// part is the text of one kind. Offsets count Unicode code points, which every client's language
// can count.
type part struct {
	text      []byte
	sent      int // bytes that were sent to listeners
	sentChars int
}

// Text is a piece of an answer. Offset is where a delta begins; in a snapshot, where the next delta
// will begin.
type Text struct {
	SessionID string `json:"session_id"`
	MessageID string `json:"message_id"`
	Kind      string `json:"kind"`
	Offset    int    `json:"offset"`
	Text      string `json:"text"`
}

func (a *answer) add(kind, text string) {
	for i, k := range kinds {
		if k == kind {
			a.parts[i].text = append(a.parts[i].text, text...)
		}
	}
}

// fresh reports that nothing was sent to listeners yet.
func (a *answer) fresh() bool {
	for i := range a.parts {
		if a.parts[i].sent > 0 {
			return false
		}
	}
	return true
}

// deltas returns the text added since the last call. An incomplete character at the end is held
// back.
func (a *answer) deltas() []*Event {
	var out []*Event
	for i := range a.parts {
		p := &a.parts[i]
		text := whole(p.text[p.sent:])
		if len(text) == 0 {
			continue
		}
		out = append(out, a.event(EventDelta, Text{Kind: kinds[i], Offset: p.sentChars, Text: string(text)}))
		p.sent += len(text)
		p.sentChars += utf8.RuneCount(text)
	}
	return out
}

// skip marks text as sent that had no listeners.
func (a *answer) skip() {
	for i := range a.parts {
		p := &a.parts[i]
		text := whole(p.text[p.sent:])
		p.sent += len(text)
		p.sentChars += utf8.RuneCount(text)
	}
}

// snapshots returns the text that listeners have so far.
func (a *answer) snapshots() []*Event {
	var out []*Event
	for _, t := range a.texts() {
		out = append(out, a.event(EventMessageSnapshot, t))
	}
	return out
}

func (a *answer) texts() []Text {
	var out []Text
	for i := range a.parts {
		if p := &a.parts[i]; p.sent > 0 {
			out = append(out, Text{a.session, a.message, kinds[i], p.sentChars, string(p.text[:p.sent])})
		}
	}
	return out
}

func (a *answer) event(name string, t Text) *Event {
	t.SessionID, t.MessageID = a.session, a.message
	data, _ := json.Marshal(t) // a struct of strings and a number: cannot fail
	return &Event{Name: name, Body: data, stored: &a.stored}
}

// whole trims an incomplete character at the end.
func whole(text []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if tail := text[len(text)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return text[:len(text)-back]
			}
			break
		}
	}
	return text
}

// Delta appends to the answer that the AI is writing. Listeners get it in batches, except that the
// first piece is sent at once, because people wait for it.
func (b *Broker) Delta(ws, session, message, kind, text string) {
	if text == "" {
		return
	}
	t, a := b.answer(ws, session, message, "")
	first := a.fresh()
	a.add(kind, text)
	switch {
	case !t.hasListeners(session):
		a.skip() // a new listener gets it as a snapshot
	case first:
		t.flush(a)
	default:
		b.markDirty(t)
	}
	t.mu.Unlock()
	b.far.Wrote(session, first)
}

// answer returns the answer in progress, or begins one. The topic is returned locked.
func (b *Broker) answer(ws, session, message, from string) (*topic, *answer) {
	if t := b.writer(session); t != nil {
		t.mu.Lock()
		if a := t.answers[session]; a != nil && a.message == message {
			return t, a
		}
		t.mu.Unlock()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.enter(ws)
	b.writers[session] = t
	t.mu.Lock()
	if old := t.answers[session]; old != nil && old.from != "" {
		t.void(old, lostReason) // its writer is gone, and the call is repeated
	}
	a := &answer{session: session, message: message, from: from}
	t.answers[session] = a
	return t, a
}

// forget removes an ended answer.
func (b *Broker) forget(session string, t *topic) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.mu.Lock()
	writing := t.answers[session] != nil
	t.mu.Unlock()
	if !writing && b.writers[session] == t {
		delete(b.writers, session)
	}
	b.close(t)
}

// Discard voids the streamed text: it will not become a message.
func (b *Broker) Discard(ws, session, message, reason string) {
	t := b.find(ws)
	if t == nil {
		return
	}
	t.mu.Lock()
	a := t.answers[session]
	if a == nil || a.message != message {
		t.mu.Unlock()
		return
	}
	if a.stored.Load() > 0 { // it was stored as a message nevertheless
		t.mu.Unlock()
		b.Settle(session, message)
		return
	}
	t.void(a, reason)
	delete(t.answers, session)
	t.mu.Unlock()
	b.forget(session, t)
	if a.from == "" {
		b.far.Void(session, message, reason)
	}
}

// void sends listeners the notice that the text of an answer will not become a message.
func (t *topic) void(a *answer, reason string) {
	data, _ := json.Marshal(struct {
		SessionID string `json:"session_id"`
		MessageID string `json:"message_id"`
		Reason    string `json:"reason"`
	}{a.session, a.message, reason})
	t.give(EventDiscarded, a.session, &Event{Name: EventDiscarded, Body: data})
}

// Settle removes the streamed text, because it was stored as a message. Listeners get the rest of
// it first, so that the deltas are complete.
func (b *Broker) Settle(session, message string) {
	t := b.writer(session)
	if t == nil {
		return
	}
	t.mu.Lock()
	a := t.answers[session]
	if a == nil || a.message != message {
		t.mu.Unlock()
		return
	}
	t.flush(a)
	draft := a.draft(t.workspace)
	delete(t.answers, session)
	t.mu.Unlock()
	b.forget(session, t)
	if a.from == "" {
		b.far.Stored(draft)
	}
}

// Partial returns the text that the AI has written so far; "", "" if it is not writing.
func (b *Broker) Partial(session string) (message, text string) {
	t := b.writer(session)
	if t == nil {
		return "", ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.answers[session]
	if a == nil {
		return "", ""
	}
	return a.message, string(whole(a.parts[1].text))
}

// hasListeners reports whether the text of a session's answers has listeners.
func (t *topic) hasListeners(session string) bool {
	if len(t.own[session]) > 0 {
		return true
	}
	for s := range t.wide {
		if s.filter.wantsAnswer(EventDelta, session) {
			return true
		}
	}
	return false
}

// flush sends listeners the new text of an answer.
func (t *topic) flush(a *answer) {
	for _, f := range a.deltas() {
		t.give(EventDelta, a.session, f)
	}
}

// give sends the text of an answer to the listeners of its session.
func (t *topic) give(name, session string, f *Event) {
	for s := range t.own[session] {
		if s.filter.wantsAnswer(name, session) {
			s.push(f)
		}
	}
	for s := range t.wide {
		if s.filter.wantsAnswer(name, session) {
			s.push(f)
		}
	}
}

// finish sends the rest of an answer before the message that it was stored as.
func (t *topic) finish(e *domain.LogEvent) {
	if e.Type != domain.LogMessageCreated || e.Message == nil {
		return
	}
	if a := t.answers[e.SessionID]; a != nil && a.message == e.Message.ID {
		t.flush(a)
		a.stored.Store(e.Seq)
		if a.from == "" {
			t.far.Stored(a.draft(t.workspace))
		}
	}
}
