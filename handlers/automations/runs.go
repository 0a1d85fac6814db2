package automations

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) ExecuteAutomation(w http.ResponseWriter, r *http.Request) {
	var in api.RunInput
	if err := s.ReadOptional(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	who := edge.Caller(r)
	ask := in.Domain(who.Name)
	if in.Message != nil {
		// Other words under the automation's name and with its actions approved in advance: that
		// is for those who may change the automation.
		if !who.Role.Allows(domain.RoleAdmin) {
			s.Fail(w, r, domain.Errorf(domain.CodeForbidden, "To change the message of a run needs the role %s, and you have the role %s. "+
				"Nothing was started; leave message out.", domain.RoleAdmin, who.Role))
			return
		}
		rich, err := s.seedText(r, &in.Message.MessageContent)
		if err != nil {
			s.Fail(w, r, domain.Below("/message", err))
			return
		}
		ask.Rich = rich
	}
	receipt, err := s.Runs.RunAutomation(r.Context(), who.Workspace, automationID(r), ask)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusAccepted, api.ActivationFrom(receipt))
}

func (s *Handlers) ListAutomationRuns(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	ws, id := edge.Caller(r).Workspace, automationID(r)
	if _, err := s.Automations.Automation(r.Context(), ws, id); err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, limit, api.AutomationRunFrom, func(limit int) ([]*automation.RunRecord, string, error) {
		return edge.Pointed(s.Runs.RunRecords(r.Context(), ws, domain.SessionFilter{AutomationID: id, Cursor: after, Limit: limit}))
	})
}

var occurrenceStates = []automation.OccurrenceState{
	automation.OccurrenceDue, automation.OccurrenceFired, automation.OccurrenceSkipped, automation.OccurrenceMissed,
	automation.OccurrenceCoalesced, automation.OccurrenceFailed,
}

func (s *Handlers) ListOccurrences(w http.ResponseWriter, r *http.Request) {
	limit, after, err := edge.Paging(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	state, err := edge.OneOf(r, "state", occurrenceStates...)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	ws, id := edge.Caller(r).Workspace, automationID(r)
	if _, err := s.Automations.Automation(r.Context(), ws, id); err != nil {
		s.Fail(w, r, err)
		return
	}
	f := automation.OccurrenceFilter{AutomationID: id, Cursor: after, Limit: limit}
	if state != "" {
		f.States = []automation.OccurrenceState{state}
	}
	edge.WriteList(s, w, r, f.Limit, api.OccurrenceFrom, func(limit int) ([]*automation.Occurrence, string, error) {
		f.Limit = limit
		return s.Runs.Occurrences(r.Context(), ws, f)
	})
}

// CallWebhook starts a run for a caller that has the URL. The response reveals nothing else: no session, and the same
// 404 for a wrong token and an unknown automation. The token is checked before the body is read.
func (s *Handlers) CallWebhook(w http.ResponseWriter, r *http.Request) {
	workspace, err := s.Runs.WorkspaceOfHook(r.Context(), automationID(r), chi.URLParam(r, "token"))
	if err := s.Hooks.Admit(w, r, automationID(r), err); err != nil {
		s.Fail(w, r, err)
		return
	}
	claim := edge.KeyRequest{Owner: "webhook of " + automationID(r), MaxKeys: s.Limits.KeptAnswers}
	s.OnceIn(workspace, claim, s.startByHook, s.CurrentHook)(w, r)
}

// ConfirmWebhook answers a service that asks by GET whether it may send events to this address.
func (s *Handlers) ConfirmWebhook(w http.ResponseWriter, r *http.Request) {
	_, err := s.Runs.WorkspaceOfHook(r.Context(), automationID(r), chi.URLParam(r, "token"))
	if err := s.Hooks.Admit(w, r, automationID(r), err); err != nil {
		s.Fail(w, r, err)
		return
	}
	challenge := challengeOf(r.URL.Query())
	if challenge == "" {
		s.Fail(w, r, domain.Invalid("/hub.challenge", "required",
			"This address takes events by POST. By GET it only answers a challenge (hub.challenge or challenge)."))
		return
	}
	writeChallenge(w, challenge)
}

func (s *Handlers) startByHook(w http.ResponseWriter, r *http.Request) {
	body, err := readEvent(w, r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	if challenge := challengeIn(body); challenge != "" {
		writeChallenge(w, challenge)
		return
	}
	receipt, err := s.Runs.TriggerAutomation(r.Context(), automationID(r), chi.URLParam(r, "token"), body)
	switch {
	case domain.ErrorCode(err) == domain.CodeConditionNotMet:
		s.WriteJSON(w, r, http.StatusOK, api.WebhookResult{Result: api.WebhookResultResultIGNORED})
	case err != nil:
		s.Fail(w, r, err)
	case receipt.Result == domain.Skipped:
		s.WriteJSON(w, r, http.StatusOK, api.WebhookResultFrom(receipt))
	default:
		s.WriteJSON(w, r, http.StatusAccepted, api.WebhookResultFrom(receipt))
	}
}
