package handlers

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

const defaultPreview = 5

func (s *automationRoutes) previewSchedule(w http.ResponseWriter, r *http.Request) {
	var in api.SchedulePreviewInput
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	count, after := defaultPreview, s.Clock()
	if in.Count != nil {
		count = *in.Count
	}
	if in.After != nil {
		after = *in.After
	}
	preview, err := s.Schedules.PreviewSchedule(r.Context(), caller(r).Workspace, in.Schedule.Domain(), after, count, preferredLanguage(r))
	if err != nil {
		s.fail(w, r, domain.Below("/schedule", err))
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.SchedulePreviewFrom(preview))
}
