package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

type eventRow struct {
	WorkspaceID string `db:"workspace_id"`
	Seq         int64  `db:"seq"`
	SessionID   string `db:"session_id"`
	SessionSeq  int64  `db:"session_seq"`
	Type        string `db:"type"`
	At          stamp  `db:"at"`
	Data        string `db:"data"`
}

const (
	eventColumns = "workspace_id, seq, session_id, session_seq, type, at, change_id, data"
	eventRead    = "workspace_id, seq, session_id, session_seq, type, at, data"
	eventWidth   = 8
)

// writeEvents encodes each event, now that its numbers are known, and stores it.
func (t *tx) writeEvents(ctx context.Context, events []*domain.LogEvent) error {
	args := make([]any, 0, len(events)*eventWidth)
	for _, e := range events {
		data, err := t.store.cfg.Encode(e)
		if err != nil {
			return fmt.Errorf("encode event %s: %w", e.Type, err)
		}
		e.Data = data
		args = append(args, e.WorkspaceID, e.Seq, e.SessionID, e.SessionSeq, string(e.Type), stamp{e.At}, t.changeID, string(data))
	}
	if _, err := t.insert(ctx, "events", eventColumns, "", eventWidth, args); err != nil {
		return fmt.Errorf("insert events: %w", err)
	}
	return nil
}

// Events lists what was committed after the number after, in order: of one session,
// or with session "" of the whole workspace. Data is what was encoded when it was
// stored. limit 0 means all.
func (s *Store) Events(ctx context.Context, workspace, session string, after int64, limit int) ([]*domain.LogEvent, error) {
	if limit <= 0 {
		limit = 1 << 30
	}
	q := newQuery("SELECT "+eventRead+" FROM events WHERE workspace_id = ? AND seq > ?", workspace, after)
	if session != "" {
		q.add(" AND session_id = ? AND session_id <> ''", session)
	}
	q.add(" ORDER BY seq LIMIT ?", limit)
	var rows []eventRow
	if err := s.reads.all(ctx, &rows, q.text(), q.args...); err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	return each(rows, func(r *eventRow) (*domain.LogEvent, error) {
		return &domain.LogEvent{
			Seq: r.Seq, SessionSeq: r.SessionSeq, WorkspaceID: r.WorkspaceID, SessionID: r.SessionID,
			Type: domain.LogType(r.Type), At: r.At.Time, Data: []byte(r.Data),
		}, nil
	})
}

// EventBounds are the numbers of the oldest event that is kept and of the newest one
// there was; both 0 when there was none. When every event was pruned, oldest is the
// number after newest.
func (s *Store) EventBounds(ctx context.Context, workspace string) (oldest, newest int64, err error) {
	var bounds struct {
		Newest int64  `db:"newest"`
		Oldest *int64 `db:"oldest"`
	}
	err = s.reads.get(ctx, &bounds, "SELECT w.last_seq AS newest, "+
		"(SELECT MIN(e.seq) FROM events e WHERE e.workspace_id = $1) AS oldest FROM workspaces w WHERE w.id = $1", workspace)
	switch {
	case missing(err):
		return 0, 0, domain.NotFound("workspace")
	case err != nil:
		return 0, 0, fmt.Errorf("read the bounds of the log: %w", err)
	case bounds.Oldest != nil:
		return *bounds.Oldest, bounds.Newest, nil
	case bounds.Newest > 0:
		return bounds.Newest + 1, bounds.Newest, nil
	}
	return 0, 0, nil
}
