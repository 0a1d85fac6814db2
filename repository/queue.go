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
	Lane        string      `db:"lane"`
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

// queueIn lists the queue of a lane in order, with positions from 1; with Lane "" those of all lanes, one after the other.
func queueIn(ctx context.Context, r sqldb.Reader, of domain.LaneRef, limit int) ([]domain.QueueRow, error) {
	q := sqldb.NewQuery("SELECT "+queueTable.Columns()+" FROM queue WHERE workspace_id = ?", of.Workspace)
	if of.Lane != "" {
		q.Add(" AND lane = ?", of.Lane)
	}
	q.Add(" ORDER BY lane, number, session_id LIMIT ?", limit)
	var rows []queueRow
	if err := r.All(ctx, &rows, q.Text(), q.Args()...); err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	out := make([]domain.QueueRow, len(rows))
	position := 0
	for i, r := range rows {
		if position++; i > 0 && r.Lane != rows[i-1].Lane {
			position = 1
		}
		out[i] = domain.QueueRow{
			WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, Lane: r.Lane, Number: r.Number, Position: position, Trigger: r.Trigger,
			Reason: r.Reason, Since: r.Since.Time, NotBefore: r.NotBefore.Ptr(), Preempting: r.Preempting,
		}
	}
	return out, nil
}

// Queue lists the sessions that wait for the slot of a lane, in order; with Lane "" those of all lanes.
func (s *SlotStore) Queue(ctx context.Context, of domain.LaneRef) ([]domain.QueueRow, error) {
	var rows []domain.QueueRow
	err := s.db.Read(ctx, func(r sqldb.Reader) error {
		if _, err := transaction.WorkspaceIn(ctx, r, of.Workspace, ""); err != nil {
			return err
		}
		var err error
		rows, err = queueWithSessions(ctx, r, of, "", queueWhole)
		return err
	})
	return rows, err
}

// queueWithSessions lists the queue with its sessions, optionally only those of one type.
func queueWithSessions(ctx context.Context, r sqldb.Reader, of domain.LaneRef, only domain.SessionType, limit int) (
	[]domain.QueueRow, error,
) {
	rows, err := queueIn(ctx, r, of, limit)
	if err != nil || len(rows) == 0 {
		return rows, err
	}
	q := sqldb.NewQuery("SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = ? "+
		"AND id IN (SELECT session_id FROM queue WHERE workspace_id = ?", of.Workspace, of.Workspace)
	if of.Lane != "" {
		q.Add(" AND lane = ?", of.Lane)
	}
	q.Add(" ORDER BY lane, number, session_id LIMIT ?)", limit)
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
				"SELECT COALESCE(MAX(number) + 1, $3) FROM queue WHERE workspace_id = $1 AND lane = $2 AND number BETWEEN $3 AND $4",
				c.WorkspaceID,
				domain.LaneOr(row.Lane),
				first,
				last,
			)
			if err != nil {
				return fmt.Errorf("find the end of the queue: %w", err)
			}
		}
		_, err := t.Insert(ctx, queueTable.Rows(queueRow{
			WorkspaceID: c.WorkspaceID, SessionID: row.SessionID, Lane: domain.LaneOr(row.Lane), Number: row.Number,
			Trigger: row.Trigger, Reason: row.Reason,
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
		of := domain.LaneRef{Workspace: c.WorkspaceID, Lane: domain.LaneOr(e.Lane)}
		err := t.Get(ctx, &e.QueueLength, "SELECT COUNT(*) FROM queue WHERE workspace_id = $1 AND lane = $2", of.Workspace, of.Lane)
		if err != nil {
			return fmt.Errorf("count the queue: %w", err)
		}
		if e.Queue, err = queueWithSessions(ctx, t, of, "", queueShown); err != nil {
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

// OwnLane is the lane of a person's own chats.
func (s *SlotStore) OwnLane(ctx context.Context, workspace, person string) (domain.LaneRef, error) {
	row, err := transaction.WorkspaceIn(ctx, s.db, workspace, "")
	if err != nil {
		return domain.LaneRef{}, err
	}
	w, err := row.Workspace(s.settings.of)
	if err != nil {
		return domain.LaneRef{}, err
	}
	return domain.LaneRef{Workspace: workspace, Lane: w.Settings.LaneOf(domain.Chat, person)}, nil
}

// Slot returns who holds the slot of a lane, and the session that waits for a running action to end.
func (s *SlotStore) Slot(ctx context.Context, of domain.LaneRef) (*domain.SlotState, error) {
	state := &domain.SlotState{Lane: of.Lane}
	err := s.db.Read(ctx, func(r sqldb.Reader) error {
		row, err := transaction.WorkspaceIn(ctx, r, of.Workspace, "")
		if err != nil {
			return err
		}
		w, err := row.Workspace(s.settings.of)
		if err != nil {
			return err
		}
		state.Seats = w.Settings.Seats(of.Lane)
		if err := holdersIn(ctx, r, of, state); err != nil {
			return err
		}
		if row.QueueLength == 0 {
			return nil
		}
		queue, err := queueIn(ctx, r, of, queueWhole)
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

// holdersIn reads the sessions that hold the slot of a lane, by seat.
func holdersIn(ctx context.Context, r sqldb.Reader, of domain.LaneRef, state *domain.SlotState) error {
	var rows []sessionRow
	err := r.All(ctx, &rows, "SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 AND lane = $2 AND holds_slot "+
		"ORDER BY seat", of.Workspace, of.Lane)
	if err != nil {
		return fmt.Errorf("read the holders of the slot: %w", err)
	}
	if state.Holders, err = transaction.Each(rows, (*sessionRow).session); err != nil || len(rows) == 0 {
		return err
	}
	state.Holder, state.Since = state.Holders[0], rows[0].SlotSince.Ptr()
	return nil
}
