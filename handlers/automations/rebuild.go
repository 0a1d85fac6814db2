package automations

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) MadeAutomation(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	return edge.RebuildCreated(r, ws, claim, func(id string) (*automation.Automation, error) {
		return s.Automations.Automation(r.Context(), ws, id)
	}, func(a *automation.Automation) *api.Automation {
		return api.AutomationFrom(a, s.Automations.WebhookURL(a))
	})
}

// CurrentState is the answer about what was done with an automation: the run that it
// made, else the automation.
func (s *Handlers) CurrentState(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	if !madeRun(claim) {
		found, err := s.Automations.Automation(r.Context(), ws, chi.URLParam(r, "automation_id"))
		if err != nil {
			return 0, nil, fmt.Errorf("read the automation for a rebuilt answer: %w", err)
		}
		return http.StatusOK, api.AutomationFrom(found, s.Automations.WebhookURL(found)), nil
	}
	receipt, err := s.runReceipt(r, ws, claim)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusAccepted, api.ActivationFrom(receipt), nil
}

// CurrentHook rebuilds the response to a call of a webhook: its caller learns no more the second
// time.
func (s *Handlers) CurrentHook(r *http.Request, ws string, claim *edge.KeyClaim) (status int, body any, err error) {
	if !madeRun(claim) { // all that its call wrote is that it was skipped
		return http.StatusOK, api.WebhookResultFrom(&domain.Receipt{Result: domain.Skipped}), nil
	}
	receipt, err := s.runReceipt(r, ws, claim)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusAccepted, api.WebhookResultFrom(receipt), nil
}

func madeRun(claim *edge.KeyClaim) bool {
	return strings.HasPrefix(claim.CreatedID, domain.PrefixSession+"_")
}

// runReceipt is what is known of a run that was made.
func (s *Handlers) runReceipt(r *http.Request, ws string, claim *edge.KeyClaim) (*domain.Receipt, error) {
	run, err := s.RunReader.Session(r.Context(), ws, claim.CreatedID)
	if err != nil {
		return nil, fmt.Errorf("read the run for a rebuilt answer: %w", err)
	}
	receipt := &domain.Receipt{Session: run, Seq: claim.Seq, Result: domain.Activated, Position: run.QueuePosition}
	if run.QueuePosition > 0 {
		receipt.Result = domain.Queued
	}
	return receipt, nil
}
