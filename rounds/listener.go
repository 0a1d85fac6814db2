package rounds

import (
	"context"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// Listener follows the events of one session, and determines when the record has to be read.
type Listener struct {
	Workspace string
	Follow    func(stream.Filter) *stream.Reader

	*stream.Reader

	changed bool       // since the last check
	live    *liveRound // of a round that is followed from its beginning; nil: it has to be read
}

// Listen follows a session from now on.
func (l *Listener) Listen(session string) {
	l.Close()
	l.Reader = l.Follow(stream.Filter{Workspace: l.Workspace, Session: session})
}

// Close stops following.
func (l *Listener) Close() {
	if l.Reader != nil {
		l.Reader.Close()
		l.Reader = nil
	}
}

// Start positions the events after a message, and returns the progress of its round. The events come
// live if the message was stored after Listen, and otherwise from the log.
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
	l.changed = true // it may be over already
	if found.Results != nil {
		return at, l.Seek(ctx, found.Results.After)
	}
	return at, l.Seek(ctx, positionBefore(at.Message, at.Session.LastSeq))
}

// positionBefore returns the sequence number before a message; latest for one that is queued.
func positionBefore(m *domain.Message, latest int64) int64 {
	if m.Seq == 0 {
		return latest
	}
	return m.Seq - 1
}

// Events passes the events up to now to take. round returns the id of the followed round, as far as
// it is known.
func (l *Listener) Events(ctx context.Context, round func() string, take func(*api.Event)) error {
	for more := true; more; {
		var err error
		more, err = NextEvents(ctx, l.Reader, func(e *api.Event) {
			take(e)
			if l.live != nil {
				l.live.take(e)
			}
			l.changed = l.changed || mayEndRound(e, round()) && !l.live.repeats(e)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Check returns the progress once the round is over or waits for a person, and all events up to then
// were passed on; nil while it is in progress. The record is read only after an event that may have
// changed it.
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
	// The record may be ahead of the events that were passed on.
	if at.State != Working && l.Position() >= at.Session.LastSeq {
		return at, nil
	}
	l.changed = at.State != Working
	return nil, nil
}
