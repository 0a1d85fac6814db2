package events

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/stream"
)

// SendHeartbeat records that a client is watching sessions without an event stream.
func (s *Handlers) SendHeartbeat(w http.ResponseWriter, r *http.Request) {
	var in api.HeartbeatInput
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	for _, id := range in.SessionIDs {
		if _, err := s.Sessions.Session(r.Context(), edge.Caller(r).Workspace, id); err != nil {
			s.Fail(w, r, err)
			return
		}
	}
	now := s.Clock()
	s.Streams.Heartbeat(in.SessionIDs, now)
	s.WriteJSON(w, r, http.StatusOK, api.Heartbeat{WatchedUntil: api.Timestamp(now.Add(stream.HeartbeatHolds))})
}
