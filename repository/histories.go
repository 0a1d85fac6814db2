package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// HistoryStore finds the sessions of clients that send their whole history with each request.
type HistoryStore struct{ *base }

type historyRow struct {
	WorkspaceID string      `db:"workspace_id"`
	Hash        string      `db:"hash"`
	Number      int         `db:"number"`
	SessionID   string      `db:"session_id"`
	MessageID   string      `db:"message_id"`
	CreatedAt   sqldb.Stamp `db:"created_at"`
	Request     string      `db:"request"`
}

type foundHistoryRow struct {
	historyRow
	Newest string `db:"newest"`
}

var (
	historyTable = sqldb.NewTable[historyRow]("known_histories")
	// alikeSQL reads both hashes in the order of the primary key. Message ids sort by time.
	alikeSQL = "SELECT " + historyTable.ColumnsOf("h") + ", (SELECT MAX(n.message_id) FROM known_histories n " +
		"WHERE n.workspace_id = h.workspace_id AND n.session_id = h.session_id) AS newest FROM (" +
		alikeOf("$2") + " UNION ALL " + alikeOf("$3") + ") h ORDER BY h.number DESC"
)

func alikeOf(hash string) string {
	return "SELECT * FROM (SELECT * FROM known_histories WHERE workspace_id = $1 AND hash = " + hash + " ORDER BY number DESC LIMIT $4) one"
}

// KnownHistories lists the histories with either hash, newest first, at most domain.MaxAlike of
// each.
func (s *HistoryStore) KnownHistories(ctx context.Context, workspace string, hashes [2]string) ([]domain.KnownHistory, error) {
	var rows []foundHistoryRow
	if err := s.db.All(ctx, &rows, alikeSQL, workspace, hashes[0], hashes[1], domain.MaxAlike); err != nil {
		return nil, fmt.Errorf("look for known histories: %w", err)
	}
	found := make([]domain.KnownHistory, len(rows))
	for i, r := range rows {
		found[i] = domain.KnownHistory{
			HistoryKey: domain.HistoryKey{Hash: r.Hash, Number: r.Number, Request: r.Request}, WorkspaceID: r.WorkspaceID,
			SessionID: r.SessionID, MessageID: r.MessageID, CreatedAt: r.CreatedAt.Time, Newest: r.MessageID == r.Newest,
		}
	}
	return found, nil
}

// aroundIDs is the tolerated clock skew between the process that created a message's id and the one
// that recorded the times of its session.
const aroundIDs = time.Minute

// SessionOf returns the session of a message, given the message's id alone; "" if there is none.
// The time in the id narrows down the sessions.
func (s *HistoryStore) SessionOf(ctx context.Context, workspace, message string) (string, error) {
	made, ok := ids.Time(message)
	if !ok {
		return "", nil
	}
	var rows []struct {
		SessionID string `db:"session_id"`
	}
	const query = "SELECT m.session_id FROM sessions s JOIN messages m ON m.workspace_id = s.workspace_id AND m.session_id = s.id AND m.id = $2 " +
		"WHERE s.workspace_id = $1 AND s.created_at <= $3 AND s.last_event_time >= $4 LIMIT 1"
	err := s.db.All(ctx, &rows, query, workspace, message, sqldb.Stamp{Time: made.Add(aroundIDs)}, sqldb.Stamp{Time: made.Add(-aroundIDs)})
	if err != nil {
		return "", fmt.Errorf("look for the session of a message: %w", err)
	}
	if len(rows) == 0 {
		return "", nil
	}
	return rows[0].SessionID, nil
}

// RequestOf returns what the client recorded about the request that a message came with; "" for
// other messages.
func (s *HistoryStore) RequestOf(ctx context.Context, workspace, session, message string) (string, error) {
	var rows []struct {
		Request string `db:"request"`
	}
	const query = "SELECT request FROM known_histories WHERE workspace_id = $1 AND session_id = $2 AND message_id = $3"
	if err := s.db.All(ctx, &rows, query, workspace, session, message); err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0].Request, nil
}

// writeHistories records the histories that the messages of a change came with. If one was recorded
// by another process meanwhile, it is a conflict and the whole change is rolled back.
func writeHistories(t *transaction.Tx, histories []domain.KnownHistory) {
	rows := make([]historyRow, len(histories))
	for i, h := range histories {
		rows[i] = historyRow{
			WorkspaceID: h.WorkspaceID, Hash: h.Hash, Number: h.Number, SessionID: h.SessionID, MessageID: h.MessageID,
			CreatedAt: sqldb.At(h.CreatedAt), Request: h.Request,
		}
	}
	t.InsertLater(historyTable.Rows(rows...))
}
