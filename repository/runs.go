package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// RunRecords lists runs of automations, newest first, each with the text of its last answer. The
// second result is the cursor of the next page, "" at the end.
func (s *RecordStore) RunRecords(ctx context.Context, workspace string, f domain.SessionFilter) ([]automation.RunRecord, string, error) {
	f.Type = domain.Run
	sessions, next, err := (&SessionStore{s.base}).Sessions(ctx, workspace, f)
	if err != nil {
		return nil, "", err
	}
	out := make([]automation.RunRecord, len(sessions))
	for i, session := range sessions {
		out[i].Session = session
		if session.Phase == domain.Completed {
			out[i].EndedAt = &session.LastEventTime
		}
		if out[i].StartedAt, err = s.startOf(ctx, session); err != nil {
			return nil, "", err
		}
		var row messageRow
		err := s.db.Get(ctx, &row, "SELECT "+messageTable.Columns()+" FROM messages WHERE workspace_id = $1 AND session_id = $2 "+
			"AND sender = 'AI' AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1", workspace, session.ID)
		if sqldb.NotFound(err) {
			continue
		}
		if err != nil {
			return nil, "", fmt.Errorf("read the last answer of %s: %w", session.ID, err)
		}
		m, err := row.message()
		if err != nil {
			return nil, "", err
		}
		if m.AI != nil {
			out[i].FinalText = m.AI.FinalText()
		}
		if out[i].FinalText == "" {
			out[i].FinalText = m.Text
		}
	}
	return out, next, nil
}

// startOf returns when a run first left its initial phase, which is when it got the slot; nil if it
// ended without ever starting.
func (s *RecordStore) startOf(ctx context.Context, run *domain.Session) (*time.Time, error) {
	var at sqldb.Stamp
	err := s.db.Get(ctx, &at, "SELECT at FROM transitions WHERE workspace_id = $1 AND session_id = $2 AND from_phase <> to_phase "+
		"AND to_phase <> 'COMPLETED' "+
		"ORDER BY number LIMIT 1", run.WorkspaceID, run.ID)
	switch {
	case sqldb.NotFound(err) && run.HoldsSlot:
		return &run.LastEventTime, nil // its enrichments are running
	case sqldb.NotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read when run %s began: %w", run.ID, err)
	}
	return &at.Time, nil
}
