package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

const (
	// heartbeat keeps proxies from closing a stream on which nothing happens.
	heartbeat = 15 * time.Second
	// writeWithin is how long a reader may take to take in one write, and writeMiBWithin
	// how much longer for each MiB of it.
	writeWithin    = 10 * time.Second
	writeMiBWithin = time.Second
	// askAgain is how often a stream asks whether its caller may still listen. With what
	// package auth remembers, a revoked key closes its streams within 60 s.
	askAgain          = 30 * time.Second
	maxStreamSessions = 200
	allSessions       = "*" // stands for all of them
)

// opening is sent at once: 2 KiB of comment, because some proxies hold back the
// first bytes until there are that many; and how soon to come back.
var opening = []byte(":" + strings.Repeat(" ", 2048) + "\nretry: 2000\n\n")

var beat = []byte(":\n\n")

// wantsStream says whether a list of events is asked for as a stream.
func wantsStream(r *http.Request) bool {
	return prefers(r, "text/event-stream")
}

// While a stream waits, all the frames above it stay on its stack. They are kept small,
// and what only the beginning needs is done in functions that have returned: it halves
// what ten thousand idle listeners cost.

// streamSession sends a session's own events.
func (s *streamRoutes) streamSession(w http.ResponseWriter, r *http.Request) {
	if f := s.sessionFilter(w, r); f != nil {
		s.stream(w, r, f)
	}
}

// streamWorkspace sends the workspace's events, and all of the sessions that the
// caller names.
func (s *streamRoutes) streamWorkspace(w http.ResponseWriter, r *http.Request) {
	if f := s.workspaceFilter(w, r); f != nil {
		s.stream(w, r, f)
	}
}

func (s *streamRoutes) sessionFilter(w http.ResponseWriter, r *http.Request) *stream.Filter {
	f := &stream.Filter{Workspace: caller(r).Workspace, Session: chi.URLParam(r, "session_id")}
	if _, err := s.SessionReader.Session(r.Context(), f.Workspace, f.Session); err != nil {
		s.fail(w, r, err)
		return nil
	}
	return f
}

func (s *streamRoutes) workspaceFilter(w http.ResponseWriter, r *http.Request) *stream.Filter {
	f := &stream.Filter{
		Workspace: caller(r).Workspace,
		Sessions:  commaSeparated(r.URL.Query().Get("sessions")),
		Types:     commaSeparated(r.URL.Query().Get("types")),
	}
	if len(f.Sessions) > maxStreamSessions {
		s.fail(w, r, domain.Invalid("sessions", "too_many", "One stream takes %d sessions at most.", maxStreamSessions))
		return nil
	}
	if slices.Contains(f.Sessions, allSessions) {
		f.Sessions, f.AllSessions = nil, true
	}
	for _, id := range f.Sessions {
		if _, err := s.SessionReader.Session(r.Context(), f.Workspace, id); err != nil {
			s.fail(w, r, err)
			return nil
		}
	}
	return f
}

func commaSeparated(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

// cursor is where the caller wants to go on. A number that cannot be read is -1,
// which no log continues from.
func cursor(r *http.Request) (after int64, given bool) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		if !r.URL.Query().Has("after") {
			return 0, false
		}
		text = r.URL.Query().Get("after")
	}
	after, err := strconv.ParseInt(text, 10, 64)
	if err != nil || after < 0 {
		return -1, true
	}
	return after, true
}

// eventStream is one open stream.
type eventStream struct {
	s       *streamRoutes
	w       http.ResponseWriter
	control *http.ResponseController
	reader  *stream.Reader
	filter  *stream.Filter
	who     *auth.Identity
	asked   time.Time // when who was last looked at
	room    *hold     // for what is read and not yet written
}

func (s *streamRoutes) stream(w http.ResponseWriter, r *http.Request, f *stream.Filter) {
	ceilings := s.ceilings(r)
	if reached := s.open.enter(ceilings); reached != nil {
		s.fail(w, r, tooManyStreams(w, reached))
		return
	}
	defer s.open.leave(ceilings)
	e := s.openStream(w, r, f)
	if e == nil {
		return
	}
	defer e.close()
	if err := e.run(r.Context()); err != nil {
		e.logError(r, err)
	}
}

// openStream sends the head and the beginning of a stream. It is nil when the answer is
// complete with that.
func (s *streamRoutes) openStream(w http.ResponseWriter, r *http.Request, f *stream.Filter) *eventStream {
	e := &eventStream{s: s, w: w, control: http.NewResponseController(w), filter: f, who: caller(r), asked: s.Clock()}
	if err := e.control.SetWriteDeadline(time.Time{}); err != nil {
		s.fail(w, r, fmt.Errorf("set a write deadline on an event stream: %w", err))
		return nil
	}
	// A server's ReadTimeout would count as the listener having left.
	_ = e.control.SetReadDeadline(time.Time{}) // nothing to read in any case
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	if x := exchangeOf(r); x != nil {
		x.opened = max(s.Clock().Sub(x.begun), 1)
	}
	if s.Metrics != nil {
		s.Metrics.Stream(+1)
	}
	e.reader = s.Streams.Reader(eventLog{s, f.Session}, *f)
	e.reader.Room, e.reader.Acquire = e.makeRoom, e.replayRoom
	if err := e.begin(r); err != nil {
		e.logError(r, err)
		e.close()
		return nil
	}
	return e
}

