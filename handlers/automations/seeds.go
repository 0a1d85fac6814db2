package automations

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) GetSeed(w http.ResponseWriter, r *http.Request) {
	s.writeSeed(w, r, 0)
}

func (s *Handlers) SetSeed(w http.ResponseWriter, r *http.Request) {
	var in api.MessageContent
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	rich, err := s.seedText(r, &in)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	_, seq, err := s.Automations.UpdateAutomation(r.Context(), who.Workspace, automationID(r),
		automation.Patch{Version: edge.IfMatch(r), Seed: rich, By: who.Name})
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeSeed(w, r, seq)
}

func (s *Handlers) writeSeed(w http.ResponseWriter, r *http.Request, seq int64) {
	a, m, err := s.Seeds.Seed(r.Context(), edge.Caller(r).Workspace, automationID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.SetSeq(w, seq)
	edge.SetETag(w, a.Version)
	s.WriteJSON(w, r, http.StatusOK, api.SeedFrom(a, m))
}

// seedText checks a SEED's message: like any other, but its periods stay relative.
func (s *Handlers) seedText(r *http.Request, in *api.MessageContent) (*domain.RichContent, error) {
	return edge.RichTextOf(r.Context(), edge.Caller(r).Workspace, in, s.Seeds.ResolveSeed)
}
