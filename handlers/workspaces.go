package handlers

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

func (s *processRoutes) listWorkspaces(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.WorkspaceFrom, func(limit int) ([]*domain.Workspace, string, error) {
		all, err := s.Workspaces.Workspaces(r.Context())
		if err != nil {
			return nil, "", err
		}
		return cut(all, func(ws **domain.Workspace) string { return (*ws).ID }, limit, after)
	})
}

func (s *processRoutes) createWorkspace(w http.ResponseWriter, r *http.Request) {
	var in api.NewWorkspace
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	ws := &domain.Workspace{ID: in.ID, Name: in.ID, Settings: domain.DefaultSettings(), CreatedAt: s.Clock()}
	if in.Name != nil && *in.Name != "" {
		ws.Name = *in.Name
	}
	if err := s.Workspaces.CreateWorkspace(r.Context(), ws); err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/workspaces/"+ws.ID)
	s.writeJSON(w, r, http.StatusCreated, api.WorkspaceFrom(ws))
}

func (s *processRoutes) getWorkspace(w http.ResponseWriter, r *http.Request) {
	ws, err := s.Workspaces.Workspace(r.Context(), chi.URLParam(r, "workspace_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.WorkspaceFrom(ws))
}
