package automations

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/schedule"
)

// Drafts makes automations for whoever stands in a transaction already: what it gives is
// written there, together with what asked for it, or not at all.
type Drafts struct{}

// Preview says a schedule in the workspace's language, with the next times at which it comes,
// in words too, on the workspace's clocks.
func (Drafts) Preview(s domain.Schedule, after time.Time, count int, settings *domain.Settings) (*domain.SchedulePreview, error) {
	preview, err := schedule.Preview(s, after, count, settings.Language)
	if err != nil {
		return nil, err
	}
	calendar, err := settings.Calendar()
	if err != nil {
		return nil, err
	}
	for i := range preview.Next {
		run := &preview.Next[i]
		run.Said = schedule.Said(run.At.In(calendar.Zone), settings.Language)
	}
	return preview, nil
}

// Make makes an automation and its SEED by the rules of CreateAutomation, but for those that
// have to look something up: it has no triggers, and names no commands.
func (Drafts) Make(
	workspace string, in domain.NewAutomation, now time.Time, newID domain.IDSource,
) (*domain.Automation, *domain.Change, error) {
	if err := checkSchedule(in.Schedule, now); err != nil {
		return nil, nil, err
	}
	change := &domain.Change{WorkspaceID: workspace, At: now}
	a, err := rules{now, newID}.create(in, change)
	if err != nil {
		return nil, nil, err
	}
	write(change, a, true)
	return a, change, nil
}
