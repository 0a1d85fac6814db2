package automations

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

const defaultPreview = 5

func (s *Handlers) PreviewSchedule(w http.ResponseWriter, r *http.Request) {
	var in api.SchedulePreviewInput
	if err := s.Read(w, r, &in); err != nil {
		s.Fail(w, r, err)
		return
	}
	count, after := defaultPreview, s.Clock()
	if in.Count != nil {
		count = *in.Count
	}
	if in.After != nil {
		after = *in.After
	}
	preview, err := s.Schedules.PreviewSchedule(r.Context(), edge.Caller(r).Workspace,
		in.Schedule.Domain(), after, count, edge.PreferredLanguage(r))
	if err != nil {
		s.Fail(w, r, domain.Below("/schedule", err))
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.SchedulePreviewFrom(preview))
}
