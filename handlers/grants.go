package handlers

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

type newGrant struct {
	Commands  []string                     `json:"commands" validate:"required,min=1,max=50,dive,visible,max=100"`
	ZoneIDs   []string                     `json:"zone_ids" validate:"max=100,dive,min=1,max=64"`
	ToolIDs   []string                     `json:"tool_ids" validate:"max=100,dive,min=1,max=64"`
	Bounds    json.RawMessage              `json:"bounds" validate:"omitempty,object"`
	MaxPerRun int                          `json:"max_per_run" validate:"min=1,max=1000"`
	ExpiresAt nullable.Nullable[time.Time] `json:"expires_at"`
}

func (s *server) listGrants(w http.ResponseWriter, r *http.Request) {
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

func (s *server) createGrant(w http.ResponseWriter, r *http.Request) {
	var in newGrant
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	who, id := caller(r), automationID(r)
	ask := domain.Grant{
		Commands: in.Commands, ZoneIDs: in.ZoneIDs, ToolIDs: in.ToolIDs, Bounds: in.Bounds, MaxPerRun: in.MaxPerRun, CreatedBy: who.Name,
	}
	if at, given := in.ExpiresAt[true]; given {
		ask.ExpiresAt = new(at.UTC())
	}
	g, seq, err := s.Grants.GiveGrant(r.Context(), who.Workspace, id, ask)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	w.Header().Set("Location", "/v1/automations/"+id+"/grants/"+g.ID)
	s.writeJSON(w, r, http.StatusCreated, api.GrantFrom(g, s.Clock()))
}

func (s *server) withdrawGrant(w http.ResponseWriter, r *http.Request) {
	seq, err := s.Grants.WithdrawGrant(r.Context(), caller(r).Workspace, automationID(r), chi.URLParam(r, "grant_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}
