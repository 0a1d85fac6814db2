package automations

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/handlers/edge"
)

var (
	endReasons = []domain.EndReason{
		domain.EndCompleted, domain.EndLimitReached, domain.EndError, domain.EndTimeout, domain.EndCancelled,
		domain.EndSuspended, domain.EndNetworkError,
	}
	triggers = []string{domain.ByHand, domain.BySchedule, domain.ByEvent}
)

// ListRuns lists the runs of all automations.
func (s *Handlers) ListRuns(w http.ResponseWriter, r *http.Request) {
	filter, err := runFilter(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, filter.Limit, api.AutomationRunFrom, func(limit int) ([]*automation.RunRecord, string, error) {
		filter.Limit = limit
		return edge.Pointed(s.Runs.RunRecords(r.Context(), edge.Caller(r).Workspace, filter))
	})
}

func runFilter(r *http.Request) (f domain.SessionFilter, err error) {
	f.AutomationID = r.URL.Query().Get("automation_id")
	if f.Status, err = edge.OneOf(r, "status", edge.Statuses...); err != nil {
		return f, err
	}
	if f.EndReason, err = edge.OneOf(r, "end_reason", endReasons...); err != nil {
		return f, err
	}
	if f.Trigger, err = edge.OneOf(r, "trigger", triggers...); err != nil {
		return f, err
	}
	if f.Since, f.Until, err = timeRange(r); err != nil {
		return f, err
	}
	f.Limit, f.Cursor, err = edge.Paging(r)
	return f, err
}

// timeRange reads since and until from the query.
func timeRange(r *http.Request) (since, until time.Time, err error) {
	if since, err = edge.TimeOf(r, "since"); err != nil {
		return since, until, err
	}
	until, err = edge.TimeOf(r, "until")
	return since, until, err
}

// ListAllOccurrences lists the occurrences of all automations, with their outcomes.
func (s *Handlers) ListAllOccurrences(w http.ResponseWriter, r *http.Request) {
	filter, err := occurrenceFilter(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, filter.Limit, api.OccurrenceFrom, func(limit int) ([]*automation.Occurrence, string, error) {
		filter.Limit = limit
		return s.Runs.Occurrences(r.Context(), edge.Caller(r).Workspace, filter)
	})
}

func occurrenceFilter(r *http.Request) (f automation.OccurrenceFilter, err error) {
	q := r.URL.Query()
	f.AutomationID = q.Get("automation_id")
	if text := q.Get("states"); text != "" {
		for name := range strings.SplitSeq(text, ",") {
			state := automation.OccurrenceState(name)
			if !slices.Contains(occurrenceStates, state) {
				return f, domain.Invalid("/states", "not_allowed", "states takes some of: %s.", strings.Join(words(occurrenceStates), ", "))
			}
			if !slices.Contains(f.States, state) {
				f.States = append(f.States, state)
			}
		}
	}
	if f.Since, f.Until, err = timeRange(r); err != nil {
		return f, err
	}
	f.Limit, f.Cursor, err = edge.Paging(r)
	return f, err
}

func words[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = string(one)
	}
	return out
}
