package api

import "github.com/fermata-dev/fermata/domain/automation"

// SchedulePreviewFrom maps what a schedule would do.
func SchedulePreviewFrom(p *automation.SchedulePreview) *SchedulePreview {
	out := &SchedulePreview{Description: p.Description, Data: make([]PlannedRun, 0, len(p.Next))}
	for _, run := range p.Next {
		planned := PlannedRun{At: Time(run.At), Local: run.Local}
		if run.Note != "" {
			planned.Note = &run.Note
		}
		out.Data = append(out.Data, planned)
	}
	return out
}
