package stream

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
)

// Far is the connection to the other nodes. Its methods are called under locks and must not block.
type Far interface {
	// Watched reports whether the session has a stream on another node.
	Watched(session string) bool
	// Watching and Left: the first stream of a session was opened here, the last one closed.
	Watching(session string)
	Left(session string)
	Beat(sessions []string, at time.Time)
	// Wrote: the answer of a session has grown; first: it has just begun.
	Wrote(session string, first bool)
	// Stored: the answer was stored as a message. Void: it will not be.
	Stored(d Draft)
	Void(session, message, reason string)
}

// noPeers is the Far of a single node.
type noPeers struct{}

func (noPeers) Watched(string) bool         { return false }
func (noPeers) Watching(string)             {}
func (noPeers) Left(string)                 {}
func (noPeers) Beat([]string, time.Time)    {}
func (noPeers) Wrote(string, bool)          {}
func (noPeers) Stored(Draft)                {}
func (noPeers) Void(string, string, string) {}

// Join connects the Broker with the other nodes. It must be called before everything else.
func (b *Broker) Join(far Far) { b.far = far }

// lostReason is the reason for voiding an answer whose writer is gone.
const lostReason = "cut"

// Draft is a copy of an answer's text. It is shared and must not be modified.
type Draft struct {
	Workspace, Session, Message string
	// Parts are the texts, by kind.
	Parts [len(kinds)][]byte
	// Stored is the number of the message that it was stored as, 0 if it was not.
	Stored int64
}

// KindOf returns the name of the i-th part of a draft.
func KindOf(i int) string { return kinds[i] }

// draft returns the current text; later additions do not affect it.
func (a *answer) draft(ws string) Draft {
	d := Draft{Workspace: ws, Session: a.session, Message: a.message, Stored: a.stored.Load()}
	for i := range a.parts {
		d.Parts[i] = whole(a.parts[i].text)
	}
	return d
}

