package repository

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

type heldAnswerRow struct {
	WorkspaceID string `db:"workspace_id,key"`
	SessionID   string `db:"session_id,key"`
	MessageID   string `db:"message_id"`
	Answer      string `db:"raw"`
}

var (
	heldAnswerTable  = sqldb.NewTable[heldAnswerRow]("held_answers")
	heldAnswerUpsert = heldAnswerTable.Upsert("")
)

// writeHeldAnswers stores the answers that wait for the slot, and deletes those that are carried out.
func writeHeldAnswers(ctx context.Context, t *transaction.Tx, c *domain.Change) error {
	for _, h := range c.HeldAnswers {
		if h.Answer == nil {
			_, err := t.Write(ctx, "DELETE FROM held_answers WHERE workspace_id = $1 AND session_id = $2", h.WorkspaceID, h.SessionID)
			if err != nil {
				return fmt.Errorf("delete the held answer of session %s: %w", h.SessionID, err)
			}
			continue
		}
		var err error
		row := heldAnswerRow{
			WorkspaceID: h.WorkspaceID, SessionID: h.SessionID, MessageID: h.MessageID, Answer: sqldb.JSONOf(h.Answer, &err),
		}
		if err != nil {
			return err
		}
		if _, err := t.Insert(ctx, heldAnswerTable.Rows(row), heldAnswerUpsert); err != nil {
			return fmt.Errorf("hold the answer of session %s: %w", h.SessionID, err)
		}
	}
	return nil
}

// HeldAnswer returns the answer of a session that waits for the slot.
func (s *RecordStore) HeldAnswer(ctx context.Context, workspace, session string) (*domain.HeldAnswer, error) {
	var rows []heldAnswerRow
	err := s.db.All(ctx, &rows, "SELECT "+heldAnswerTable.Columns()+" FROM held_answers WHERE workspace_id = $1 AND session_id = $2",
		workspace, session)
	if err != nil {
		return nil, fmt.Errorf("read the held answer: %w", err)
	}
	if len(rows) == 0 {
		return nil, domain.NotFound("answer")
	}
	h := &domain.HeldAnswer{WorkspaceID: workspace, SessionID: session, MessageID: rows[0].MessageID}
	if err := json.Unmarshal([]byte(rows[0].Answer), &h.Answer); err != nil {
		return nil, fmt.Errorf("read the held answer of session %s: %w", session, err)
	}
	return h, nil
}

// callsAside reads the sessions of a lane that finish a call without the slot, oldest first, up to a limit.
func callsAside(ctx context.Context, r sqldb.Reader, of domain.LaneRef, limit int) ([]*domain.Session, error) {
	var rows []sessionRow
	err := r.All(ctx, &rows, "SELECT "+sessionTable.Columns()+" FROM sessions WHERE workspace_id = $1 AND lane = $2 AND call_aside "+
		"ORDER BY last_event_time, id LIMIT $3", of.Workspace, of.Lane, limit)
	if err != nil {
		return nil, fmt.Errorf("read the calls without the slot: %w", err)
	}
	return transaction.Each(rows, (*sessionRow).session)
}
