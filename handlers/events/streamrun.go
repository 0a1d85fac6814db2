package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/sse"
	"github.com/fermata-dev/fermata/stream"
)

// eventStream is one open stream. Ten thousand of them wait at a time: it holds nothing of
// the request that opened it.
type eventStream struct {
	s        *Handlers
	out      outlet
	ceilings []edge.Ceiling // that it counts for
	reader   *stream.Reader
	filter   *stream.Filter
	who      *auth.Identity
	asked    time.Time  // when who was last looked at
	room     *edge.Hold // for what is read and not yet written
	id       string     // of the request
}

// outlet is where the frames of a stream go; what was put there is on its way when flush
// returns.
type outlet interface {
	put(frames [][]byte) error
	flush() error
}

// answerOutlet is an answer that net/http writes.
type answerOutlet struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (a answerOutlet) put(frames [][]byte) error {
	for _, f := range frames {
		// Each write has its time: a page of the log is no reason to close a slow line.
		if _, err := a.w.Write(f); err != nil {
			return fmt.Errorf("write to an event stream: %w", err)
		}
	}
	return nil
}

func (a answerOutlet) flush() error { return a.control.Flush() }

// begin subscribes.
func (e *eventStream) begin() {
	if e.s.Metrics != nil {
		e.s.Metrics.Stream(+1)
	}
	e.reader = e.s.Streams.Reader(eventLog{e.s, e.filter.Session}, *e.filter)
	e.reader.Room, e.reader.Acquire = e.makeRoom, e.replayRoom
}

func (e *eventStream) close() {
	e.releaseRoom()
	if e.reader != nil {
		e.reader.Close()
		if e.s.Metrics != nil {
			e.s.Metrics.Stream(-1)
		}
	}
	e.s.OpenStreams.Leave(e.ceilings)
}

// logError logs an error, unless the client just disconnected.
func (e *eventStream) logError(ctx context.Context, err error) {
	if quiet(err) != nil && ctx.Err() == nil {
		e.s.Log.Warn().Err(err).Str("request_id", e.id).Msg("an event stream was closed")
	}
}

// run waits for events and writes them until the stream ends.
func (e *eventStream) run(ctx context.Context) error {
	timer := time.NewTimer(e.untilBeat())
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.reader.Ready():
		case <-timer.C:
			timer.Reset(e.untilBeat())
			if err := e.write(beat); err != nil {
				return err
			}
		}
		if over, err := e.pass(ctx); over || err != nil {
			return err
		}
	}
}

// untilBeat is the time to the next heartbeat, or to the end of the token that the stream was opened with.
func (e *eventStream) untilBeat() time.Duration {
	if ends := e.who.TokenEnds(); ends != nil {
		return min(heartbeat, ends.Sub(e.s.Clock()))
	}
	return heartbeat
}

// pass writes all that there is. over: the stream has ended as it should.
func (e *eventStream) pass(ctx context.Context) (over bool, err error) {
	for {
		if ends := e.who.TokenEnds(); ends != nil && !e.s.Clock().Before(*ends) {
			return true, e.expired(*ends)
		}
		if !e.allowed(ctx) {
			return true, e.bye("not_allowed")
		}
		events, more, err := e.reader.Next(ctx)
		if len(events) > 0 {
			if gone := e.write(stream.Encode(events, api.EventFrame)...); gone != nil {
				return true, gone
			}
		}
		e.releaseRoom()
		switch {
		case errors.Is(err, stream.ErrReset):
			if err := e.reset(ctx, "pruned"); err != nil {
				return true, err
			}
		case errors.Is(err, stream.ErrStopped):
			return true, e.bye("shutdown")
		case errors.Is(err, stream.ErrSlow):
			return true, nil
		case err != nil:
			return true, err
		case !more:
			return false, nil
		}
	}
}

