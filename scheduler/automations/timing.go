package automations

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/schedule"
)

// setSchedule checks a schedule and says when it is due first. It counts from now on.
func setSchedule(a *domain.Automation, s *domain.Schedule, now time.Time) error {
	a.Schedule, a.NextAt = nil, nil
	if s == nil {
		return nil
	}
	anchored, err := schedule.Anchored(*s, now)
	if err != nil {
		return err
	}
	a.Schedule, a.ScheduleSince = &anchored, now
	return nextDue(a, now)
}

// nextDue sets when an enabled automation is due first after an instant.
func nextDue(a *domain.Automation, after time.Time) error {
	a.NextAt = nil
	if !a.Enabled || a.Schedule == nil {
		return nil
	}
	plan, err := schedule.Parse(*a.Schedule)
	if err != nil {
		return err
	}
	if next, ok := plan.Next(after); ok {
		a.NextAt = &next
	}
	return nil
}

// reschedule applies what a patch says about the schedule and about being enabled.
func reschedule(v *domain.AutomationView, a *domain.Automation, patch domain.AutomationPatch, change *domain.Change) error {
	was := v.Automation.Enabled
	set(&a.Enabled, patch.Enabled)
	enabled := a.Enabled && !was
	if enabled {
		a.DisabledReason, a.ScheduleSince, a.SeenSeq = "", change.At, v.Workspace.LastSeq
	}
	if was && !a.Enabled {
		a.NextAt = nil
		skipDue(v, change)
	}
	if patch.Schedule != nil && !sameSchedule(*patch.Schedule, v.Automation.Schedule) {
		return setSchedule(a, *patch.Schedule, change.At)
	}
	if enabled {
		return nextDue(a, change.At)
	}
	return nil
}

// sameSchedule: a schedule that is sent back as it was read is no change.
func sameSchedule(a, b *domain.Schedule) bool {
	if a == nil || b == nil {
		return a == b
	}
	x := *a
	if x.StartsAt == "" {
		x.StartsAt = b.StartsAt
	}
	return x == *b
}
