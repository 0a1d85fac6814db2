package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/commands/checks"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	automationsapi "github.com/fermata-dev/fermata/handlers/automations"
	"github.com/fermata-dev/fermata/repository"
	stored "github.com/fermata-dev/fermata/repository/automations"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

// automationService serves automations to the API: changes go through the scheduler, reads to the
// store.
type automationService struct {
	*automations.Service
	*automations.Runs
	*stored.AutomationStore
	*repository.RecordStore
	checks.RichText
	app *App
}

var _ interface {
	automationsapi.Automations
	automationsapi.Runs
	automationsapi.Seeds
	automationsapi.Grants
} = automationService{}

// WebhookURL is below FERMATA_PUBLIC_URL, or else the address this node listens on.
func (s automationService) WebhookURL(a *automation.Automation) string {
	if a.HookSealed == "" || a.Trigger(automation.TriggerWebhook) == nil {
		return ""
	}
	token, err := s.app.hooks().Open(a)
	if err != nil { // the webhook still works; a new secret makes its URL visible again
		s.app.log.Warn().Err(err).Str("automation", a.ID).Msg("a webhook's URL cannot be shown")
		return ""
	}
	base := strings.TrimRight(s.app.flags.PublicURL, "/")
	if base == "" {
		base = s.app.URL()
	}
	return base + "/v1/hooks/" + a.ID + "/" + token
}

// Seed is the message that an automation's runs begin with.
func (s automationService) Seed(ctx context.Context, workspace, id string) (*automation.Automation, *domain.Message, error) {
	a, err := s.Automation(ctx, workspace, id)
	if err != nil {
		return nil, nil, err
	}
	messages, err := s.app.store.Sessions.Messages(ctx, workspace, a.SeedSessionID, 0, 0)
	if err != nil {
		return nil, nil, err
	}
	if len(messages) == 0 {
		return nil, nil, fmt.Errorf("read the SEED of %s: it has no message", id)
	}
	return a, messages[len(messages)-1], nil
}