// Draft returns the answer that is being written here for a session, if any.
func (b *Broker) Draft(session string) (Draft, bool) {
	t := b.writer(session)
	if t == nil {
		return Draft{}, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.answers[session]
	if a == nil || a.from != "" {
		return Draft{}, false
	}
	return a.draft(t.workspace), true
}

// Receive adds text that is written on another node. joined: this node joined during the answer, so
// its listeners get a snapshot. It returns false if earlier text is missing here and must be
// requested again. Overlapping text is dropped.
func (b *Broker) Receive(from, ws string, piece Text, joined bool) bool {
	if !b.read(piece.SessionID) {
		return true
	}
	t, a := b.written(from, ws, piece)
	if t == nil {
		return false
	}
	complete := a != nil && a.receive(t, piece, joined)
	if complete {
		b.markDirty(t)
	}
	t.mu.Unlock()
	if !b.read(piece.SessionID) { // they left meanwhile
		b.mu.Lock()
		b.dropForeign(t, piece.SessionID)
		b.close(t)
		b.mu.Unlock()
	}
	return complete || a == nil
}

// written returns the answer that a piece belongs to, or begins one. The topic is returned locked.
// No topic: the piece begins no answer. No answer: one is being written here.
func (b *Broker) written(from, ws string, piece Text) (*topic, *answer) {
	if t := b.writer(piece.SessionID); t != nil {
		t.mu.Lock()
		switch a := t.answers[piece.SessionID]; {
		case a == nil:
		case a.from == "":
			return t, nil
		case a.message == piece.MessageID && a.from == from:
			return t, a
		}
		t.mu.Unlock()
	}
	if piece.Offset > 0 {
		return nil, nil
	}
	return b.answer(ws, piece.SessionID, piece.MessageID, from)
}

// receive adds the new text of a piece.
func (a *answer) receive(t *topic, piece Text, joined bool) bool {
	for i, kind := range kinds {
		if kind != piece.Kind {
			continue
		}
		p := &a.parts[i]
		have := p.sentChars + utf8.RuneCount(p.text[p.sent:])
		if piece.Offset > have {
			return false
		}
		fresh := a.fresh()
		text := []rune(piece.Text)
		p.text = append(p.text, string(text[min(have-piece.Offset, len(text)):])...)
		switch {
		case joined && p.sent == 0:
			p.sent, p.sentChars = len(p.text), utf8.RuneCount(p.text)
			if p.sent > 0 {
				t.give(
					EventMessageSnapshot,
					a.session,
					a.event(EventMessageSnapshot, Text{Kind: kind, Offset: p.sentChars, Text: string(p.text)}),
				)
			}
		case fresh:
			t.flush(a)
		}
	}
	return true
}

// Await waits until some text of a session's answer has arrived, or ctx ends. The text stays until
// release is called.
func (b *Broker) Await(ctx context.Context, ws, session string) (release func()) {
	sub := b.Subscribe(Filter{Workspace: ws, Session: session, Types: []string{EventDelta, EventMessageSnapshot}})
	release = func() { b.Unsubscribe(sub) }
	for {
		if message, _ := b.Partial(session); message != "" {
			return release
		}
		select {
		case <-sub.ready:
			if _, _, err := sub.take(); err != nil {
				return release
			}
		case <-ctx.Done():
			return release
		}
	}
}

// Over ends an answer that was written on another node and stored as a message; seq is the
// message's number, 0 if unknown.
func (b *Broker) Over(session, message string, seq int64) {
	t := b.writer(session)
	if t == nil {
		return
	}
	t.mu.Lock()
	a := t.answers[session]
	if a == nil || a.from == "" || a.message != message {
		t.mu.Unlock()
		return
	}
	t.flush(a)
	a.stored.Store(seq)
	delete(t.answers, session)
	t.mu.Unlock()
	b.forget(session, t)
}

// Forsake drops the answers that were being written on another node (""; on all). With a reason,
// listeners get the notice that the text is void; without, the text is sent again.
func (b *Broker) Forsake(from, reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for session, t := range b.writers {
		t.mu.Lock()
		a := t.answers[session]
		mine := a != nil && a.from != "" && (from == "" || a.from == from)
		if mine {
			if reason != "" {
				t.void(a, reason)
			}
			delete(t.answers, session)
			delete(b.writers, session)
		}
		t.mu.Unlock()
		if mine {
			b.close(t)
		}
	}
}

// read reports whether a stream of the session is open here.
func (b *Broker) read(session string) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.viewers[session] > 0
}

// dropForeign removes text from another node that has no listeners here any more. The caller holds
// b.mu.
func (b *Broker) dropForeign(t *topic, session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.answers[session]; a != nil && a.from != "" {
		delete(t.answers, session)
		delete(b.writers, session)
	}
}

// Limits of what is read once for all listeners; beyond them each reads for itself.
const (
	catchUp      = bulk
	catchUpBytes = 1 << 20
)

// CatchUp delivers the events up to seq, which another node has announced: the log is read once for
// all listeners of a workspace.
func (b *Broker) CatchUp(ctx context.Context, log Log, ws string, seq int64) {
	t := b.find(ws)
	if t == nil {
		return
	}
	t.mu.Lock()
	pos := t.pos
	t.mu.Unlock()
	if seq <= pos {
		return
	}
	if pos > 0 && seq-pos <= catchUp {
		// After an error the listeners read the log themselves.
		if events, _, err := log.Events(
			ctx,
			ws,
			"",
			pos,
			domain.PageSize{Rows: catchUp, Bytes: catchUpBytes},
		); err == nil && len(events) > 0 &&
			events[0].Seq == pos+1 {
			for _, e := range events {
				named(e)
			}
			b.Publish(events)
		}
	}
	b.Hint(ws, seq)
}

// named sets the message id of an event that was read from the log, which identifies the text that
// was streamed for it.
func named(e *domain.LogEvent) {
	if e.Type != domain.LogMessageCreated || e.Message != nil {
		return
	}
	var body struct {
		Message struct {
			ID string `json:"id"`
		} `json:"message"`
	}
	if json.Unmarshal(e.Data, &body) == nil && body.Message.ID != "" {
		e.Message = &domain.Message{ID: body.Message.ID}
	}
}
