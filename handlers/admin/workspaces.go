package admin

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ListWorkspaces(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.WorkspaceFrom, func(limit int) ([]*domain.Workspace, string, error) {
		all, err := s.Workspaces.Workspaces(r.Context())
		if err != nil {
			return nil, "", err
		}
		return edge.Cut(all, func(ws **domain.Workspace) string { return (*ws).ID }, limit, after)
	})
}

func (s *Handlers) CreateWorkspace(w http.ResponseWriter, r *http.Request) {
	var in api.NewWorkspace
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	ws := &domain.Workspace{ID: in.ID, Name: in.ID, Settings: domain.DefaultSettings(), CreatedAt: s.Clock()}
	if in.Name != nil && *in.Name != "" {
		ws.Name = *in.Name
	}
	if err := s.Workspaces.CreateWorkspace(r.Context(), ws); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/workspaces/"+ws.ID)
	s.WriteJSON(w, r, http.StatusCreated, api.WorkspaceFrom(ws))
}

func (s *Handlers) GetWorkspace(w http.ResponseWriter, r *http.Request) {
	ws, err := s.Workspaces.Workspace(r.Context(), chi.URLParam(r, "workspace_id"))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.WorkspaceFrom(ws))
}
