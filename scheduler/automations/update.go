package automations

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler"
	"github.com/fermata-dev/fermata/scheduler/schedule"
)

// fasterOthers limits how often a change is retried after a concurrent one.
const fasterOthers = 5

// UpdateAutomation merges a patch into an automation. A changed schedule, and enabling it,
// counts from now on; any other change does not move it. What the patch names is looked up
// before the door, so the door takes the automation only if it is still the one that was
// read.
func (s *Service) UpdateAutomation(
	ctx context.Context, workspace, id string, patch automation.Patch,
) (*automation.Automation, int64, error) {
	for try := 1; ; try++ {
		have, err := s.Store.Automation(ctx, workspace, id)
		if err != nil {
			return nil, 0, err
		}
		if patch.Version != 0 && patch.Version != have.Version {
			return nil, 0, domain.ChangedSince("automation")
		}
		want := *have
		if err := patch.Apply(&want); err != nil {
			return nil, 0, err
		}
		if err := s.checkUpdate(ctx, have, &want); err != nil {
			return nil, 0, err
		}
		a, seq, err := edited(s.edit(ctx, workspace, id, s.update(&want, patch)))
		if patch.Version != 0 || try == fasterOthers || domain.ErrorCode(err) != domain.CodePreconditionFailed {
			return a, seq, err
		}
	}
}

// checkUpdate checks what a change makes of an automation. What stays is not looked at
// again: a tool that is gone refuses no other change.
func (s *Service) checkUpdate(ctx context.Context, have, want *automation.Automation) error {
	if have.Schedule == nil || want.Schedule == nil || *have.Schedule != *want.Schedule {
		if err := checkSchedule(want.Schedule, s.Clock()); err != nil {
			return err
		}
	}
	if !sameTriggers(have.Triggers, want.Triggers) {
		if err := s.Checks.CheckTriggers(ctx, have.WorkspaceID, want.Triggers); err != nil {
			return err
		}
	}
	if !slices.Equal(have.Commands, want.Commands) {
		if err := s.Checks.CheckCommands(ctx, have.WorkspaceID, want.Commands); err != nil {
			return err
		}
	}
	if have.ProviderID != want.ProviderID {
		return scheduler.CheckProvider(ctx, s.Providers, have.WorkspaceID, want.ProviderID)
	}
	return nil
}

// checkSchedule refuses a schedule that cannot be read, never comes, or has only times that are over.
func checkSchedule(in *automation.Schedule, now time.Time) error {
	if in == nil {
		return nil
	}
	anchored, err := schedule.Anchored(*in, now)
	if err == nil {
		err = comes(anchored, now)
	}
	return domain.Below("/schedule", err)
}

// comes refuses a schedule without an occurrence after now: it would be stored, enabled, and never run.
func comes(s automation.Schedule, now time.Time) error {
	plan, err := schedule.Parse(s)
	if err != nil {
		return err
	}
	if _, ok := plan.Next(now); !ok {
		return domain.Invalid("/expression", "past",
			"%q has no time left: it is over in the time zone %s, where it is now %s. Choose a time in the future.",
			s.Expression, s.TimeZone, plan.Local(now))
	}
	return nil
}

// update makes of an automation the one that is wanted, unless it has changed since that
// was made of it.
func (s *Service) update(want *automation.Automation, patch automation.Patch) editor {
	return func(p rules, v *automation.View, change *domain.Change) (*automation.Automation, error) {
		if err := sameVersion(v, want.Version); err != nil {
			return nil, err
		}
		a := *want
		a.UpdatedAt = change.At
		a.NextAt, a.SeenSeq = v.Automation.NextAt, v.Automation.SeenSeq // they move without a new version
		if !sameTriggers(v.Automation.Triggers, a.Triggers) {           // new ones begin to look now
			a.SeenSeq = v.Workspace.LastSeq
			if err := s.giveHook(&a); err != nil {
				return nil, err
			}
		}
		if patch.Seed != nil {
			p.replaceSeed(v, &a, *patch.Seed, patch.By, change)
		}
		return &a, reschedule(v, &a, change)
	}
}

func sameVersion(v *automation.View, version int64) error {
	if version != 0 && version != v.Automation.Version {
		return domain.Errorf(domain.CodePreconditionFailed,
			"The automation was changed meanwhile. Nothing was written; read it again and repeat your change.")
	}
	return nil
}

func sameTriggers(a, b []automation.Trigger) bool {
	return slices.EqualFunc(a, b, func(x, y automation.Trigger) bool {
		return x.Type == y.Type && x.ToolID == y.ToolID && bytes.Equal(x.Condition, y.Condition)
	})
}
