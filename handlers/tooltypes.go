package handlers

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

type newToolType struct {
	ID           string          `json:"id" validate:"required,type_id"`
	Name         string          `json:"name" validate:"visible,max=200"`
	Description  string          `json:"description" validate:"max=10000"`
	ConfigSchema json.RawMessage `json:"config_schema" validate:"required,object"`
	EntrySchema  json.RawMessage `json:"entry_schema" validate:"required,object"`
}

func (s *server) listToolTypes(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	types, err := s.ToolTypes.ToolTypes(r.Context(), caller(r).Workspace)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	types, next, err := cut(types, func(t *domain.ToolType) string { return t.ID }, limit, after)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, pageOf(pointers(types), next, api.ToolTypeFrom))
}

func (s *server) getToolType(w http.ResponseWriter, r *http.Request) {
	t, err := s.ToolTypes.ToolType(r.Context(), caller(r).Workspace, chi.URLParam(r, "tool_type_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.ToolTypeFrom(t))
}

func (s *server) createToolType(w http.ResponseWriter, r *http.Request) {
	var in newToolType
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	t := &domain.ToolType{
		ID: in.ID, Name: in.Name, Description: in.Description, ConfigSchema: in.ConfigSchema, EntrySchema: in.EntrySchema,
	}
	seq, err := s.ToolTypes.CreateToolType(r.Context(), caller(r).Workspace, t)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	w.Header().Set("Location", "/v1/tool-types/"+t.ID)
	s.writeJSON(w, r, http.StatusCreated, api.ToolTypeFrom(t))
}
