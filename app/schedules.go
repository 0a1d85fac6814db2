package app

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/schedule"
)

// scheduleService says what schedules would do, in the workspace's language.
type scheduleService struct{ app *App }

func (s scheduleService) PreviewSchedule(ctx context.Context, workspace string, in domain.Schedule, after time.Time,
	count int) (*domain.SchedulePreview, error) {
	w, err := s.app.store.Workspaces.Workspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return schedule.Preview(in, after, count, w.Settings.Language)
}
