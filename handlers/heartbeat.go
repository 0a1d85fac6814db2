package handlers

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/stream"
)

// sendHeartbeat records that a client is watching sessions without an event stream.
func (s *streamRoutes) sendHeartbeat(w http.ResponseWriter, r *http.Request) {
	var in api.HeartbeatInput
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	for _, id := range in.SessionIDs {
		if _, err := s.Sessions.Session(r.Context(), caller(r).Workspace, id); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	now := s.Clock()
	s.Streams.Heartbeat(in.SessionIDs, now)
	s.writeJSON(w, r, http.StatusOK, api.Heartbeat{WatchedUntil: api.Timestamp(now.Add(stream.HeartbeatHolds))})
}
