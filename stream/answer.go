package stream

import (
	"encoding/json"
	"sync/atomic"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
)

// Kinds of text that an answer is made of.
const (
	KindText      = "text"
	KindThinking  = "thinking"
	KindArguments = "arguments"
)

var kinds = [...]string{KindThinking, KindText, KindArguments}

// answer is what the AI has written of a message so far. The topic's lock guards it.
type answer struct {
	session, message string
	// from is the node where it is being written, "" for this one.
	from  string
	parts [len(kinds)]part
	// stored is the number under which the message went into the log.
	stored atomic.Int64
}

// part is the text of one kind. Offsets count characters (Unicode code points): the
// one measure that every client's language has.
type part struct {
	text      []byte
	sent      int // bytes that listeners have
	sentChars int
}

// Text is a piece of an answer: of a delta, Offset is where it begins; of a
// snapshot, where the next delta goes on.
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

// fresh says that no listener has any of it yet.
func (a *answer) fresh() bool {
	for i := range a.parts {
		if a.parts[i].sent > 0 {
			return false
		}
	}
	return true
}

// deltas are what has come since the last time. A character that is cut in the
// middle stays back until the rest of it has come.
func (a *answer) deltas() []*Frame {
	var out []*Frame
	for i := range a.parts {
		p := &a.parts[i]
		text := whole(p.text[p.sent:])
		if len(text) == 0 {
			continue
		}
		out = append(out, a.frame(EventDelta, Text{Kind: kinds[i], Offset: p.sentChars, Text: string(text)}))
		p.sent += len(text)
		p.sentChars += utf8.RuneCount(text)
	}
	return out
}

// skip counts as sent what nobody was there to hear.
func (a *answer) skip() {
	for i := range a.parts {
		p := &a.parts[i]
		text := whole(p.text[p.sent:])
		p.sent += len(text)
		p.sentChars += utf8.RuneCount(text)
	}
}

// snapshots are what listeners have so far.
func (a *answer) snapshots() []*Frame {
	var out []*Frame
	for _, t := range a.texts() {
		out = append(out, a.frame(EventMessageSnapshot, t))
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

func (a *answer) frame(name string, t Text) *Frame {
	t.SessionID, t.MessageID = a.session, a.message
	data, _ := json.Marshal(t) // a struct of strings and a number: cannot fail
	return &Frame{Data: Encode(name, NoID, data), answer: a}
}

// whole cuts off an incomplete character at the end.
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

// Delta adds to the answer that the AI is writing. Listeners get it gathered; the
// very first piece at once, because that is the one people wait for.
func (b *Broker) Delta(ws, session, message, kind, text string) {
	if text == "" {
		return
	}
	t, a := b.answer(ws, session, message, "")
	first := a.fresh()
	a.add(kind, text)
	switch {
	case !t.heard(session):
		a.skip() // whoever joins gets it as a snapshot
	case first:
		t.flush(a)
	default:
		b.markDirty(t)
	}
	t.mu.Unlock()
	b.far.Wrote(session, first)
}

// answer finds the answer in progress, or begins it; the topic comes back locked.
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
		t.void(old, lostReason) // its writer is gone, and the call is made again
	}
	a := &answer{session: session, message: message, from: from}
	t.answers[session] = a
	return t, a
}

// forget closes what an ended answer kept open.
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
	if a.stored.Load() > 0 { // it has become a message all the same
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

// void tells listeners that the text of an answer will not become a message.
func (t *topic) void(a *answer, reason string) {
	data, _ := json.Marshal(struct {
		SessionID string `json:"session_id"`
		MessageID string `json:"message_id"`
		Reason    string `json:"reason"`
	}{a.session, a.message, reason})
	t.give(EventDiscarded, a.session, &Frame{Data: Encode(EventDiscarded, NoID, data)})
}

// Settle forgets the streamed text: it has become a message. What listeners do not
// have yet of it they get first, so that the deltas make up the whole.
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

// Partial is the text that the AI has written so far; "", "" when it writes none.
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

// heard says whether somebody listens to the text of a session's answers.
func (t *topic) heard(session string) bool {
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

// flush gives listeners what is new of an answer.
func (t *topic) flush(a *answer) {
	for _, f := range a.deltas() {
		t.give(EventDelta, a.session, f)
	}
}

// give hands the text of an answer to those who listen to its session.
func (t *topic) give(name, session string, f *Frame) {
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

// finish sends the rest of an answer ahead of the message that it has become.
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
