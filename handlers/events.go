package handlers

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
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
	out := storedEvent{Seq: e.Seq, Type: e.Type, At: api.Time(e.At), Data: e.Data}
	if e.SessionSeq > 0 {
		out.SessionSeq = &e.SessionSeq
	}
	return out
}

func (s *server) listSessionEvents(w http.ResponseWriter, r *http.Request) {
	if wantsStream(r) {
		s.streamSession(w, r)
		return
	}
	id := sessionID(r)
	if _, err := s.SessionReader.Session(r.Context(), caller(r).Workspace, id); err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeEvents(w, r, id, func(*domain.LogEvent) bool { return true })
}

func (s *server) listEvents(w http.ResponseWriter, r *http.Request) {
	if wantsStream(r) {
		s.streamWorkspace(w, r)
		return
	}
	sessions, types := commaSeparated(r.URL.Query().Get("sessions")), commaSeparated(r.URL.Query().Get("types"))
	s.writeEvents(w, r, "", func(e *domain.LogEvent) bool {
		return (len(types) == 0 || slices.Contains(types, string(e.Type))) &&
			(len(sessions) == 0 || e.SessionID == "" || slices.Contains(sessions, e.SessionID))
	})
}

// writeEvents answers with a page of the log; keep leaves events out, which makes a
// page shorter but never ends the list too early.
func (s *server) writeEvents(w http.ResponseWriter, r *http.Request, session string, keep func(*domain.LogEvent) bool) {
	limit, err := limitOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	after, err := numberAfter(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, storedEventFrom, func(limit int) (kept []*domain.LogEvent, next string, err error) {
		events, more, err := s.SessionReader.Events(r.Context(), caller(r).Workspace, session, after, domain.PageSize{Rows: limit})
		if err == nil && more {
			next = strconv.FormatInt(events[len(events)-1].Seq, 10)
		}
		for _, e := range events {
			if keep(e) {
				kept = append(kept, e)
			}
		}
		return kept, next, err
	})
}
