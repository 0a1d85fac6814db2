package repository

import (
	"context"
	"fmt"
	"math"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// SlotStore reads the holder of the slot, the queue for it, and due work.
type SlotStore struct{ *base }

type queueRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	SessionID   string      `db:"session_id,key"`
	Number      int64       `db:"number"`
	Trigger     string      `db:"trigger_kind"`
	Reason      string      `db:"reason"`
	Since       sqldb.Stamp `db:"since"`
	NotBefore   sqldb.Stamp `db:"not_before"`
	Preempting  bool        `db:"preempting"`
}

var (
	queueTable  = sqldb.NewTable[queueRow]("queue")
	queueUpsert = queueTable.Upsert("")
)

const (
	// queueShown limits how much of the queue an event shows: otherwise every change of a long
	// queue would be a long event.
	queueShown = 50
	queueWhole = 1 << 20
)

// queueIn lists the queue in order, with positions from 1.
func queueIn(ctx context.Context, r sqldb.Reader, workspace string, limit int) ([]domain.QueueRow, error) {
	var rows []queueRow
	err := r.All(ctx, &rows, "SELECT "+queueTable.Columns()+" FROM queue WHERE workspace_id = $1 "+
		"ORDER BY number, session_id LIMIT $2", workspace, limit)
	if err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	out := make([]domain.QueueRow, len(rows))
	for i, r := range rows {
		out[i] = domain.QueueRow{
			WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, Number: r.Number, Position: i + 1, Trigger: r.Trigger,
			Reason: r.Reason, Since: r.Since.Time, NotBefore: r.NotBefore.Ptr(), Preempting: r.Preempting,
		}
	}
	return out, nil
}

// Queue lists the sessions that wait for the slot, in order.
func (s *SlotStore) Queue(ctx context.Context, workspace string) ([]domain.QueueRow, error) {
	var rows []domain.QueueRow
	err := s.db.Read(ctx, func(r sqldb.Reader) error {
		if _, err := transaction.WorkspaceIn(ctx, r, workspace, ""); err != nil {
			return err
		}
		var err error
		rows, err = queueWithSessions(ctx, r, workspace, "", queueWhole)
		return err
	})
	return rows, err
}

// queueWithSessions lists the queue with its sessions, optionally only those of one type.
func queueWithSessions(ctx context.Context, r sqldb.Reader, workspace string, only domain.SessionType, limit int) (
	[]domain.QueueRow, error,
) {
	rows, err := queueIn(ctx, r, workspace, limit)
	if err != nil || len(rows) == 0 {
		return rows, err
	}
	q := sqldb.NewQuery("SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = ? "+
		"AND id IN (SELECT session_id FROM queue WHERE workspace_id = ? ORDER BY number, session_id LIMIT ?)", workspace, workspace, limit)
	if only != "" {
		q.Add(" AND type = ?", string(only))
	}
	var found []sessionRow
	if err := r.All(ctx, &found, q.Text(), q.Args()...); err != nil {
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

// writeQueue removes sessions from the queue and adds others. A row without a number is added at
// the end.
func writeQueue(ctx context.Context, t *transaction.Tx, c *domain.Change) error {
	var moved int64
	leave := c.Dequeue
	if t.QueueLength == 0 {
		leave = nil // the session that got the slot is removed, but mostly the queue is empty
	}
	for _, id := range leave {
		n, err := t.Write(ctx, "DELETE FROM queue WHERE workspace_id = $1 AND session_id = $2", c.WorkspaceID, id)
		if err != nil {
			return fmt.Errorf("leave the queue: %w", err)
		}
		moved += n
	}
	for i := range c.Enqueue {
		row := &c.Enqueue[i]
		if row.Number == 0 {
			first, last := int64(domain.QueueInOrder), int64(domain.QueueBehindAll-1)
			switch {
			case row.BeforeRuns:
				first, last = 1, domain.QueueInOrder-1
			case row.InTurn():
				first, last = domain.QueueBehindAll, math.MaxInt64
			}
			err := t.Get(
				ctx,
				&row.Number,
				"SELECT COALESCE(MAX(number) + 1, $2) FROM queue WHERE workspace_id = $1 AND number BETWEEN $2 AND $3",
				c.WorkspaceID,
				first,
				last,
			)
			if err != nil {
				return fmt.Errorf("find the end of the queue: %w", err)
			}
		}
		_, err := t.Insert(ctx, queueTable.Rows(queueRow{
			WorkspaceID: c.WorkspaceID, SessionID: row.SessionID, Number: row.Number, Trigger: row.Trigger, Reason: row.Reason,
			Since: sqldb.At(row.Since), NotBefore: sqldb.AtPtr(row.NotBefore), Preempting: row.Preempting,
		}), queueUpsert)
		if err != nil {
			return fmt.Errorf("enter the queue: %w", err)
		}
		moved++
	}
	if moved > 0 {
		if err := countQueue(ctx, t, c.WorkspaceID); err != nil {
			return err
		}
	}
	return fillQueueEvents(ctx, t, c)
}

// fillQueueEvents sets the queue in the events that show it.
func fillQueueEvents(ctx context.Context, t *transaction.Tx, c *domain.Change) error {
	for _, e := range c.Events {
		if e.Type != domain.LogQueueChanged {
			continue
		}
		if t.QueueLength == 0 && len(c.Enqueue) == 0 {
			e.QueueLength, e.Queue = 0, nil // empty before and after, regardless of what an earlier attempt read
			continue
		}
		err := t.Get(ctx, &e.QueueLength, "SELECT COUNT(*) FROM queue WHERE workspace_id = $1", c.WorkspaceID)
		if err != nil {
			return fmt.Errorf("count the queue: %w", err)
		}
		if e.Queue, err = queueWithSessions(ctx, t, c.WorkspaceID, "", queueShown); err != nil {
			return err
		}
	}
	return nil
}

// countQueue updates the length on the workspace's row, which spares a View the query if the queue
// is empty.
func countQueue(ctx context.Context, t *transaction.Tx, workspace string) error {
	_, err := t.Write(ctx, "UPDATE workspaces SET queue_length = (SELECT COUNT(*) FROM queue WHERE workspace_id = $1) "+
		"WHERE id = $1", workspace)
	if err != nil {
		return fmt.Errorf("count the queue: %w", err)
	}
	t.QueueLength = transaction.UnknownQueue
	return nil
}

// Slot returns the holder of a workspace's slot, and the session that waits for a running action to
// end.
func (s *SlotStore) Slot(ctx context.Context, workspace string) (*domain.SlotState, error) {
	state := &domain.SlotState{}
	err := s.db.Read(ctx, func(r sqldb.Reader) error {
		w, err := transaction.WorkspaceIn(ctx, r, workspace, "")
		if err != nil {
			return err
		}
		var row sessionRow
		err = r.Get(ctx, &row, "SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 AND holds_slot", workspace)
		switch {
		case sqldb.NotFound(err):
		case err != nil:
			return fmt.Errorf("read the holder: %w", err)
		default:
			if state.Holder, err = row.session(); err != nil {
				return err
			}
			state.Since = row.SlotSince.Ptr()
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