// opening determines the position to continue from and sends the first bytes. The head of the response is sent only
// when the position is known: a client that receives the head and then sends a message gets its effects as events
// and not as part of a snapshot taken later.
func (e *eventStream) opening(r *http.Request) error {
	if err := e.put(opening); err != nil {
		return err
	}
	after, given := cursor(r)
	if !given {
		return e.snapshot(r.Context())
	}
	err := e.reader.Seek(r.Context(), after)
	if errors.Is(err, stream.ErrReset) {
		return e.reset(r.Context(), "unknown")
	}
	if err != nil {
		return err
	}
	return e.write()
}

// reset sends a reset event, for a cursor that cannot be continued, with the present state.
func (e *eventStream) reset(ctx context.Context, reason string) error {
	if e.s.Metrics != nil {
		e.s.Metrics.StreamReset()
	}
	data, _ := json.Marshal(api.ResetData{Reason: reason}) // cannot fail
	if err := e.put(api.EventFrame(stream.EventReset, sse.NoID, data)); err != nil {
		return err
	}
	return e.snapshot(ctx)
}

// snapshot sends how things are now. The number is read first: what happens while the
// rest is read is sent again as an event, and never left out.
func (e *eventStream) snapshot(ctx context.Context) error {
	if !e.makeRoom(ctx, snapshotRoom) {
		return stream.ErrSlow
	}
	defer e.releaseRoom()
	seq, err := e.reader.Newest(ctx)
	if err != nil {
		return err
	}
	var data []byte
	e.s.Aside(func() { data, err = e.s.snapshotOf(ctx, e.filter, seq, e.reader.Texts()) })
	if err != nil {
		return err
	}
	e.reader.Skip(seq)
	e.room.Resize(int64(len(data)))
	return e.write(api.EventFrame(stream.EventSnapshot, seq, data))
}

// allowed asks now and then whether the caller may still listen, and whether what is
// listened to is still there. A database that does not answer is no reason to close.
func (e *eventStream) allowed(ctx context.Context) (yes bool) {
	now := e.s.Clock()
	if now.Sub(e.asked) < edge.AskAgain {
		return true
	}
	e.asked = now
	e.s.Aside(func() { yes = e.ask(ctx) })
	return yes
}

func (e *eventStream) ask(ctx context.Context) bool {
	if edge.RefusedNow(e.s.Auth.Still(ctx, e.who)) {
		return false
	}
	if e.filter.Session == "" {
		return true
	}
	_, err := e.s.Sessions.Session(ctx, e.filter.Workspace, e.filter.Session)
	return domain.ErrorCode(err) != domain.CodeNotFound
}

// bye ends the stream. Listeners come back soon, but not all in the same instant.
func (e *eventStream) bye(reason string) error {
	data, _ := json.Marshal(api.ByeData{Reason: reason})                                                              // cannot fail
	_ = e.write(fmt.Appendf(nil, "retry: %d\n", 300+rand.IntN(700)), api.EventFrame(stream.EventBye, sse.NoID, data)) // the last one
	return nil
}

// expired ends the stream with its token. The client comes back with a new one, and with its cursor.
func (e *eventStream) expired(at time.Time) error {
	data, _ := json.Marshal(api.TokenExpiredData{ExpiredAt: api.Time(at)}) // cannot fail
	_ = e.write(api.EventFrame(stream.EventTokenExpired, sse.NoID, data))  // the last one
	return nil
}

// errGone: the client has disconnected or is too slow. It is not logged.
var errGone = errors.New("the listener has gone")

func quiet(err error) error {
	if errors.Is(err, errGone) || errors.Is(err, context.Canceled) || errors.Is(err, stream.ErrSlow) {
		return nil
	}
	return err
}

// write sends these frames and all that was put before them.
func (e *eventStream) write(frames ...[]byte) error {
	if err := e.put(frames...); err != nil {
		return err
	}
	if e.out.flush() != nil {
		return errGone
	}
	return nil
}

// put leaves frames for the next write.
func (e *eventStream) put(frames ...[]byte) error {
	if e.out.put(frames) != nil {
		return errGone
	}
	return nil
}
