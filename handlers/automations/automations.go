package automations

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ListAutomations(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	which, err := edge.OneOf(r, "enabled", "true", "false")
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	var enabled *bool
	if which != "" {
		enabled = new(which == "true")
	}
	shown := func(a *automation.Automation) *api.Automation { return s.automationFor(r, a) }
	edge.WriteList(s, w, r, limit, shown, func(limit int) ([]*automation.Automation, string, error) {
		return s.Automations.Automations(r.Context(), edge.Caller(r).Workspace, enabled, after, limit)
	})
}

// automationFor is an automation as the caller may see it: its webhook's URL starts runs, which
// takes a member.
func (s *Handlers) automationFor(r *http.Request, a *automation.Automation) *api.Automation {
	url := ""
	if edge.Caller(r).Role.Allows(domain.RoleMember) {
		url = s.Automations.WebhookURL(a)
	}
	return api.AutomationFrom(a, url)
}

func (s *Handlers) CreateAutomation(w http.ResponseWriter, r *http.Request) {
	var in api.NewAutomation
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	rich, err := s.seedText(r, in.Seed)
	if err != nil {
		s.Fail(w, r, domain.Below("/seed", err))
		return
	}
	ask := in.Domain(who.Name, who.Person)
	ask.Seed = *rich
	a, seq, err := s.Automations.CreateAutomation(r.Context(), who.Workspace, ask)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/automations/"+a.ID)
	s.writeAutomation(w, r, http.StatusCreated, a, seq)
}

func (s *Handlers) GetAutomation(w http.ResponseWriter, r *http.Request) {
	a, err := s.Automations.Automation(r.Context(), edge.Caller(r).Workspace, automationID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeAutomation(w, r, http.StatusOK, a, 0)
}

func (s *Handlers) UpdateAutomation(w http.ResponseWriter, r *http.Request) {
	var in api.AutomationPatch
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	patch := in.Domain(edge.IfMatch(r))
	if in.Seed != nil {
		rich, err := s.seedText(r, in.Seed)
		if err != nil {
			s.Fail(w, r, domain.Below("/seed", err))
			return
		}
		patch.Seed, patch.By = rich, edge.Caller(r).Name
	}
	a, seq, err := s.Automations.UpdateAutomation(r.Context(), edge.Caller(r).Workspace, automationID(r), patch)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeAutomation(w, r, http.StatusOK, a, seq)
}

func (s *Handlers) DeleteAutomation(w http.ResponseWriter, r *http.Request) {
	force, err := edge.BoolOf(r, "force")
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	if err := s.Automations.DeleteAutomation(r.Context(), edge.Caller(r).Workspace, automationID(r), edge.IfMatch(r), force); err != nil {
		s.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Enable makes the handler that enables automations, or disables them.
func (s *Handlers) Enable(enabled bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.ReadEmpty(w, r); err != nil {
			s.Fail(w, r, err)
			return
		}
		a, seq, err := s.Automations.UpdateAutomation(r.Context(), edge.Caller(r).Workspace, automationID(r),
			automation.Patch{Version: edge.IfMatch(r), Enabled: &enabled})
		if err != nil {
			s.Fail(w, r, err)
			return
		}
		s.writeAutomation(w, r, http.StatusOK, a, seq)
	}
}

func (s *Handlers) RenewWebhook(w http.ResponseWriter, r *http.Request) {
	if err := s.ReadEmpty(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	a, seq, err := s.Automations.RenewHook(r.Context(), edge.Caller(r).Workspace, automationID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.writeAutomation(w, r, http.StatusOK, a, seq)
}

func (s *Handlers) writeAutomation(w http.ResponseWriter, r *http.Request, status int, a *automation.Automation, seq int64) {
	edge.SetSeq(w, seq)
	edge.SetETag(w, a.Version)
	s.WriteJSON(w, r, status, s.automationFor(r, a))
}

func automationID(r *http.Request) string { return chi.URLParam(r, "automation_id") }
