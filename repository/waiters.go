package repository

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/repository/automations"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// maxAside limits how many suspended sessions are read: oldest first, since one at a time gets the
// slot.
const maxAside = 50

// maxAsked limits how many queue entries are read: first in, first out, so the second is needed
// only if the first has left meanwhile.
const maxAsked = 2

// WaitingLanes lists the lanes of a workspace in which a session may be waiting, or an occurrence is due.
func (s *SlotStore) WaitingLanes(ctx context.Context, workspace string) ([]string, error) {
	var lanes []string
	err := s.db.Read(ctx, func(r sqldb.Reader) error {
		err := r.All(ctx, &lanes, "SELECT lane FROM queue WHERE workspace_id = $1 UNION "+
			"SELECT lane FROM sessions WHERE workspace_id = $1 AND "+hasSomethingToDo, workspace)
		if err != nil {
			return fmt.Errorf("look for lanes with waiting sessions: %w", err)
		}
		due, err := dueLanes(ctx, r, workspace, s.settings.of)
		if err != nil {
			return err
		}
		for lane := range due {
			if !slices.Contains(lanes, lane) {
				lanes = append(lanes, lane)
			}
		}
		return nil
	})
	slices.Sort(lanes)
	return lanes, err
}

// Waiters returns the sessions that want the slot of a lane and its holder, as of one instant.
func (s *SlotStore) Waiters(ctx context.Context, of domain.LaneRef) (*domain.Waiters, error) {
	w := &domain.Waiters{At: s.cfg.Clock(), Lane: of.Lane}
	err := s.db.Read(ctx, func(r sqldb.Reader) error {
		row, err := transaction.WorkspaceIn(ctx, r, of.Workspace, "")
		if err != nil {
			return err
		}
		if w.Workspace, err = row.Workspace(s.settings.of); err != nil {
			return err
		}
		if row.QueueLength > 0 {
			if w.Queue, err = s.queueOfWaiters(ctx, r, of, w.At); err != nil {
				return err
			}
		}
		if err := waitersIn(ctx, r, of, w); err != nil {
			return err
		}
		due, err := dueLanes(ctx, r, of.Workspace, s.settings.of)
		w.DueSince = due[of.Lane]
		return err
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// waitersIn reads the holder, and the sessions that have work without being in the queue.
func waitersIn(ctx context.Context, r sqldb.Reader, of domain.LaneRef, w *domain.Waiters) error {
	var rows []sessionRow
	// A UNION of two parts, each of which has an index: with OR every session would be read.
	err := r.All(ctx, &rows, "SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 AND lane = $2 AND holds_slot "+
		"UNION ALL SELECT * FROM ("+
		"SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 AND lane = $2 AND "+hasSomethingToDo+
		" AND id NOT IN (SELECT session_id FROM queue WHERE workspace_id = $1 AND lane = $2) "+
		"ORDER BY COALESCE(last_event_time, created_at), id LIMIT $3) aside",
		of.Workspace, of.Lane, maxAside)
	if err != nil {
		return fmt.Errorf("read the waiters for the slot: %w", err)
	}
	var holders []*sessionRow
	for i := range rows {
		if rows[i].HoldsSlot {
			holders = append(holders, &rows[i])
			continue
		}
		session, err := rows[i].session()
		if err != nil {
			return err
		}
		w.Aside = append(w.Aside, session)
	}
	if holder, _ := holderOf(holders, nil, w.Workspace.Settings.Seats(of.Lane)); holder != nil {
		if w.Holder, err = holder.session(); err != nil {
			return err
		}
	}
	if w.Holder == nil || w.Holder.Phase != domain.ExecutingActions {
		return nil
	}
	var running int64
	err = r.Get(ctx, &running, "SELECT COUNT(*) FROM executions WHERE workspace_id = $1 AND session_id = $2 AND message_id = $3 "+
		"AND kind = $4 AND status = $5",
		of.Workspace, w.Holder.ID, w.Holder.State.AnswerID, string(domain.KindAction), string(domain.ExecStarted))
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

// dueLanes returns the lanes in which occurrences are due, each with since when.
func dueLanes(ctx context.Context, r sqldb.Reader, workspace string, settings func(string) (domain.Settings, error)) (
	map[string]time.Time, error,
) {
	var due []struct {
		Automation string      `db:"automation_id"`
		Since      sqldb.Stamp `db:"since"`
	}
	err := r.All(ctx, &due, "SELECT automation_id, MIN(recorded_at) AS since FROM occurrences WHERE workspace_id = $1 AND state = 'DUE' "+
		"GROUP BY automation_id", workspace)
	if err != nil {
		return nil, fmt.Errorf("look for occurrences that are due: %w", err)
	}
	if len(due) == 0 {
		return nil, nil
	}
	row, err := transaction.WorkspaceIn(ctx, r, workspace, "")
	if err != nil {
		return nil, err
	}
	of, err := settings(row.Settings)
	if err != nil {
		return nil, err
	}
	lanes := map[string]time.Time{}
	for _, d := range due {
		a, err := automations.AutomationIn(ctx, r, workspace, d.Automation)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		lane := of.LaneOf(domain.Run, a.LaneOwner())
		if since, ok := lanes[lane]; !ok || d.Since.Time.Before(since) {
			lanes[lane] = d.Since.Time
		}
	}
	return lanes, nil
}

// queueOfWaiters reads the whole queue, and the sessions of its first rows that may be next: those
// further behind are not read, however long the queue is.
func (s *SlotStore) queueOfWaiters(ctx context.Context, r sqldb.Reader, of domain.LaneRef, now time.Time) ([]domain.QueueRow, error) {
	queue, err := queueIn(ctx, r, of, queueWhole)
	if err != nil {
		return nil, err
	}
	if err := markBlocked(ctx, r, of.Workspace, queue); err != nil {
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
			of.Workspace,
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
