package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

// Log is the stored log of events. Events are ordered by number, those of one session or (session
// "") of the whole workspace, with Data set. EventBounds returns the oldest number still stored and
// the newest ever assigned; 0 if there is none. more: there are events after the page.
type Log interface {
	Events(ctx context.Context, ws, session string, after int64, size domain.PageSize) (events []*domain.LogEvent, more bool, err error)
	EventBounds(ctx context.Context, ws string) (oldest, newest int64, err error)
}

// ErrReset: the log does not hold everything after the cursor. The listener must take a snapshot
// and continue from there.
var ErrReset = errors.New("the cursor cannot be continued from")

// page is how much of the log a listener holds at a time: little, because there are many listeners
// and a slow one holds it for long. A longer event is read alone; the largest of long exceeds every
// event.
var page = domain.PageSize{Rows: 500, Bytes: 256 << 10, Strict: true}

const longest = 32 << 20

// long are increasing limits for reading a longer event: room is taken for the whole limit.
var long = []domain.PageSize{
	{Rows: 1, Bytes: 2 << 20, Strict: true}, {Rows: 1, Bytes: 8 << 20, Strict: true}, {Rows: 1, Bytes: longest},
}

// Reader gives one listener every event after its cursor, in order and exactly once: from the log
// first, then from the hints, and from the log again if these leave a gap. It subscribes before it
// reads, so that no event is lost in between. It must be used by one goroutine.
type Reader struct {
	broker *Broker
	log    Log
	sub    *Subscription

	// pos: everything up to here that the listener wants was returned.
	pos int64
	// chain is the session_seq of the last returned event of a session's own stream, 0 if unknown.
	// The log of a session must continue it without a gap.
	chain int64

	scanning bool
	target   int64    // the newest number when the scan began
	hinted   int64    // a hint announced this number: the scan should reach it
	waiting  []*Event // taken from the queue, to be returned after the scan

	// Room, if set, is called before so many bytes of the log are read. It may wait; false closes
	// the listener, which can reconnect with its cursor.
	Room func(ctx context.Context, bytes int) bool
	// Acquire, if set, is called before a page of the log is read, and done after it. Replaying a
	// long log keeps a core and a connection of the database busy, and one caller may have many
	// listeners at once.
	Acquire func(ctx context.Context) (done func(), ok bool)

	held Room // of the request that reads; nil until it reads
}

// Reader subscribes. Seek or Skip sets the beginning; Close unsubscribes.
func (b *Broker) Reader(log Log, f Filter) *Reader {
	return &Reader{broker: b, log: log, sub: b.Subscribe(f)}
}

// Close unsubscribes.
func (r *Reader) Close() { r.broker.Unsubscribe(r.sub) }

// Texts returns the answers in progress when the listener joined, as far as its deltas do not
// include them. They are returned once; a message.snapshot of each follows.
func (r *Reader) Texts() []Text {
	texts := r.sub.texts
	r.sub.texts = nil
	return texts
}

// Ready is readable when Next may return something. It also releases the request's Room, because
// the caller is about to wait.
func (r *Reader) Ready() <-chan struct{} {
	if r.held != nil {
		r.held.Rest()
	}
	return r.sub.ready
}

// Reading reports that the next call of Next reads the log: it takes time, and a deep stack.
func (r *Reader) Reading() bool { return r.scanning }

// Position returns the number up to which everything was returned.
func (r *Reader) Position() int64 { return r.pos }

// Newest returns the current number of the workspace.
func (r *Reader) Newest(ctx context.Context) (int64, error) {
	_, newest, err := r.log.EventBounds(ctx, r.sub.filter.Workspace)
	if err != nil {
		return 0, fmt.Errorf("read the bounds of the log: %w", err)
	}
	return newest, nil
}

// Skip continues after seq without reading back: a snapshot covers what came before.
func (r *Reader) Skip(seq int64) {
	r.pos, r.chain, r.scanning, r.target = seq, 0, true, 0
}

// Behind continues after an event that was committed since the reader was created. Later events
// come live: the log is read only if a hint leaves a gap.
func (r *Reader) Behind(seq int64) {
	r.pos, r.chain, r.scanning, r.target = seq, 0, false, 0
}

