package automations

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ListGrants(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	ws, id := edge.Caller(r).Workspace, automationID(r)
	if _, err := s.Automations.Automation(r.Context(), ws, id); err != nil {
		s.Fail(w, r, err)
		return
	}
	shown := func(g *domain.Grant) *api.Grant { return api.GrantFrom(g, s.Clock()) }
	edge.WriteList(s, w, r, limit, shown, func(limit int) ([]*domain.Grant, string, error) {
		return s.Grants.Grants(r.Context(), ws, id, after, limit)
	})
}

func (s *Handlers) CreateGrant(w http.ResponseWriter, r *http.Request) {
	var in api.NewGrant
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	who, id := edge.Caller(r), automationID(r)
	g, seq, err := s.Grants.GiveGrant(r.Context(), who.Workspace, id, in.Domain(who.Name))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	w.Header().Set("Location", "/v1/automations/"+id+"/grants/"+g.ID)
	s.WriteJSON(w, r, http.StatusCreated, api.GrantFrom(g, s.Clock()))
}

func (s *Handlers) WithdrawGrant(w http.ResponseWriter, r *http.Request) {
	seq, err := s.Grants.WithdrawGrant(r.Context(), edge.Caller(r).Workspace, automationID(r), chi.URLParam(r, "grant_id"))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}
