package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
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
	app *App
}

var _ interface {
	automationsapi.Automations
	automationsapi.Runs
	automationsapi.Seeds
	automationsapi.Grants
} = automationService{}

// WebhookURL is below FERMATA_PUBLIC_URL, or else the address this node listens on.
func (s automationService) WebhookURL(a *domain.Automation) string {
	if a.HookSealed == "" || a.Trigger(domain.TriggerWebhook) == nil {
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
func (s automationService) Seed(ctx context.Context, workspace, id string) (*domain.Automation, *domain.Message, error) {
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

// ResolveSeed validates the message of a SEED; its periods stay relative.
func (s automationService) ResolveSeed(ctx context.Context, workspace string, segments []domain.Segment) (*domain.RichContent, error) {
	return richText{s.app}.resolve(ctx, workspace, domain.Seed, segments)
}

// automationChecks validates automations against the catalogue and the workspace's data.
type automationChecks struct{ app *App }

func (c automationChecks) CheckTriggers(ctx context.Context, workspace string, triggers []domain.Trigger) error {
	return c.app.catalogue.CheckTriggers(ctx, c.app.store.ReadData(workspace), triggers)
}

// CheckCommands looks each name up among the connectors' commands, in any state, and among the
// agents.
func (c automationChecks) CheckCommands(ctx context.Context, workspace string, commands []string) error {
	if !slices.ContainsFunc(commands, func(name string) bool { return name != domain.AllCommands }) {
		return nil
	}
	all, err := c.app.store.Connectors.Connectors(ctx, workspace)
	if err != nil {
		return err
	}
	agents, err := c.app.agents().Agents(ctx, workspace)
	if err != nil {
		return err
	}
	known := map[string]bool{domain.AllCommands: true, domain.AgentCommandPrefix + "*": true}
	for _, connector := range all {
		known[connector.Prefix+".*"] = true
		for _, command := range connector.Commands {
			known[connector.Prefix+"."+command.Name] = true
		}
	}
	for _, agent := range agents {
		known[agent.Command()] = true
	}
	for i, name := range commands {
		if !known[name] {
			return domain.Invalid(fmt.Sprintf("/commands/%d", i), "unknown_command",
				"No connector and no agent of this workspace has a command %q. Nothing was changed.", name)
		}
	}
	return nil
}

func (c automationChecks) CheckGrant(ctx context.Context, workspace string, now time.Time, g *domain.Grant) error {
	outside, err := c.app.offers(ctx, workspace)
	if err != nil {
		return err
	}
	return c.app.catalogue.CheckGrant(ctx, c.app.store.ReadData(workspace), now, g, outside)
}
