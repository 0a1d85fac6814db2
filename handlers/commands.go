package handlers

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
)

func (s *sessionRoutes) listCommands(w http.ResponseWriter, r *http.Request) {
	specs, err := s.Catalogue.Commands(r.Context(), caller(r).Workspace)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out := api.CommandList{Data: make([]api.CommandSpec, 0, len(specs))}
	for i := range specs {
		out.Data = append(out.Data, *api.CommandSpecFrom(&specs[i]))
	}
	s.writeJSON(w, r, http.StatusOK, out)
}

func (s *sessionRoutes) previewEnrichments(w http.ResponseWriter, r *http.Request) {
	var in api.MessageContent
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	rich, err := s.richText(r.Context(), caller(r).Workspace, &in)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, rich)
}
