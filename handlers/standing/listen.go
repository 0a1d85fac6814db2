package standing

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// Listener hears what happens in one session, and says when the record is worth a look.
type Listener struct {
	Workspace string
	Follow    func(stream.Filter) *stream.Reader

	*stream.Reader

	moved bool   // since the last look
	heard *heard // of a round that is told live; nil: it has to be read
}

// To listens to a session from now on.
func (l *Listener) To(session string) {
	l.Close()
	l.Reader = l.Follow(stream.Filter{Workspace: l.Workspace, Session: session})
}

// Close ends the listening, if there was any.
func (l *Listener) Close() {
	if l.Reader != nil {
		l.Reader.Close()
		l.Reader = nil
	}
}

// From has the events told from a message on: those behind it come live where it was stored
// since the listening began, else out of the log. It gives how the message stands.
func (l *Listener) From(ctx context.Context, found Found, read func(context.Context) (*Standing, error)) (*Standing, error) {
	if found.Fresh != nil {
		l.heard = &heard{fresh: found.Fresh, position: l.Position}
		l.Behind(before(found.Fresh.Message, found.Seq))
		return found.Fresh, nil
	}
	l.To(found.Session)
	at, err := read(ctx)
	if err != nil {
		return nil, err
	}
	l.moved = true // it may be over
	if found.Brought != nil {
		return at, l.Seek(ctx, found.Brought.After)
	}
	return at, l.Seek(ctx, before(at.Message, at.Session.LastSeq))
}

// before is the number behind which a message has its place; now, for one that waits for it.
func before(m *domain.Message, now int64) int64 {
	if m.Seq == 0 {
		return now
	}
	return m.Seq - 1
}

// Events takes what has happened so far. round is the one that is followed, as far as it is known.
func (l *Listener) Events(ctx context.Context, round func() string, take func(name string, e *Event)) error {
	return ReadEvents(ctx, l.Reader, func(name string, e *Event) {
		take(name, e)
		if l.heard != nil {
			l.heard.take(name, e)
		}
		l.moved = l.moved || e.Moves(name, round()) && !l.heard.follows(name, e)
	})
}

// Look gives how the round stands once it is over or asks, and all that happened until then was
// heard; nil: it goes on. The record is read only where something has happened to it.
func (l *Listener) Look(ctx context.Context, read func(context.Context) (*Standing, error)) (*Standing, error) {
	if !l.moved {
		return nil, nil
	}
	if l.heard != nil {
		if at := l.heard.standing(); at != nil {
			return at, nil
		}
	}
	at, err := read(ctx)
	if err != nil {
		return nil, err
	}
	// What is told of is what the events have brought: the record may be further.
	if at.State != Working && l.Position() >= at.Session.LastSeq {
		return at, nil
	}
	l.moved = at.State != Working
	return nil, nil
}