// Seek continues after the cursor, or returns ErrReset if that number is in the future or the
// events after it are not stored any more.
func (r *Reader) Seek(ctx context.Context, after int64) error {
	f := &r.sub.filter
	oldest, newest, err := r.log.EventBounds(ctx, f.Workspace)
	if err != nil {
		return fmt.Errorf("read the bounds of the log: %w", err)
	}
	if after < 0 || after > newest {
		return ErrReset
	}
	r.Skip(after)
	if f.Session == "" || after >= newest || oldest > 0 && after >= oldest-1 {
		// A gap in the workspace's own numbers is detected while it is read.
		return nil
	}
	// The workspace's log was pruned after the cursor, but that of a session is not pruned while
	// the session lives.
	first, _, err := r.log.Events(ctx, f.Workspace, f.Session, 0, domain.PageSize{Rows: 1})
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	if len(first) == 0 || first[0].SessionSeq != 1 && after < first[0].Seq-1 {
		return ErrReset
	}
	return nil
}

// Next returns the available events, oldest first; nothing if there is nothing new. more
// means that it should be called again before waiting for Ready. ErrReset, ErrSlow and ErrStopped
// end the stream (after ErrReset, Skip continues it).
func (r *Reader) Next(ctx context.Context) (events []*Event, more bool, err error) {
	if r.held == nil {
		r.held = RoomOf(ctx)
	}
	if !r.held.Take(ctx, 0) {
		return nil, false, ErrSlow
	}
	if r.scanning {
		return r.scan(ctx)
	}
	taken, base, err := r.sub.take()
	if err != nil {
		return nil, false, err
	}
	if base > r.pos {
		r.scanning, r.target, r.hinted, r.waiting = true, 0, base, append(r.waiting, taken...)
		return nil, true, nil
	}
	if !r.held.Take(ctx, size(taken)) {
		return nil, false, ErrSlow
	}
	return r.give(taken), false, nil
}

// give orders live events after what was returned already.
func (r *Reader) give(taken []*Event) []*Event {
	var out []*Event
	for _, f := range taken {
		switch {
		case f.stored != nil:
			if stored := f.stored.Load(); stored > 0 && stored <= r.pos {
				continue // the listener has the whole message
			}
		case f.Seq == 0:
		case f.Seq <= r.pos:
			continue
		default:
			r.pos = f.Seq
			r.chain = max(r.chain, f.SessionSeq)
		}
		out = append(out, f)
	}
	return out
}

// scan returns the next page of the log, and after the last page what came live meanwhile.
func (r *Reader) scan(ctx context.Context) (events []*Event, more bool, err error) {
	f := &r.sub.filter
	stored, further, err := r.read(ctx, page)
	for i := 0; i < len(long) && err == nil && further && len(stored) == 0; i++ {
		stored, further, err = r.read(ctx, long[i])
	}
	if err != nil {
		return nil, false, err
	}
	for _, e := range stored {
		if !r.continues(e) {
			return events, false, ErrReset
		}
		r.pos = e.Seq
		r.chain = max(r.chain, e.SessionSeq)
		if f.Wants(e.Type, e.SessionID) {
			events = append(events, committed(e))
		}
	}
	if further {
		return events, true, nil
	}
	if f.Session == "" && r.pos < r.target {
		return events, false, ErrReset // the end of the log is missing
	}
	r.pos = max(r.pos, r.target)
	r.scanning, r.target = false, 0
	waiting := r.waiting
	r.waiting = nil
	// A hint that is ahead of the log is checked again at the next one, not in a busy loop.
	return append(events, r.give(waiting)...), r.pos >= r.hinted, nil
}

// read reads a page of the log, when there is room for it and Acquire returns.
func (r *Reader) read(ctx context.Context, size domain.PageSize) (events []*domain.LogEvent, further bool, err error) {
	if !r.held.Take(ctx, size.Bytes) || r.Room != nil && !r.Room(ctx, size.Bytes) {
		return nil, false, ErrSlow
	}
	if r.Acquire != nil {
		done, ok := r.Acquire(ctx)
		if !ok {
			return nil, false, ErrSlow
		}
		defer done()
	}
	select {
	case r.broker.reads <- struct{}{}:
		defer func() { <-r.broker.reads }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	if r.target == 0 {
		if r.target, err = r.Newest(ctx); err != nil {
			return nil, false, err
		}
	}
	f := &r.sub.filter
	if events, further, err = r.log.Events(ctx, f.Workspace, f.Session, r.pos, size); err != nil {
		return nil, false, fmt.Errorf("read the log: %w", err)
	}
	return events, further, nil
}

// continues reports whether nothing is missing in the log before e.
func (r *Reader) continues(e *domain.LogEvent) bool {
	if r.sub.filter.Session == "" {
		return e.Seq == r.pos+1
	}
	return r.chain == 0 || e.SessionSeq == 0 || e.SessionSeq == r.chain+1
}
