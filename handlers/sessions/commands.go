package sessions

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ListCommands(w http.ResponseWriter, r *http.Request) {
	specs, err := s.Catalogue.Commands(r.Context(), edge.Caller(r).Workspace)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	out := api.CommandList{Data: make([]api.CommandSpec, 0, len(specs))}
	for i := range specs {
		out.Data = append(out.Data, *api.CommandSpecFrom(&specs[i]))
	}
	s.WriteJSON(w, r, http.StatusOK, out)
}

func (s *Handlers) PreviewEnrichments(w http.ResponseWriter, r *http.Request) {
	var in api.MessageContent
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	rich, err := s.richText(r.Context(), edge.Caller(r).Workspace, &in)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, rich)
}
