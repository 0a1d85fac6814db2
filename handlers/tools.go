package handlers

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/userdata"
)

func (s *dataRoutes) listTools(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.ToolFrom, func(limit int) ([]*userdata.Tool, string, error) {
		return pointed(s.Tools.Tools(r.Context(), caller(r).Workspace, r.URL.Query().Get("zone_id"), after, limit))
	})
}

func (s *dataRoutes) createTool(w http.ResponseWriter, r *http.Request) {
	var in api.NewTool
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	tool, seq, err := s.Tools.CreateTool(r.Context(), caller(r).Workspace, in.Domain())
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
	var in api.ToolPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	tool, seq, err := s.Tools.UpdateTool(r.Context(), caller(r).Workspace, toolID(r), ifMatch(r), in.Domain())
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
