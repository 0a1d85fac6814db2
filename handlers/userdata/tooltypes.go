package userdata

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ListToolTypes(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.ToolTypeFrom, func(limit int) ([]*userdata.ToolType, string, error) {
		types, err := s.ToolTypes.ToolTypes(r.Context(), edge.Caller(r).Workspace)
		if err != nil {
			return nil, "", err
		}
		return edge.Pointed(edge.Cut(types, func(t *userdata.ToolType) string { return t.ID }, limit, after))
	})
}

func (s *Handlers) GetToolType(w http.ResponseWriter, r *http.Request) {
	t, err := s.ToolTypes.ToolType(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "tool_type_id"))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetETag(w, t.Version)
	s.WriteJSON(w, r, http.StatusOK, api.ToolTypeFrom(t))
}

func (s *Handlers) CreateToolType(w http.ResponseWriter, r *http.Request) {
	var in api.NewToolType
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	t, seq, err := s.ToolTypes.CreateToolType(r.Context(), edge.Caller(r).Workspace, api.FieldsOf[userdata.NewToolType](in))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, t.Version)
	w.Header().Set("Location", "/v1/tool-types/"+t.ID)
	s.WriteJSON(w, r, http.StatusCreated, api.ToolTypeFrom(t))
}

func (s *Handlers) UpdateToolType(w http.ResponseWriter, r *http.Request) {
	var in api.ToolTypePatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	t, seq, err := s.ToolTypes.UpdateToolType(r.Context(), edge.Caller(r).Workspace,
		chi.URLParam(r, "tool_type_id"), edge.IfMatch(r),
		api.PatchOf[userdata.ToolTypeFields](in))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, t.Version)
	s.WriteJSON(w, r, http.StatusOK, api.ToolTypeFrom(t))
}

func (s *Handlers) DeleteToolType(w http.ResponseWriter, r *http.Request) {
	seq, err := s.ToolTypes.DeleteToolType(r.Context(), edge.Caller(r).Workspace, chi.URLParam(r, "tool_type_id"), edge.IfMatch(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	w.WriteHeader(http.StatusNoContent)
}
