package automations

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler/schedule"
)

// setSchedule validates a schedule and sets its first occurrence. It counts from now on.
func setSchedule(a *automation.Automation, s *automation.Schedule, now time.Time) error {
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
func nextDue(a *automation.Automation, after time.Time) error {
	a.NextAt = nil
	if !a.Enabled || a.Schedule == nil {
		return nil
	}
	plan, err := schedule.Stored(*a.Schedule)
	if err != nil {
		return err
	}
	if next, ok := plan.Next(after); ok {
		a.NextAt = &next
	}
	return nil
}

// reschedule does what a change of the schedule, and of being enabled, asks for.
func reschedule(v *automation.View, a *automation.Automation, change *domain.Change) error {
	was := v.Automation.Enabled
	enabled := a.Enabled && !was
	if enabled {
		a.DisabledReason, a.ScheduleSince, a.SeenSeq = "", change.At, v.Workspace.LastSeq
	}
	if was && !a.Enabled {
		a.NextAt = nil
		skipDue(v, change)
	}
	if !sameSchedule(a.Schedule, v.Automation.Schedule) {
		return setSchedule(a, a.Schedule, change.At)
	}
	a.Schedule = v.Automation.Schedule
	if enabled {
		return nextDue(a, change.At)
	}
	return nil
}

// sameSchedule: a schedule that is sent back as it was read is no change.
func sameSchedule(a, b *automation.Schedule) bool {
	if a == nil || b == nil {
		return a == b
	}
	x := *a
	if x.StartsAt == "" {
		x.StartsAt = b.StartsAt
	}
	return x == *b
}
