package handlers

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

func (s *automationRoutes) getSeed(w http.ResponseWriter, r *http.Request) {
	s.writeSeed(w, r, 0)
}

func (s *automationRoutes) setSeed(w http.ResponseWriter, r *http.Request) {
	var in api.MessageContent
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	rich, err := s.seedText(r, &in)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	who := caller(r)
	_, seq, err := s.Automations.UpdateAutomation(r.Context(), who.Workspace, automationID(r),
		domain.AutomationPatch{Version: ifMatch(r), Seed: rich, By: who.Name})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeSeed(w, r, seq)
}

func (s *automationRoutes) writeSeed(w http.ResponseWriter, r *http.Request, seq int64) {
	a, m, err := s.Seeds.Seed(r.Context(), caller(r).Workspace, automationID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setSeq(w, seq)
	setETag(w, a.Version)
	s.writeJSON(w, r, http.StatusOK, api.SeedFrom(a, m))
}

// seedText checks a SEED's message: like any other, but its periods stay relative.
func (s *automationRoutes) seedText(r *http.Request, in *api.MessageContent) (*domain.RichContent, error) {
	return richTextOf(r.Context(), caller(r).Workspace, in, s.Seeds.ResolveSeed)
}
