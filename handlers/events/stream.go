package events

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/stream"
)

const (
	// heartbeat keeps proxies from closing a stream on which nothing happens.
	heartbeat         = 15 * time.Second
	maxStreamSessions = 200
	allSessions       = "*" // all sessions
)

// opening is sent at once: 2 KiB of comment, because some proxies hold back the
// first bytes until there are that many; and how soon to come back.
var opening = []byte(":" + strings.Repeat(" ", 2048) + "\nretry: 2000\n\n")

var beat = []byte(":\n\n")

// wantsStream reports whether the client accepts a list of events as a stream.
func wantsStream(r *http.Request) bool {
	return edge.Prefers(r, "text/event-stream")
}

// StreamSession sends a session's own events.
func (s *Handlers) StreamSession(w http.ResponseWriter, r *http.Request) {
	if f := s.sessionFilter(w, r); f != nil {
		s.stream(w, r, f)
	}
}

// StreamWorkspace sends the workspace's events, and all of the sessions that the
// caller names.
func (s *Handlers) StreamWorkspace(w http.ResponseWriter, r *http.Request) {
	if f := s.workspaceFilter(w, r); f != nil {
		s.stream(w, r, f)
	}
}

func (s *Handlers) sessionFilter(w http.ResponseWriter, r *http.Request) *stream.Filter {
	f := &stream.Filter{Workspace: edge.Caller(r).Workspace, Person: edge.Caller(r).Person, Session: chi.URLParam(r, "session_id")}
	if _, err := s.session(r.Context(), f.Workspace, f.Session); err != nil {
		s.Fail(w, r, err)
		return nil
	}
	return f
}

func (s *Handlers) workspaceFilter(w http.ResponseWriter, r *http.Request) *stream.Filter {
	f := &stream.Filter{
		Workspace: edge.Caller(r).Workspace,
		Sessions:  commaSeparated(r.URL.Query().Get("sessions")),
		Types:     commaSeparated(r.URL.Query().Get("types")),
	}
	if len(f.Sessions) > maxStreamSessions {
		s.Fail(w, r, domain.Invalid("/sessions", "too_many", "One stream takes %d sessions at most.", maxStreamSessions))
		return nil
	}
	if slices.Contains(f.Sessions, allSessions) {
		f.Sessions, f.AllSessions = nil, true
	}
	for _, id := range f.Sessions {
		if _, err := s.session(r.Context(), f.Workspace, id); err != nil {
			s.Fail(w, r, err)
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
	after, err := edge.Digits(text)
	if err != nil {
		return -1, true
	}
	return after, true
}

// stream opens a stream, and sends what there is so far. It then continues without the
// request's goroutine and buffers, where the connection can be taken over.
func (s *Handlers) stream(w http.ResponseWriter, r *http.Request, f *stream.Filter) {
	ceilings := s.Ceilings(r)
	if reached := s.OpenStreams.Enter(ceilings); reached != nil {
		s.Fail(w, r, edge.TooManyStreams(w, reached))
		return
	}
	control := http.NewResponseController(w)
	e := &eventStream{
		s: s, out: answerOutlet{w, control}, ceilings: ceilings, filter: f, who: edge.Caller(r), asked: s.Clock(), id: edge.RequestID(r),
	}
	ended := true
	defer func() {
		if ended {
			e.close()
		}
	}()
	if !e.open(w, r, control) {
		return
	}
	if e.takeOver(control, r) {
		ended = false
		return
	}
	e.logError(r.Context(), e.run(r.Context()))
}

// open sends the head of a stream and all that there is so far. It is false when the
// answer is complete with that.
func (e *eventStream) open(w http.ResponseWriter, r *http.Request, control *http.ResponseController) bool {
	s := e.s
	if err := control.SetWriteDeadline(time.Time{}); err != nil {
		s.Fail(w, r, fmt.Errorf("set a write deadline on an event stream: %w", err))
		return false
	}
	// A server's ReadTimeout would count as the listener having left.
	_ = control.SetReadDeadline(time.Time{}) // nothing to read in any case
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
	if r.ProtoMajor == 1 {
		h.Set("Connection", "close") // nothing follows a stream on its connection
	}
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return false
	}
	s.Opened(r)
	e.begin()
	err := e.opening(r)
	over := err != nil
	if !over {
		over, err = e.pass(r.Context())
	} else {
		// A client whose wait was in vain still gets the header with the retry time. This write has its own
		// deadline, since that of the header may have passed.
		_ = e.write(beat)
	}
	e.logError(r.Context(), err)
	return !over
}

// CreateStreamTicket makes a ticket for a stream that cannot send a header.
func (s *Handlers) CreateStreamTicket(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	text, expires, err := s.StreamTickets.Issue(r.Context(), edge.Caller(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusCreated, api.StreamTicket{Ticket: text, ExpiresAt: api.Timestamp(expires)})
}
