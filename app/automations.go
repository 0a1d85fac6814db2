package app

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/scheduler/schedule"
)

// automationService keeps the automations for the API: the catalogue's rules before the
// one door.
type automationService struct{ app *App }

var _ interface {
	handlers.Automations
	handlers.Runs
	handlers.Seeds
	handlers.Grants
} = automationService{}

func (s automationService) Automations(ctx context.Context, workspace string, enabled *bool,
	cursor string, limit int) ([]*domain.Automation, string, error) {
	return s.app.store.Automations.Automations(ctx, workspace, enabled, cursor, limit)
}

func (s automationService) Automation(ctx context.Context, workspace, id string) (*domain.Automation, error) {
	return s.app.store.Automations.Automation(ctx, workspace, id)
}

func (s automationService) CreateAutomation(ctx context.Context, workspace string,
	in domain.NewAutomation) (*domain.Automation, int64, error) {
	if err := s.checkSchedule(in.Schedule); err != nil {
		return nil, 0, err
	}
	if err := s.app.catalogue.CheckTriggers(ctx, s.app.store.ReadData(workspace), in.Triggers); err != nil {
		return nil, 0, err
	}
	return s.app.scheduling.Automations.CreateAutomation(ctx, workspace, in)
}

// checkSchedule refuses a schedule that cannot be read or never comes.
func (s automationService) checkSchedule(in *domain.Schedule) error {
	if in == nil {
		return nil
	}
	anchored, err := schedule.Anchored(*in, s.app.clock())
	if err == nil {
		_, err = schedule.Parse(anchored)
	}
	return domain.Below("/schedule", err)
}

// fasterOthers bounds how often a change is tried again because somebody else made one.
const fasterOthers = 5

func (s automationService) UpdateAutomation(ctx context.Context, workspace, id string, version int64, seed *handlers.NewSeed,
	change func(*domain.Automation) error) (*domain.Automation, int64, error) {
	for try := 1; ; try++ {
		have, err := s.Automation(ctx, workspace, id)
		if err != nil {
			return nil, 0, err
		}
		if version != 0 && version != have.Version {
			return nil, 0, domain.ChangedSince("automation")
		}
		want := *have
		want.Tags, want.Triggers = slices.Clone(have.Tags), slices.Clone(have.Triggers)
		if err := change(&want); err != nil {
			return nil, 0, err
		}
		patch, err := s.patch(ctx, workspace, have, &want)
		if err != nil {
			return nil, 0, err
		}
		if seed != nil {
			patch.Seed, patch.By = &seed.Rich, seed.By
		}
		a, seq, err := s.app.scheduling.Automations.UpdateAutomation(ctx, workspace, id, *patch)
		if version != 0 || try == fasterOthers || domain.ErrorCode(err) != handlers.CodePreconditionFailed {
			return a, seq, err
		}
	}
}

// patch is what turns one automation into another, checked. What stays is left out: a
// trigger that is set again would begin to look anew.
func (s automationService) patch(ctx context.Context, workspace string, have, want *domain.Automation) (*domain.AutomationPatch, error) {
	p := &domain.AutomationPatch{Version: have.Version}
	if !reflect.DeepEqual(have.Schedule, want.Schedule) {
		if err := s.checkSchedule(want.Schedule); err != nil {
			return nil, err
		}
		p.Schedule = &want.Schedule
	}
	if !reflect.DeepEqual(have.Triggers, want.Triggers) {
		if err := s.app.catalogue.CheckTriggers(ctx, s.app.store.ReadData(workspace), want.Triggers); err != nil {
			return nil, err
		}
	}
	changed(&p.Name, have.Name, want.Name)
	changed(&p.ProviderID, have.ProviderID, want.ProviderID)
	changed(&p.Enabled, have.Enabled, want.Enabled)
	changed(&p.Misfire, have.Misfire, want.Misfire)
	changed(&p.Overlap, have.Overlap, want.Overlap)
	changed(&p.Validation, have.Validation, want.Validation)
	changed(&p.RequireValidation, have.RequireValidation, want.RequireValidation)
	changed(&p.Completion, have.Completion, want.Completion)
	changed(&p.Tags, have.Tags, want.Tags)
	changed(&p.Triggers, have.Triggers, want.Triggers)
	changed(&p.Budgets, have.Budgets, want.Budgets)
	return p, nil
}

