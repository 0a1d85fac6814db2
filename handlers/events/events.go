package events

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/stream"
)

// storedEvent is an event of the log as JSON; Data is what streams send, byte for byte.
type storedEvent struct {
	Seq        int64           `json:"seq"`
	SessionSeq *int64          `json:"session_seq"`
	Type       domain.LogType  `json:"type"`
	At         api.Time        `json:"at"`
	Data       json.RawMessage `json:"data"`
}

func storedEventFrom(e *domain.LogEvent) storedEvent {
	out := storedEvent{Seq: e.Seq, Type: e.Type, At: api.Time(e.At), Data: api.TypedEvent(string(e.Type), e.Data)}
	if e.SessionSeq > 0 {
		out.SessionSeq = &e.SessionSeq
	}
	return out
}

func (s *Handlers) ListSessionEvents(w http.ResponseWriter, r *http.Request) {
	if wantsStream(r) {
		s.StreamSession(w, r)
		return
	}
	id := chi.URLParam(r, "session_id")
	if _, err := s.Sessions.Session(r.Context(), edge.Caller(r).Workspace, id); err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeEvents(w, r, &stream.Filter{Workspace: edge.Caller(r).Workspace, Session: id})
}

func (s *Handlers) ListEvents(w http.ResponseWriter, r *http.Request) {
	if wantsStream(r) {
		s.StreamWorkspace(w, r)
		return
	}
	if f := s.workspaceFilter(w, r); f != nil {
		s.writeEvents(w, r, f)
	}
}

// writeEvents answers with a page of the log. What the filter leaves out makes a page
// shorter but never ends the list too early.
func (s *Handlers) writeEvents(w http.ResponseWriter, r *http.Request, f *stream.Filter) {
	limit, err := edge.LimitOf(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	after, err := edge.NumberAfter(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, storedEventFrom, func(limit int) (kept []*domain.LogEvent, next string, err error) {
		events, more, err := s.Sessions.Events(r.Context(), f.Workspace, f.Session, after, domain.PageSize{Rows: limit})
		if err == nil && after > 0 {
			err = s.continues(r.Context(), f, after)
		}
		if err == nil && more {
			next = strconv.FormatInt(events[len(events)-1].Seq, 10)
		}
		for _, e := range events {
			if f.Wants(e.Type, e.SessionID) {
				kept = append(kept, e)
			}
		}
		return kept, next, err
	})
}

// continues rejects a number from which the log cannot be continued: one beyond the newest event (for example
// after a restore from a backup: the client would poll forever), or one whose following events have been deleted.
// A stream sends a reset instead; an empty or incomplete page would be an unnoticed gap.
func (s *Handlers) continues(ctx context.Context, f *stream.Filter, after int64) error {
	oldest, newest, err := eventLog{s, f.Session}.EventBounds(ctx, f.Workspace)
	switch {
	case err != nil:
		return fmt.Errorf("read the bounds of the log: %w", err)
	case after > newest:
		return domain.Invalid("/after", "of_the_future", "The newest event has the number %d. Begin again, with after=0.", newest)
	case after >= oldest-1:
		return nil
	}
	// Sessions that have not ended keep older events: a client that pages through them from the start has the
	// number of one.
	at, _, err := s.Sessions.Events(ctx, f.Workspace, f.Session, after-1, domain.PageSize{Rows: 1})
	if err != nil {
		return fmt.Errorf("look for the event of a cursor: %w", err)
	}
	if len(at) == 0 || at[0].Seq != after {
		return domain.Invalid("/after", "not_stored", "What followed event %d is not stored any more. Begin again, with after=0.", after)
	}
	return nil
}
