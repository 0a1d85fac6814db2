package handlers

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
)

func (s *sessionRoutes) getSlot(w http.ResponseWriter, r *http.Request) {
	slot, err := s.WorkspaceReader.Slot(r.Context(), caller(r).Workspace)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.SlotFrom(slot, s.Clock()))
}

func (s *sessionRoutes) listQueue(w http.ResponseWriter, r *http.Request) {
	rows, err := s.WorkspaceReader.Queue(r.Context(), caller(r).Workspace)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.QueueFrom(rows))
}

func (s *sessionRoutes) leaveQueue(w http.ResponseWriter, r *http.Request) {
	receipt, err := s.Steering.LeaveQueue(r.Context(), caller(r).Workspace, sessionID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, sessionResult(receipt))
}
