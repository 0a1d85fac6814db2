package userdata

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ListTools(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.ToolFrom, func(limit int) ([]*userdata.Tool, string, error) {
		return edge.Pointed(s.Tools.Tools(r.Context(), edge.Caller(r).Workspace, r.URL.Query().Get("zone_id"), after, limit))
	})
}

func (s *Handlers) CreateTool(w http.ResponseWriter, r *http.Request) {
	var in api.NewTool
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	tool, seq, err := s.Tools.CreateTool(r.Context(), edge.Caller(r).Workspace, api.FieldsOf[userdata.ToolFields](in))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, tool.Version)
	w.Header().Set("Location", "/v1/tools/"+tool.ID)
	s.WriteJSON(w, r, http.StatusCreated, api.ToolFrom(tool))
}

func (s *Handlers) GetTool(w http.ResponseWriter, r *http.Request) {
	tool, err := s.Tools.Tool(r.Context(), edge.Caller(r).Workspace, toolID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetETag(w, tool.Version)
	s.WriteJSON(w, r, http.StatusOK, api.ToolFrom(tool))
}

func (s *Handlers) UpdateTool(w http.ResponseWriter, r *http.Request) {
	var in api.ToolPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	tool, seq, err := s.Tools.UpdateTool(r.Context(), edge.Caller(r).Workspace, toolID(r), edge.IfMatch(r),
		api.PatchOf[userdata.ToolFields](in))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, tool.Version)
	s.WriteJSON(w, r, http.StatusOK, api.ToolFrom(tool))
}

func (s *Handlers) DeleteTool(w http.ResponseWriter, r *http.Request) {
	force, err := edge.BoolOf(r, "force")
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	seq, err := s.Tools.DeleteTool(r.Context(), edge.Caller(r).Workspace, toolID(r), edge.IfMatch(r), force)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}

func toolID(r *http.Request) string { return chi.URLParam(r, "tool_id") }
