package automations

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/scheduler/schedule"
)

// Drafts makes automations inside an existing transaction: its result is written there, together with the
// rest, or not at all.
type Drafts struct{}

// Preview describes a schedule in the workspace's language, with its next occurrences, described too, in
// the workspace's time zone.
func (Drafts) Preview(s automation.Schedule, after time.Time, count int, settings *domain.Settings) (*automation.SchedulePreview, error) {
	preview, err := schedule.Preview(s, after, count, settings.Language)
	if err != nil {
		return nil, err
	}
	dates, err := calendar.Of(settings)
	if err != nil {
		return nil, err
	}
	for i := range preview.Next {
		run := &preview.Next[i]
		run.Said = schedule.Said(run.At.In(dates.Zone), settings.Language)
	}
	return preview, nil
}

// Make makes an automation and its SEED by the rules of CreateAutomation, but for those that
// have to look something up: it has no triggers, and names no commands.
func (Drafts) Make(
	workspace string, in automation.NewAutomation, now time.Time, newID domain.IDSource,
) (*automation.Automation, *domain.Change, error) {
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
