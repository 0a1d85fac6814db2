package handlers

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

type newToolType struct {
	ID           string          `json:"id" validate:"required,type_id"`
	Name         string          `json:"name" validate:"visible,name,max=200"`
	Description  string          `json:"description" validate:"max=10000"`
	ConfigSchema json.RawMessage `json:"config_schema" validate:"required,object"`
	EntrySchema  json.RawMessage `json:"entry_schema" validate:"required,object"`
}

type toolTypePatch struct {
	Name         *string                   `json:"name" validate:"omitempty,visible,name,max=200"`
	Description  nullable.Nullable[string] `json:"description" validate:"omitempty,dive,max=10000"`
	ConfigSchema json.RawMessage           `json:"config_schema" validate:"omitempty,object"`
	EntrySchema  json.RawMessage           `json:"entry_schema" validate:"omitempty,object"`
}

func (p *toolTypePatch) patch() domain.ToolTypePatch {
	return domain.ToolTypePatch{
		Name: p.Name, Description: orEmpty(p.Description), ConfigSchema: p.ConfigSchema, EntrySchema: p.EntrySchema,
	}
}

func (s *dataRoutes) listToolTypes(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.ToolTypeFrom, func(limit int) ([]*domain.ToolType, string, error) {
		types, err := s.ToolTypes.ToolTypes(r.Context(), caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		return pointed(cut(types, func(t *domain.ToolType) string { return t.ID }, limit, after))
	})
}

func (s *dataRoutes) getToolType(w http.ResponseWriter, r *http.Request) {
	t, err := s.ToolTypes.ToolType(r.Context(), caller(r).Workspace, chi.URLParam(r, "tool_type_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setETag(w, t.Version)
	s.writeJSON(w, r, http.StatusOK, api.ToolTypeFrom(t))
}

func (s *dataRoutes) createToolType(w http.ResponseWriter, r *http.Request) {
	var in newToolType
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	t, seq, err := s.ToolTypes.CreateToolType(r.Context(), caller(r).Workspace, domain.NewToolType(in))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	setETag(w, t.Version)
	w.Header().Set("Location", "/v1/tool-types/"+t.ID)
	s.writeJSON(w, r, http.StatusCreated, api.ToolTypeFrom(t))
}

func (s *dataRoutes) updateToolType(w http.ResponseWriter, r *http.Request) {
	var in toolTypePatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	t, seq, err := s.ToolTypes.UpdateToolType(r.Context(), caller(r).Workspace, chi.URLParam(r, "tool_type_id"), ifMatch(r), in.patch())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	setETag(w, t.Version)
	s.writeJSON(w, r, http.StatusOK, api.ToolTypeFrom(t))
}

func (s *dataRoutes) deleteToolType(w http.ResponseWriter, r *http.Request) {
	seq, err := s.ToolTypes.DeleteToolType(r.Context(), caller(r).Workspace, chi.URLParam(r, "tool_type_id"), ifMatch(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}
