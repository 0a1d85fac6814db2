package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// maxAside limits how many suspended sessions are read: oldest first, since one at a time gets the
// slot.
const maxAside = 50

// maxAsked limits how many queue entries are read: first in, first out, so the second is needed
// only if the first has left meanwhile.
const maxAsked = 2

// Waiters returns the sessions that want the slot of a workspace and its holder, as of one instant.
func (s *SlotStore) Waiters(ctx context.Context, workspace string) (*domain.Waiters, error) {
	w := &domain.Waiters{At: s.cfg.Clock()}
	err := s.db.Read(ctx, func(r sqldb.Reader) error {
		row, err := transaction.WorkspaceIn(ctx, r, workspace, "")
		if err != nil {
			return err
		}
		if w.Workspace, err = row.Workspace(s.settings.of); err != nil {
			return err
		}
		if row.QueueLength > 0 {
			if w.Queue, err = s.queueOfWaiters(ctx, r, workspace, w.At); err != nil {
				return err
			}
		}
		return waitersIn(ctx, r, workspace, w)
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// waitersIn reads the holder, and the sessions that have work without being in the queue.
func waitersIn(ctx context.Context, r sqldb.Reader, workspace string, w *domain.Waiters) error {
	var rows []sessionRow
	// A UNION of two parts, each of which has an index: with OR every session would be read.
	err := r.All(ctx, &rows, "SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 AND holds_slot "+
		"UNION ALL SELECT * FROM ("+
		"SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 AND "+hasSomethingToDo+
		" AND id NOT IN (SELECT session_id FROM queue WHERE workspace_id = $1) "+
		"ORDER BY COALESCE(last_event_time, created_at), id LIMIT $2) aside",
		workspace, maxAside)
	if err != nil {
		return fmt.Errorf("read the waiters for the slot: %w", err)
	}
	for i := range rows {
		session, err := rows[i].session()
		if err != nil {
			return err
		}
		if session.HoldsSlot {
			w.Holder = session
		} else {
			w.Aside = append(w.Aside, session)
		}
	}
	if err := dueSince(ctx, r, workspace, w); err != nil {
		return err
	}
	if w.Holder == nil || w.Holder.Phase != domain.ExecutingActions {
		return nil
	}
	var running int64
	err = r.Get(ctx, &running, "SELECT COUNT(*) FROM executions WHERE workspace_id = $1 AND session_id = $2 AND message_id = $3 "+
		"AND kind = $4 AND status = $5", workspace, w.Holder.ID, w.Holder.State.AnswerID, string(domain.KindAction), string(domain.ExecStarted))
	if err != nil {
		return fmt.Errorf("look whether an action runs: %w", err)
	}
	w.ActionRuns = running > 0
	return nil
}

// Figures counts slots, queues and open approvals over all workspaces.
func (s *SlotStore) Figures(ctx context.Context) (reports.Figures, error) {
	var row struct {
		Held       int64       `db:"held"`
		HeldSince  sqldb.Stamp `db:"held_since"`
		Queued     int64       `db:"queued"`
		Oldest     sqldb.Stamp `db:"oldest"`
		Approvals  int64       `db:"approvals"`
		AskedSince sqldb.Stamp `db:"asked_since"`
		Bytes      int64       `db:"bytes"`
	}
	err := s.db.Get(ctx, &row, "SELECT h.held, h.held_since, q.queued, q.oldest, a.approvals, a.asked_since, "+s.db.Dialect.Size+" AS bytes "+
		"FROM (SELECT COUNT(*) AS held, MIN(slot_since) AS held_since FROM sessions WHERE holds_slot) AS h, "+
		"(SELECT COUNT(*) AS queued, MIN(since) AS oldest FROM queue) AS q, "+
		"(SELECT COUNT(*) AS approvals, MIN(created_at) AS asked_since FROM approvals WHERE status = 'open') AS a")
	if err != nil {
		return reports.Figures{}, fmt.Errorf("count slots, queues and approvals: %w", err)
	}
	return reports.Figures{
		Held: row.Held, HeldSince: row.HeldSince.Time, Queued: row.Queued, Oldest: row.Oldest.Time,
		Approvals: row.Approvals, AskedSince: row.AskedSince.Time, Bytes: row.Bytes,
	}, nil
}

// dueSince sets since when an occurrence is due.
func dueSince(ctx context.Context, r sqldb.Reader, workspace string, w *domain.Waiters) error {
	var due sqldb.Stamp
	err := r.Get(ctx, &due, "SELECT MIN(recorded_at) FROM occurrences WHERE workspace_id = $1 AND state = 'DUE'", workspace)
	if err != nil {
		return fmt.Errorf("look for occurrences that are due: %w", err)
	}
	w.DueSince = due.Time
	return nil
}

// queueOfWaiters reads the whole queue, and the sessions of its first rows that may be next: those
// further behind are not read, however long the queue is.
func (s *SlotStore) queueOfWaiters(ctx context.Context, r sqldb.Reader, workspace string, now time.Time) ([]domain.QueueRow, error) {
	queue, err := queueIn(ctx, r, workspace, queueWhole)
	if err != nil {
		return nil, err
	}
	if err := markBlocked(ctx, r, workspace, queue); err != nil {
		return nil, err
	}
	asked, aside := 0, 0
	for i := range queue {
		row := &queue[i]
		if asked >= maxAsked && !row.InTurn() || row.Blocked || row.NotBefore != nil && row.NotBefore.After(now) {
			continue
		}
		var found sessionRow
		err := r.Get(
			ctx,
			&found,
			"SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 AND id = $2",
			workspace,
			row.SessionID,
		)
		if err != nil {
			return nil, fmt.Errorf("read the head of the queue: %w", err)
		}
		if row.Session, err = found.session(); err != nil {
			return nil, err
		}
		row.Session.QueuePosition = row.Position
		if !row.InTurn() {
			asked++
		} else if aside++; aside == maxAside {
			break
		}
	}
	return queue, nil
}

// markBlocked marks the runs in the queue behind an earlier run of the same automation: they block
// no other session.
func markBlocked(ctx context.Context, r sqldb.Reader, workspace string, queue []domain.QueueRow) error {
	if len(queue) == 0 {
		return nil
	}
	ids, err := behindOwnRun(ctx, r, workspace)
	if err != nil {
		return err
	}
	blocked := make(map[string]bool, len(ids))
	for _, id := range ids {
		blocked[id] = true
	}
	for i := range queue {
		queue[i].Blocked = blocked[queue[i].SessionID]
	}
	return nil
}

// earlierRun reports whether an earlier run of the session's automation has not ended.
func earlierRun(ctx context.Context, r sqldb.Reader, s *domain.Session) (bool, error) {
	var earlier int64
	err := r.Get(ctx, &earlier, "SELECT COUNT(*) FROM sessions WHERE workspace_id = $1 AND automation_id = $2 AND type = 'AUTOMATION' "+
		"AND phase <> 'COMPLETED' AND (created_at, id) < ($3, $4)", s.WorkspaceID, s.AutomationID, sqldb.At(s.CreatedAt), s.ID)
	if err != nil {
		return false, fmt.Errorf("look for an earlier run: %w", err)
	}
	return earlier > 0, nil
}

// behindOwnRun lists the queued runs whose automation has an earlier run that has not ended: two
// never run concurrently, and a parked run has not ended. CROSS makes SQLite begin with the queue,
// not with every run of the history.
func behindOwnRun(ctx context.Context, r sqldb.Reader, workspace string) ([]string, error) {
	var ids []string
	err := r.All(ctx, &ids, "SELECT s.id FROM queue q CROSS JOIN sessions s WHERE s.workspace_id = q.workspace_id AND s.id = q.session_id "+
		"AND q.workspace_id = $1 AND s.automation_id <> '' AND EXISTS (SELECT 1 FROM sessions o WHERE o.workspace_id = $1 "+
		"AND o.automation_id = s.automation_id AND o.type = 'AUTOMATION' AND o.phase <> 'COMPLETED' "+
		"AND (o.created_at, o.id) < (s.created_at, s.id))", workspace)
	if err != nil {
		return nil, fmt.Errorf("look for runs that wait for an earlier one: %w", err)
	}
	return ids, nil
}
