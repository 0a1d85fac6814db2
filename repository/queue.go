package repository

import (
	"context"
	"fmt"
	"math"

	"github.com/fermata-dev/fermata/domain"
)

type queueRow struct {
	WorkspaceID string `db:"workspace_id"`
	SessionID   string `db:"session_id"`
	Number      int64  `db:"number"`
	Trigger     string `db:"trigger_kind"`
	Reason      string `db:"reason"`
	Since       stamp  `db:"since"`
	NotBefore   stamp  `db:"not_before"`
	Preempting  bool   `db:"preempting"`
}

const queueColumns = "workspace_id, session_id, number, trigger_kind, reason, since, not_before, preempting"

const (
	// queueShown is how much of the queue an event shows: a long one would make every
	// change of it a long event.
	queueShown = 50
	queueWhole = 1 << 20
	// firstInTurn is the number from which on those stand who come behind all others,
	// whenever the others come.
	firstInTurn = 1 << 40
)

// queueIn lists the queue, next first, with positions from 1.
func queueIn(ctx context.Context, r reader, workspace string, limit int) ([]domain.QueueRow, error) {
	var rows []queueRow
	err := r.all(ctx, &rows, "SELECT "+queueColumns+" FROM queue WHERE workspace_id = $1 ORDER BY number, session_id LIMIT $2", workspace, limit)
	if err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	out := make([]domain.QueueRow, len(rows))
	for i, r := range rows {
		out[i] = domain.QueueRow{
			WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, Number: r.Number, Position: i + 1, Trigger: r.Trigger,
			Reason: r.Reason, Since: r.Since.Time, NotBefore: r.NotBefore.ptr(), Preempting: r.Preempting,
		}
	}
	return out, nil
}

// Queue lists the sessions that asked for the slot, next first.
func (s *Store) Queue(ctx context.Context, workspace string) ([]domain.QueueRow, error) {
	var rows []domain.QueueRow
	err := s.read(ctx, func(r reader) error {
		if _, err := workspaceIn(ctx, r, workspace, ""); err != nil {
			return err
		}
		var err error
		rows, err = queueWithSessions(ctx, r, workspace, "", queueWhole)
		return err
	})
	return rows, err
}

// queueWithSessions lists the queue with its sessions, or with those of one type.
func queueWithSessions(ctx context.Context, r reader, workspace string, only domain.SessionType, limit int) ([]domain.QueueRow, error) {
	rows, err := queueIn(ctx, r, workspace, limit)
	if err != nil || len(rows) == 0 {
		return rows, err
	}
	q := newQuery("SELECT "+sessionColumns+" FROM sessions WHERE workspace_id = ? "+
		"AND id IN (SELECT session_id FROM queue WHERE workspace_id = ? ORDER BY number, session_id LIMIT ?)", workspace, workspace, limit)
	if only != "" {
		q.add(" AND type = ?", string(only))
	}
	var found []sessionRow
	if err := r.all(ctx, &found, q.text(), q.args...); err != nil {
		return nil, fmt.Errorf("read the queue's sessions: %w", err)
	}
	sessions := make(map[string]*domain.Session, len(found))
	for i := range found {
		session, err := found[i].session()
		if err != nil {
			return nil, err
		}
		sessions[session.ID] = session
	}
	for i := range rows {
		if session := sessions[rows[i].SessionID]; session != nil {
			session.QueuePosition = rows[i].Position
			rows[i].Session = session
		}
	}
	return rows, nil
}

