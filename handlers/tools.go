package handlers

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

type newTool struct {
	ZoneID            string          `json:"zone_id" validate:"required,max=64"`
	ToolType          string          `json:"tool_type" validate:"required,max=64"`
	Name              string          `json:"name" validate:"visible,name,max=200"`
	Description       string          `json:"description" validate:"max=10000"`
	Config            json.RawMessage `json:"config" validate:"omitempty,object"`
	AlwaysSend        bool            `json:"always_send"`
	RequireValidation bool            `json:"require_validation"`
	Position          int             `json:"position" validate:"min=0,max=1000000"`
}

type toolPatch struct {
	ZoneID            *string                   `json:"zone_id" validate:"omitempty,min=1,max=64"`
	Name              *string                   `json:"name" validate:"omitempty,visible,name,max=200"`
	Description       nullable.Nullable[string] `json:"description" validate:"omitempty,dive,max=10000"`
	Config            json.RawMessage           `json:"config" validate:"omitempty,object"`
	AlwaysSend        *bool                     `json:"always_send"`
	RequireValidation *bool                     `json:"require_validation"`
	Position          *int                      `json:"position" validate:"omitempty,min=0,max=1000000"`
}

func (p *toolPatch) patch() domain.ToolPatch {
	return domain.ToolPatch{
		ZoneID: p.ZoneID, Name: p.Name, Description: orEmpty(p.Description), Config: domain.ObjectPatch{Fields: p.Config, Whole: true},
		AlwaysSend: p.AlwaysSend, RequireValidation: p.RequireValidation, Position: p.Position,
	}
}

func (s *dataRoutes) listTools(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.ToolFrom, func(limit int) ([]*domain.Tool, string, error) {
		return pointed(s.Tools.Tools(r.Context(), caller(r).Workspace, r.URL.Query().Get("zone_id"), after, limit))
	})
}

func (s *dataRoutes) createTool(w http.ResponseWriter, r *http.Request) {
	var in newTool
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	tool, seq, err := s.Tools.CreateTool(r.Context(), caller(r).Workspace, domain.NewTool(in))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	setETag(w, tool.Version)
	w.Header().Set("Location", "/v1/tools/"+tool.ID)
	s.writeJSON(w, r, http.StatusCreated, api.ToolFrom(tool))
}

func (s *dataRoutes) getTool(w http.ResponseWriter, r *http.Request) {
	tool, err := s.Tools.Tool(r.Context(), caller(r).Workspace, toolID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setETag(w, tool.Version)
	s.writeJSON(w, r, http.StatusOK, api.ToolFrom(tool))
}

func (s *dataRoutes) updateTool(w http.ResponseWriter, r *http.Request) {
	var in toolPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	tool, seq, err := s.Tools.UpdateTool(r.Context(), caller(r).Workspace, toolID(r), ifMatch(r), in.patch())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	setETag(w, tool.Version)
	s.writeJSON(w, r, http.StatusOK, api.ToolFrom(tool))
}

func (s *dataRoutes) deleteTool(w http.ResponseWriter, r *http.Request) {
	force, err := boolOf(r, "force")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	seq, err := s.Tools.DeleteTool(r.Context(), caller(r).Workspace, toolID(r), ifMatch(r), force)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}

func toolID(r *http.Request) string { return chi.URLParam(r, "tool_id") }
