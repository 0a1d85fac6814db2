package handlers

import (
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

type scheduleInput struct {
	Type       string `json:"type" validate:"oneof=cron rrule interval once"`
	Expression string `json:"expression" validate:"visible,max=500"`
	TimeZone   string `json:"time_zone" validate:"visible,max=100"`
	StartsAt   string `json:"starts_at" validate:"max=40"`
}

type schedulePreview struct {
	Schedule scheduleInput `json:"schedule"`
	Count    *int          `json:"count" validate:"omitempty,min=1,max=100"`
	After    *time.Time    `json:"after"`
}

const defaultPreview = 5

func (s *server) previewSchedule(w http.ResponseWriter, r *http.Request) {
	var in schedulePreview
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	count, after := defaultPreview, s.Clock()
	set(&count, in.Count)
	set(&after, in.After)
	preview, err := s.Schedules.PreviewSchedule(r.Context(), caller(r).Workspace, domain.Schedule(in.Schedule), after, count)
	if err != nil {
		s.fail(w, r, below("/schedule", err))
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.SchedulePreviewFrom(preview))
}