// writeQueue takes sessions out of the queue and puts others in. A row without a
// number comes last.
func (t *tx) writeQueue(ctx context.Context, c *domain.Change) error {
	var moved int64
	leave := c.Dequeue
	if t.queueLength == 0 {
		leave = nil // whoever got the slot is taken out, though mostly nobody queues
	}
	for _, id := range leave {
		n, err := t.exec(ctx, "DELETE FROM queue WHERE workspace_id = $1 AND session_id = $2", c.WorkspaceID, id)
		if err != nil {
			return fmt.Errorf("leave the queue: %w", err)
		}
		moved += n
	}
	for i := range c.Enqueue {
		row := &c.Enqueue[i]
		if row.Number == 0 {
			first, last := int64(1), int64(firstInTurn-1)
			if row.InTurn() {
				first, last = firstInTurn, math.MaxInt64
			}
			err := t.get(ctx, &row.Number, "SELECT COALESCE(MAX(number) + 1, $2) FROM queue WHERE workspace_id = $1 AND number BETWEEN $2 AND $3",
				c.WorkspaceID, first, last)
			if err != nil {
				return fmt.Errorf("find the end of the queue: %w", err)
			}
		}
		_, err := t.exec(ctx, "INSERT INTO queue ("+queueColumns+") VALUES ("+placeholders(1, 8)+") "+
			"ON CONFLICT (workspace_id, session_id) DO UPDATE SET number = excluded.number, trigger_kind = excluded.trigger_kind, "+
			"reason = excluded.reason, since = excluded.since, not_before = excluded.not_before, preempting = excluded.preempting",
			c.WorkspaceID, row.SessionID, row.Number, row.Trigger, row.Reason, stamp{row.Since}, stampOf(row.NotBefore), row.Preempting)
		if err != nil {
			return fmt.Errorf("enter the queue: %w", err)
		}
		moved++
	}
	if moved > 0 {
		if err := t.countQueue(ctx, c.WorkspaceID); err != nil {
			return err
		}
	}
	return t.tellQueue(ctx, c)
}

// tellQueue fills the events that show the queue with the queue as it is now.
func (t *tx) tellQueue(ctx context.Context, c *domain.Change) error {
	for _, e := range c.Events {
		if e.Type != domain.LogQueueChanged {
			continue
		}
		if t.queueLength == 0 && len(c.Enqueue) == 0 {
			continue // it was empty, and still is
		}
		err := t.get(ctx, &e.QueueLength, "SELECT COUNT(*) FROM queue WHERE workspace_id = $1", c.WorkspaceID)
		if err != nil {
			return fmt.Errorf("count the queue: %w", err)
		}
		if e.Queue, err = queueWithSessions(ctx, t, c.WorkspaceID, "", queueShown); err != nil {
			return err
		}
	}
	return nil
}

// countQueue keeps the length on the workspace's row, by which a View knows that it
// need not read the queue.
func (t *tx) countQueue(ctx context.Context, workspace string) error {
	_, err := t.exec(ctx, "UPDATE workspaces SET queue_length = (SELECT COUNT(*) FROM queue WHERE workspace_id = $1) WHERE id = $1", workspace)
	if err != nil {
		return fmt.Errorf("count the queue: %w", err)
	}
	return nil
}

// Slot says who holds the slot of a workspace, and who waits for a running action to
// end.
func (s *Store) Slot(ctx context.Context, workspace string) (*domain.SlotState, error) {
	state := &domain.SlotState{}
	err := s.read(ctx, func(r reader) error {
		w, err := workspaceIn(ctx, r, workspace, "")
		if err != nil {
			return err
		}
		var row sessionRow
		err = r.get(ctx, &row, "SELECT "+sessionColumns+" FROM sessions WHERE workspace_id = $1 AND holds_slot", workspace)
		switch {
		case missing(err):
		case err != nil:
			return fmt.Errorf("read the holder: %w", err)
		default:
			if state.Holder, err = row.session(); err != nil {
				return err
			}
			state.Since = row.SlotSince.ptr()
		}
		if w.QueueLength == 0 {
			return nil
		}
		queue, err := queueIn(ctx, r, workspace, queueWhole)
		if err != nil {
			return err
		}
		for _, q := range queue {
			if q.Preempting && state.Preempting == "" {
				state.Preempting = q.SessionID
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return state, nil
}
