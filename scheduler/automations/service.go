package automations

import (
	"context"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler"
)

// Service makes, changes and deletes automations, and their grants.
type Service struct{ Config }

// NewService makes the part that keeps automations.
func NewService(cfg Config) *Service { return &Service{cfg} }

// editor changes an automation, or makes it; the change may be filled too.
type editor func(p rules, v *automation.View, change *domain.Change) (*automation.Automation, error)

// edit decides about an automation and writes it, with its event.
func (s *Service) edit(ctx context.Context, workspace, id string, edit editor) (*scheduler.Outcome, error) {
	o, err := s.deliver(ctx, workspace, id, func(p rules, v *automation.View) (scheduler.Plan, error) {
		change := p.change(v)
		a, err := edit(p, v, change)
		if err != nil {
			return scheduler.Plan{}, err
		}
		write(change, a, id == "")
		return scheduler.Plan{Change: change}, nil
	})
	if err != nil {
		return nil, err
	}
	s.Door.Look(workspace)
	return o, nil
}

// edited is the automation after an edit, and the number of the event at which it shows.
func edited(o *scheduler.Outcome, err error) (*automation.Automation, int64, error) {
	if err != nil {
		return nil, 0, err
	}
	return automation.Writes(o.Change)[0].Automation, o.Seq(), nil
}

// CreateAutomation makes an automation and its SEED. The number is that of the event at
// which it shows.
func (s *Service) CreateAutomation(
	ctx context.Context, workspace string, in automation.NewAutomation,
) (*automation.Automation, int64, error) {
	if err := checkSchedule(in.Schedule, s.Clock()); err != nil {
		return nil, 0, err
	}
	if err := s.Checks.CheckTriggers(ctx, workspace, in.Triggers); err != nil {
		return nil, 0, err
	}
	if err := s.Checks.CheckCommands(ctx, workspace, in.Commands); err != nil {
		return nil, 0, err
	}
	if err := scheduler.CheckProvider(ctx, s.Providers, workspace, in.ProviderID); err != nil {
		return nil, 0, err
	}
	return edited(s.edit(ctx, workspace, "", func(p rules, v *automation.View, change *domain.Change) (*automation.Automation, error) {
		a, err := p.create(in, change)
		if err != nil {
			return nil, err
		}
		a.SeenSeq = v.Workspace.LastSeq
		return a, s.giveHook(a)
	}))
}

// create makes an automation and its SEED.
func (p rules) create(in automation.NewAutomation, change *domain.Change) (*automation.Automation, error) {
	a := &automation.Automation{
		ID: p.newID(domain.PrefixAutomation), WorkspaceID: change.WorkspaceID,
		Belonging: automation.Belonging{
			Ownership: domain.Ownership{Owner: in.Owner, Visibility: domain.VisibleWorkspace}, Lane: in.Lane,
		},
		Name: in.Name, ProviderID: in.ProviderID,
		Enabled: in.Enabled, Misfire: in.Misfire, Overlap: in.Overlap, Validation: in.Validation,
		RequireValidation: in.RequireValidation, Completion: in.Completion, Tags: in.Tags, Triggers: in.Triggers, Commands: in.Commands,
		Budgets: in.Budgets, ScheduleSince: change.At, CreatedAt: change.At, UpdatedAt: change.At,
	}
	if err := setSchedule(a, in.Schedule, change.At); err != nil {
		return nil, err
	}
	a.SeedSessionID = p.makeSeed(a, in.Seed, in.By, change)
	return a, nil
}

// DeleteAutomation deletes an automation; its runs stay. With a run in progress it needs force, which
// stops the run first: an interrupted deletion can be repeated, and no run outlives it.
func (s *Service) DeleteAutomation(ctx context.Context, workspace, id string, version int64, force bool) error {
	for range maxStops {
		_, err := s.edit(ctx, workspace, id, deletion(version))
		running, ok := errors.AsType[*stopFirstError](err)
		if !ok {
			return err
		}
		if !force {
			break
		}
		for _, run := range running.runs {
			_, err := s.Sessions.StopSession(ctx, workspace, run, domain.Author{ID: "automation deleted"})
			if err != nil && !scheduler.Refused(err) {
				return fmt.Errorf("stop the run %s of the automation: %w", run, err)
			}
		}
	}
	return domain.Errorf(domain.CodeSessionBusy, "A run of this automation has not ended. Nothing was deleted; with force it is stopped.")
}

// deletion deletes an automation whose runs have all ended; otherwise it returns those that have not.
func deletion(version int64) editor {
	return func(_ rules, v *automation.View, change *domain.Change) (*automation.Automation, error) {
		if err := sameVersion(v, version); err != nil {
			return nil, err
		}
		if len(v.Unended) > 0 {
			return nil, stopFirst(v.Unended)
		}
		a := *v.Automation
		a.Enabled, a.NextAt, a.DeletedAt, a.UpdatedAt = false, nil, &change.At, change.At
		a.HookHash, a.HookSealed = "", ""
		skipDue(v, change)
		deleteSeed(v, change)
		return &a, nil
	}
}