func (e *eventStream) close() {
	e.releaseRoom()
	e.reader.Close()
	if e.s.Metrics != nil {
		e.s.Metrics.Stream(-1)
	}
}

// logError tells the log of an error that is not just a listener who left.
func (e *eventStream) logError(r *http.Request, err error) {
	if quiet(err) != nil && r.Context().Err() == nil {
		e.s.Log.Warn().Err(err).Str("request_id", requestID(r)).Msg("an event stream was closed")
	}
}

// run waits and writes until somebody ends it.
func (e *eventStream) run(ctx context.Context) error {
	timer := time.NewTimer(heartbeat)
	defer timer.Stop()
	for {
		if over, err := e.pass(ctx); over || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-e.reader.Ready():
		case <-timer.C:
			timer.Reset(heartbeat)
			if err := e.write(beat); err != nil {
				return err
			}
		}
	}
}

// pass writes all that there is. over: the stream has ended as it should.
func (e *eventStream) pass(ctx context.Context) (over bool, err error) {
	for {
		if !e.allowed(ctx) {
			return true, e.bye("not_allowed")
		}
		frames, more, err := e.reader.Next(ctx)
		if gone := e.write(frames...); gone != nil {
			return true, gone
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

// begin finds the place to go on from and sends the opening. The head of the answer leaves
// only when the place is known: who sees it and then sends a message, say, gets what comes
// of it as events, and not hidden in a snapshot that was taken later.
func (e *eventStream) begin(r *http.Request) error {
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
	return e.flush()
}

// reset tells that the cursor is of no use, and how things are now.
func (e *eventStream) reset(ctx context.Context, reason string) error {
	if e.s.Metrics != nil {
		e.s.Metrics.StreamReset()
	}
	data, _ := json.Marshal(api.ResetData{Reason: reason}) // cannot fail
	if err := e.put(stream.Encode(stream.EventReset, stream.NoID, data)); err != nil {
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
	body, err := e.s.snapshotOf(ctx, e.filter, seq, e.reader.Texts())
	if err != nil {
		return err
	}
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode a snapshot: %w", err)
	}
	e.reader.Skip(seq)
	e.room.resize(int64(len(data)))
	return e.write(stream.Encode(stream.EventSnapshot, seq, data))
}

// allowed asks now and then whether the caller may still listen, and whether what is
// listened to is still there. A database that does not answer is no reason to close.
func (e *eventStream) allowed(ctx context.Context) bool {
	now := e.s.Clock()
	if now.Sub(e.asked) < askAgain {
		return true
	}
	e.asked = now
	if code := domain.ErrorCode(e.s.Auth.Still(ctx, e.who)); code == domain.CodeUnauthenticated {
		return false
	}
	if e.filter.Session == "" {
		return true
	}
	_, err := e.s.SessionReader.Session(ctx, e.filter.Workspace, e.filter.Session)
	return domain.ErrorCode(err) != domain.CodeNotFound
}

// bye ends the stream. Listeners come back soon, but not all in the same instant.
func (e *eventStream) bye(reason string) error {
	data, _ := json.Marshal(api.ByeData{Reason: reason}) // cannot fail
	retry := fmt.Sprintf("retry: %d\n", 300+rand.IntN(700))
	_ = e.write([]byte(retry), stream.Encode(stream.EventBye, stream.NoID, data)) // the last one
	return nil
}

// errGone: the listener is not there any more, or too slow. Nobody need know.
var errGone = errors.New("the listener has gone")

func quiet(err error) error {
	if errors.Is(err, errGone) || errors.Is(err, context.Canceled) || errors.Is(err, stream.ErrSlow) {
		return nil
	}
	return err
}

// write sends all that waits in one go.
func (e *eventStream) write(frames ...[]byte) error {
	if len(frames) == 0 {
		return nil
	}
	if err := e.put(frames...); err != nil {
		return err
	}
	return e.flush()
}

// put writes what the next flush sends.
func (e *eventStream) put(frames ...[]byte) error {
	for _, f := range frames {
		// Each write has its time: a page of the log is no reason to close a slow line.
		if _, err := e.w.Write(f); err != nil { //nolint:gosec // an event stream of JSON, and named so
			return errGone
		}
	}
	return nil
}

func (e *eventStream) flush() error {
	if err := e.control.Flush(); err != nil {
		return errGone
	}
	return nil
}

// eventLog is the log as the streams read it: the workspace's, or that of one session,
// whose events are kept as long as it has not ended.
type eventLog struct {
	s       *streamRoutes
	session string
}

func (l eventLog) Events(ctx context.Context, ws, session string, after int64, size domain.PageSize) ([]*domain.LogEvent, bool, error) {
	return l.s.SessionReader.Events(ctx, ws, session, after, size)
}

func (l eventLog) EventBounds(ctx context.Context, ws string) (oldest, newest int64, err error) {
	if l.session != "" {
		return l.s.SessionReader.SessionEventBounds(ctx, ws, l.session)
	}
	return l.s.WorkspaceReader.EventBounds(ctx, ws)
}

// createStreamTicket makes a ticket for a stream that cannot send a header.
func (s *streamRoutes) createStreamTicket(w http.ResponseWriter, r *http.Request) {
	if err := s.readEmpty(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	text, expires, err := s.tickets.Issue(r.Context(), caller(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusCreated, api.StreamTicket{Ticket: text, ExpiresAt: api.Timestamp(expires)})
}
