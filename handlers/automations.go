package handlers

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

func (s *automationRoutes) listAutomations(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	which, err := oneOf(r, "enabled", "true", "false")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	var enabled *bool
	if which != "" {
		enabled = new(which == "true")
	}
	shown := func(a *domain.Automation) *api.Automation { return s.automationFor(r, a) }
	writeList(s, w, r, limit, shown, func(limit int) ([]*domain.Automation, string, error) {
		return s.Automations.Automations(r.Context(), caller(r).Workspace, enabled, after, limit)
	})
}

// automationFor is an automation as the caller may see it: its webhook's URL starts runs, which
// takes a member.
func (s *automationRoutes) automationFor(r *http.Request, a *domain.Automation) *api.Automation {
	url := ""
	if caller(r).Role.Allows(domain.RoleMember) {
		url = s.Automations.WebhookURL(a)
	}
	return api.AutomationFrom(a, url)
}

func (s *automationRoutes) createAutomation(w http.ResponseWriter, r *http.Request) {
	var in api.NewAutomation
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	who := caller(r)
	rich, err := s.seedText(r, in.Seed)
	if err != nil {
		s.fail(w, r, domain.Below("/seed", err))
		return
	}
	ask := in.Domain(who.Name)
	ask.Seed = *rich
	a, seq, err := s.Automations.CreateAutomation(r.Context(), who.Workspace, ask)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/automations/"+a.ID)
	s.writeAutomation(w, r, http.StatusCreated, a, seq)
}

func (s *automationRoutes) getAutomation(w http.ResponseWriter, r *http.Request) {
	a, err := s.Automations.Automation(r.Context(), caller(r).Workspace, automationID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeAutomation(w, r, http.StatusOK, a, 0)
}

func (s *automationRoutes) updateAutomation(w http.ResponseWriter, r *http.Request) {
	var in api.AutomationPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	patch := in.Domain(ifMatch(r))
	if in.Seed != nil {
		rich, err := s.seedText(r, in.Seed)
		if err != nil {
			s.fail(w, r, domain.Below("/seed", err))
			return
		}
		patch.Seed, patch.By = rich, caller(r).Name
	}
	a, seq, err := s.Automations.UpdateAutomation(r.Context(), caller(r).Workspace, automationID(r), patch)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeAutomation(w, r, http.StatusOK, a, seq)
}

func (s *automationRoutes) deleteAutomation(w http.ResponseWriter, r *http.Request) {
	force, err := boolOf(r, "force")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if err := s.Automations.DeleteAutomation(r.Context(), caller(r).Workspace, automationID(r), ifMatch(r), force); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// enable makes the handler that enables automations, or disables them.
func (s *automationRoutes) enable(enabled bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.readEmpty(w, r); err != nil {
			s.fail(w, r, err)
			return
		}
		a, seq, err := s.Automations.UpdateAutomation(r.Context(), caller(r).Workspace, automationID(r),
			domain.AutomationPatch{Version: ifMatch(r), Enabled: &enabled})
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.writeAutomation(w, r, http.StatusOK, a, seq)
	}
}

func (s *automationRoutes) renewWebhook(w http.ResponseWriter, r *http.Request) {
	if err := s.readEmpty(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	a, seq, err := s.Automations.RenewHook(r.Context(), caller(r).Workspace, automationID(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeAutomation(w, r, http.StatusOK, a, seq)
}

func (s *automationRoutes) writeAutomation(w http.ResponseWriter, r *http.Request, status int, a *domain.Automation, seq int64) {
	setSeq(w, seq)
	setETag(w, a.Version)
	s.writeJSON(w, r, status, s.automationFor(r, a))
}

func automationID(r *http.Request) string { return chi.URLParam(r, "automation_id") }