func changed[T any](field **T, have, want T) {
	if !reflect.DeepEqual(have, want) {
		*field = &want
	}
}

func (s automationService) DeleteAutomation(ctx context.Context, workspace, id string, version int64, force bool) error {
	return s.app.scheduling.Automations.DeleteAutomation(ctx, workspace, id, version, force)
}

func (s automationService) RenewHook(ctx context.Context, workspace, id string) (*domain.Automation, int64, error) {
	return s.app.scheduling.Automations.RenewHook(ctx, workspace, id)
}

// WebhookURL is under FERMATA_PUBLIC_URL, or where this node listens.
func (s automationService) WebhookURL(a *domain.Automation) string {
	if a.HookSealed == "" || a.Trigger(domain.TriggerWebhook) == nil {
		return ""
	}
	token, err := s.app.openHook(a)
	if err != nil { // the webhook works on; to see its URL, it must be renewed
		s.app.log.Warn().Err(err).Str("automation", a.ID).Msg("a webhook's URL cannot be shown")
		return ""
	}
	base := strings.TrimRight(s.app.flags.PublicURL, "/")
	if base == "" {
		base = s.app.URL()
	}
	return base + "/v1/hooks/" + a.ID + "/" + token
}

func (s automationService) ExecuteAutomation(ctx context.Context, workspace, id, by string) (*domain.Receipt, error) {
	return s.app.scheduling.Runs.ExecuteAutomation(ctx, workspace, id, by)
}

func (s automationService) WorkspaceOfHook(ctx context.Context, id, token string) (string, error) {
	return s.app.scheduling.Runs.WorkspaceOfHook(ctx, id, token)
}

func (s automationService) TriggerAutomation(ctx context.Context, id, token string, body json.RawMessage) (*domain.Receipt, error) {
	return s.app.scheduling.Runs.TriggerAutomation(ctx, id, token, body)
}

func (s automationService) RunRecords(ctx context.Context, workspace string, f domain.SessionFilter) ([]domain.RunRecord, string, error) {
	return s.app.store.Automations.RunRecords(ctx, workspace, f)
}

func (s automationService) Occurrences(ctx context.Context, workspace string,
	f domain.OccurrenceFilter) ([]*domain.Occurrence, string, error) {
	return s.app.store.Automations.Occurrences(ctx, workspace, f)
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

// ResolveSeed checks a SEED's message; its periods stay relative.
func (s automationService) ResolveSeed(ctx context.Context, workspace string, segments []domain.Segment) (*domain.RichContent, error) {
	return richText(s).resolve(ctx, workspace, domain.Seed, segments)
}

func (s automationService) Grants(ctx context.Context, workspace, id, cursor string, limit int) ([]*domain.Grant, string, error) {
	return s.app.store.Automations.Grants(ctx, workspace, id, cursor, limit)
}

func (s automationService) GiveGrant(ctx context.Context, workspace, id string, g domain.Grant) (*domain.Grant, int64, error) {
	if _, err := s.Automation(ctx, workspace, id); err != nil {
		return nil, 0, err
	}
	if err := s.app.catalogue.CheckGrant(ctx, s.app.store.ReadData(workspace), s.app.clock(), &g); err != nil {
		return nil, 0, err
	}
	return s.app.scheduling.Automations.GiveGrant(ctx, workspace, id, g)
}

func (s automationService) WithdrawGrant(ctx context.Context, workspace, id, grant string) (int64, error) {
	return s.app.scheduling.Automations.WithdrawGrant(ctx, workspace, id, grant)
}
