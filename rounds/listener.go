package rounds

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

	changed bool       // since the last look
	live    *liveRound // of a round that is told live; nil: it has to be read
}

// To listens to a session from now on.
func (l *Listener) Listen(session string) {
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
func (l *Listener) Start(ctx context.Context, found Found, read func(context.Context) (*Progress, error)) (*Progress, error) {
	if found.Stored != nil {
		l.live = &liveRound{initial: found.Stored, position: l.Position}
		l.Behind(positionBefore(found.Stored.Message, found.Seq))
		return found.Stored, nil
	}
	l.Listen(found.Session)
	at, err := read(ctx)
	if err != nil {
		return nil, err
	}
	l.changed = true // it may be over
	if found.Results != nil {
		return at, l.Seek(ctx, found.Results.After)
	}
	return at, l.Seek(ctx, positionBefore(at.Message, at.Session.LastSeq))
}

// before is the number behind which a message has its place; now, for one that waits for it.
func positionBefore(m *domain.Message, latest int64) int64 {
	if m.Seq == 0 {
		return latest
	}
	return m.Seq - 1
}

// Events takes what has happened so far. round is the one that is followed, as far as it is known.
func (l *Listener) Events(ctx context.Context, round func() string, take func(name string, e *Event)) error {
	return ReadEvents(ctx, l.Reader, func(name string, e *Event) {
		take(name, e)
		if l.live != nil {
			l.live.take(name, e)
		}
		l.changed = l.changed || e.MayEndRound(name, round()) && !l.live.repeats(name, e)
	})
}

// Look gives how the round stands once it is over or asks, and all that happened until then was
// heard; nil: it goes on. The record is read only where something has happened to it.
func (l *Listener) Check(ctx context.Context, read func(context.Context) (*Progress, error)) (*Progress, error) {
	if !l.changed {
		return nil, nil
	}
	if l.live != nil {
		if at := l.live.progress(); at != nil {
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
	l.changed = at.State != Working
	return nil, nil
}
