package sessions

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) GetSlot(w http.ResponseWriter, r *http.Request) {
	lane, err := s.lane(r)
	if err == nil && lane.Lane == "" {
		err = domain.Invalid("lane", "invalid", "`*` lists queues only. Name one lane, or none for your own.")
	}
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	slot, err := s.WorkspaceReader.Slot(r.Context(), lane)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.SlotFrom(slot, s.Clock()))
}

func (s *Handlers) ListQueue(w http.ResponseWriter, r *http.Request) {
	lane, err := s.lane(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	rows, err := s.WorkspaceReader.Queue(r.Context(), lane)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.QueueFrom(rows))
}

// lane is the lane that a request asks for: the caller's own, unless the query names one. Lane "" is all of them. Lanes of
// other people are for admins.
func (s *Handlers) lane(r *http.Request) (domain.LaneRef, error) {
	caller := edge.Caller(r)
	own, err := s.WorkspaceReader.OwnLane(r.Context(), caller.Workspace, caller.Person)
	asked := r.URL.Query().Get("lane")
	if err != nil || asked == "" || asked == own.Lane {
		return own, err
	}
	if asked != domain.LaneWorkspace && asked != domain.LaneAutomations && !caller.Role.Allows(domain.RoleAdmin) {
		return domain.LaneRef{}, domain.Errorf(domain.CodeForbidden, "Other people's lanes are for admins.")
	}
	if asked == "*" {
		asked = ""
	}
	return domain.LaneRef{Workspace: caller.Workspace, Lane: asked}, nil
}

func (s *Handlers) LeaveQueue(w http.ResponseWriter, r *http.Request) {
	receipt, err := s.Steering.LeaveQueue(r.Context(), edge.Caller(r).Workspace, sessionID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, sessionResult(receipt))
}
