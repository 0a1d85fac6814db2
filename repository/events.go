package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// EventStore reads the log of a workspace, and the entries that it refers to.
type EventStore struct{ *base }

// writeEvents encodes the events, whose numbers are known by now, and inserts them together with
// the rows that were buffered.
func (s *base) writeEvents(ctx context.Context, t *transaction.Tx, events []*domain.LogEvent) error {
	for _, e := range events {
		data, err := s.cfg.Encode(e)
		if err != nil {
			return fmt.Errorf("encode event %s: %w", e.Type, err)
		}
		e.Data = data
	}
	rows, err := eventRows(events, t.ChangeID)
	if err != nil {
		return err
	}
	t.InsertLater(eventTable.Rows(rows...))
	return t.Flush(ctx)
}

// Events lists the committed events after a number, in order: of one session, or with session "" of
// the whole workspace. Data is the encoding that was userdata. more reports that there are further
// events after the page.
func (s *EventStore) Events(ctx context.Context, workspace, session string, after int64, size domain.PageSize) (
	events []*domain.LogEvent, more bool, err error,
) {
	q := sqldb.NewQuery("SELECT "+eventTable.Columns()+" FROM events WHERE workspace_id = ? AND seq > ?", workspace, after)
	if session != "" {
		q.Add(" AND session_id = ? AND session_id <> ''", session)
	}
	q.Add(" ORDER BY seq")
	events, more, err = sqldb.FillEach(ctx, s.db, sqldb.RoomFor(size), q, func(r *eventRow) ([]*domain.LogEvent, error) {
		return r.events(after)
	}, func(e *domain.LogEvent) int { return len(e.WorkspaceID) + len(e.SessionID) + len(e.Type) + len(e.Data) })
	if err != nil {
		return nil, false, fmt.Errorf("read the log: %w", err)
	}
	return events, more, nil
}

// EventBounds returns the numbers of the oldest event from which on the log is complete, and of the
// newest event; both 0 if there was none. If every event was pruned, oldest is newest + 1.
func (s *EventStore) EventBounds(ctx context.Context, workspace string) (oldest, newest int64, err error) {
	var bounds struct {
		Newest int64 `db:"last_seq"`
		Pruned int64 `db:"pruned_to"`
	}
	err = s.db.Get(ctx, &bounds, "SELECT last_seq, pruned_to FROM workspaces WHERE id = $1", workspace)
	switch {
	case sqldb.NotFound(err):
		return 0, 0, domain.NotFound("workspace")
	case err != nil:
		return 0, 0, fmt.Errorf("read the bounds of the log: %w", err)
	case bounds.Newest == 0:
		return 0, 0, nil
	}
	return bounds.Pruned + 1, bounds.Newest, nil
}

// SessionEventBounds returns the bounds for a reader of a session's own events. The events of a
// session that has not ended are never pruned: then oldest is 1 and every cursor is valid.
func (s *EventStore) SessionEventBounds(ctx context.Context, workspace, session string) (oldest, newest int64, err error) {
	if err := sessionExists(ctx, s.db, workspace, session); err != nil {
		return 0, 0, err
	}
	if oldest, newest, err = s.EventBounds(ctx, workspace); err != nil {
		return 0, 0, err
	}
	var first int64
	err = s.db.Get(ctx, &first, "SELECT session_seq - event_count + 1 FROM events "+
		"WHERE workspace_id = $1 AND session_id = $2 AND session_id <> '' "+
		"ORDER BY seq LIMIT 1", workspace, session)
	if err != nil && !sqldb.NotFound(err) {
		return 0, 0, fmt.Errorf("read the session's first event: %w", err)
	}
	if first == 1 {
		oldest = min(oldest, 1)
	}
	return oldest, newest, nil
}

// pruneStep limits how many events one transaction prunes, so that it locks a workspace only
// briefly.
const pruneStep = 5000

// PruneEvents deletes events that were committed before an instant. The events of a session that
// has not ended stay.
func (s *EventStore) PruneEvents(ctx context.Context, before time.Time) error {
	var all []struct {
		ID      string `db:"id"`
		LastSeq int64  `db:"last_seq"`
		Pruned  int64  `db:"pruned_to"`
		Kept    *int64 `db:"kept"`
	}
	// From where the last run ended up to the first event that is recent enough.
	err := s.db.All(ctx, &all, "SELECT w.id, w.last_seq, w.pruned_to, (SELECT e.seq - e.event_count FROM events e "+
		"WHERE e.workspace_id = w.id AND e.seq > w.pruned_to AND e.at >= $1 ORDER BY e.seq LIMIT 1) AS kept FROM workspaces w", sqldb.At(before))
	if err != nil {
		return fmt.Errorf("look for old events: %w", err)
	}
	for _, w := range all {
		target := w.LastSeq
		if w.Kept != nil {
			target = *w.Kept
		}
		if target <= w.Pruned {
			continue
		}
		// From the beginning: sessions that have ended since the last run are pruned too.
		for to := int64(0); to < target; {
			if to, err = s.pruneTo(ctx, w.ID, to, min(to+pruneStep, target)); err != nil {
				return err
			}
		}
	}
	return nil
}

// pruneTo prunes the events in (after, to], but stops before a row that extends beyond to. It
// returns the number up to which it pruned.
func (s *EventStore) pruneTo(ctx context.Context, workspace string, after, to int64) (int64, error) {
	var end int64
	err := s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
		end = to
		var before int64
		err := t.Get(ctx, &before, "SELECT seq - event_count FROM events WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT 1", workspace, to)
		switch {
		case err == nil:
			end = min(before, to)
		case !sqldb.NotFound(err):
			return err
		}
		_, err = t.Write(ctx, "UPDATE workspaces SET pruned_to = $2 WHERE id = $1 AND pruned_to < $2", workspace, end)
		if err != nil {
			return err
		}
		_, err = t.Write(ctx, "DELETE FROM events WHERE workspace_id = $1 AND seq > $2 AND seq <= $3 AND NOT EXISTS "+
			"(SELECT 1 FROM sessions s WHERE s.workspace_id = $1 AND s.id = events.session_id AND s.phase <> 'COMPLETED')",
			workspace, after, end)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("prune the log of workspace %s: %w", workspace, err)
	}
	return end, nil
}
