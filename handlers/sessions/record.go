package sessions

import (
	"context"
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/explain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/handlers/edge"
)

// Record reads what is kept of a session besides its messages, and sums it.
type Record interface {
	// Timeline gives a page of what happened in a session, in order.
	Timeline(ctx context.Context, ws, session string, filter reports.TimelineFilter) ([]reports.RecordLine, string, error)
	// SessionApprovals lists a session's approvals, oldest first.
	SessionApprovals(ctx context.Context, ws, session, cursor string, limit int) ([]*domain.Approval, string, error)
	Standing(ctx context.Context, ws, session string) (*explain.Inputs, error)
	Usage(ctx context.Context, ws string, filter reports.UsageFilter) ([]reports.UsageRow, string, error)
}

func (s *Handlers) GetTimeline(w http.ResponseWriter, r *http.Request) {
	filter := reports.TimelineFilter{RoundID: r.URL.Query().Get("round_id")}
	var err error
	if filter.Limit, filter.Cursor, err = edge.Paging(r); err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, filter.Limit, api.TimelineLineFrom, func(limit int) ([]reports.RecordLine, string, error) {
		filter.Limit = limit
		return s.Record.Timeline(r.Context(), edge.Caller(r).Workspace, sessionID(r), filter)
	})
}

func (s *Handlers) ExplainSession(w http.ResponseWriter, r *http.Request) {
	inputs, err := s.Record.Standing(r.Context(), edge.Caller(r).Workspace, sessionID(r))
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	why := explain.Session(inputs, s.Clock())
	s.WriteJSON(w, r, http.StatusOK, api.ExplanationFrom(why, edge.InPreferredLanguage(r, &inputs.View.Workspace.Settings)))
}

func (s *Handlers) GetUsage(w http.ResponseWriter, r *http.Request) {
	filter, err := usageFilter(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, filter.Limit, api.UsageSumFrom, func(limit int) ([]reports.UsageRow, string, error) {
		filter.Limit = limit
		return s.Record.Usage(r.Context(), edge.Caller(r).Workspace, filter)
	})
}

func usageFilter(r *http.Request) (f reports.UsageFilter, err error) {
	f.SessionID = r.URL.Query().Get("session_id")
	if f.GroupBy, err = edge.OneOf(r, "group_by", reports.UsageGroups...); err != nil {
		return f, err
	}
	if f.GroupBy == "" {
		f.GroupBy = reports.UsageByDay
	}
	if f.Since, err = edge.TimeOf(r, "since"); err != nil {
		return f, err
	}
	if f.Until, err = edge.TimeOf(r, "until"); err != nil {
		return f, err
	}
	f.Limit, f.Cursor, err = edge.Paging(r)
	return f, err
}
