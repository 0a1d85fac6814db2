package app

import (
	"cmp"
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler/schedule"
)

// scheduleService previews schedules, in the reader's language.
type scheduleService struct{ app *App }

func (s scheduleService) PreviewSchedule(ctx context.Context, workspace string, in automation.Schedule, after time.Time,
	count int, language string) (*automation.SchedulePreview, error) {
	w, err := s.app.store.Workspaces.Workspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return schedule.Preview(in, after, count, cmp.Or(language, w.Settings.Language))
}

// languageOf is a workspace's language; "" where it cannot be read.
func (s scheduleService) languageOf(ctx context.Context, workspace string) string {
	w, err := s.app.store.Workspaces.Workspace(ctx, workspace)
	if err != nil {
		return ""
	}
	return w.Settings.Language
}
