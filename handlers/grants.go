package handlers

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

func (s *automationRoutes) listGrants(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	ws, id := caller(r).Workspace, automationID(r)
	if _, err := s.Automations.Automation(r.Context(), ws, id); err != nil {
		s.fail(w, r, err)
		return
	}
	shown := func(g *domain.Grant) *api.Grant { return api.GrantFrom(g, s.Clock()) }
	writeList(s, w, r, limit, shown, func(limit int) ([]*domain.Grant, string, error) {
		return s.Grants.Grants(r.Context(), ws, id, after, limit)
	})
}

func (s *automationRoutes) createGrant(w http.ResponseWriter, r *http.Request) {
	var in api.NewGrant
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	who, id := caller(r), automationID(r)
	g, seq, err := s.Grants.GiveGrant(r.Context(), who.Workspace, id, in.Domain(who.Name))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	w.Header().Set("Location", "/v1/automations/"+id+"/grants/"+g.ID)
	s.writeJSON(w, r, http.StatusCreated, api.GrantFrom(g, s.Clock()))
}

func (s *automationRoutes) withdrawGrant(w http.ResponseWriter, r *http.Request) {
	seq, err := s.Grants.WithdrawGrant(r.Context(), caller(r).Workspace, automationID(r), chi.URLParam(r, "grant_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}
