package handlers

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/userdata"
)

func (s *dataRoutes) listToolTypes(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.ToolTypeFrom, func(limit int) ([]*userdata.ToolType, string, error) {
		types, err := s.ToolTypes.ToolTypes(r.Context(), caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		return pointed(cut(types, func(t *userdata.ToolType) string { return t.ID }, limit, after))
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
	var in api.NewToolType
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	t, seq, err := s.ToolTypes.CreateToolType(r.Context(), caller(r).Workspace, in.Domain())
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
	var in api.ToolTypePatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	t, seq, err := s.ToolTypes.UpdateToolType(r.Context(), caller(r).Workspace, chi.URLParam(r, "tool_type_id"), ifMatch(r), in.Domain())
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
