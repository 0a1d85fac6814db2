package sessions

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) GetSlot(w http.ResponseWriter, r *http.Request) {
	slot, err := s.WorkspaceReader.Slot(r.Context(), edge.Caller(r).Workspace)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.SlotFrom(slot, s.Clock()))
}

func (s *Handlers) ListQueue(w http.ResponseWriter, r *http.Request) {
	rows, err := s.WorkspaceReader.Queue(r.Context(), edge.Caller(r).Workspace)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.QueueFrom(rows))
}

func (s *Handlers) LeaveQueue(w http.ResponseWriter, r *http.Request) {
	receipt, err := s.Steering.LeaveQueue(r.Context(), edge.Caller(r).Workspace, sessionID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, sessionResult(receipt))
}
