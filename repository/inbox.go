package repository

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/outside"
)

type inboxRow struct {
	messageRow
	ItemID    string      `db:"item_id"`
	DedupeKey string      `db:"dedupe_key"`
	Kind      string      `db:"kind"`
	IfBusy    string      `db:"if_busy"`
	CreatedAt sqldb.Stamp `db:"item_created_at"`
	Trace     string      `db:"trace"`
	Bytes     int         `db:"bytes"`
}

// inboxItemRow holds the columns of an item that are written; its message has its own row.
type inboxItemRow struct {
	WorkspaceID string      `db:"workspace_id"`
	ID          string      `db:"id"`
	SessionID   string      `db:"session_id"`
	DedupeKey   string      `db:"dedupe_key"`
	Kind        string      `db:"kind"`
	IfBusy      string      `db:"if_busy"`
	MessageID   string      `db:"message_id"`
	CreatedAt   sqldb.Stamp `db:"created_at"`
	Trace       string      `db:"trace"`
}

var inboxTable = sqldb.NewTable[inboxItemRow]("inbox")

// waitingSQL selects the pending items of a session, oldest first. briefSQL omits the content of
// the messages, which may be long.
var (
	waitingSQL = waitingOf(messageTable.ColumnsOf("m"))
	briefSQL   = waitingOf(withoutText.Replace(messageTable.ColumnsOf("m")))
)

var withoutText = strings.NewReplacer("m.rich", "'' AS rich", "m.text_content", "'' AS text_content", "m.ai", "'' AS ai",
	"m.raw", "'' AS raw", "m.system", "'' AS system", "m.run", "'' AS run",
	"m.client_tools", "'' AS client_tools")

func waitingOf(columns string) string {
	return "SELECT i.id AS item_id, i.dedupe_key, i.kind, i.if_busy, i.created_at AS item_created_at, i.trace, " +
		"OCTET_LENGTH(m.rich) + OCTET_LENGTH(m.text_content) + OCTET_LENGTH(m.client_tools) AS bytes, " + columns + " FROM inbox i " +
		"JOIN messages m ON m.workspace_id = i.workspace_id AND m.session_id = i.session_id AND m.id = i.message_id " +
		"WHERE i.workspace_id = $1 AND i.session_id = $2 AND i.done_at IS NULL ORDER BY i.created_at, i.id"
}

// waiting reads a session's inbox with waitingSQL or briefSQL.
func waiting(ctx context.Context, r sqldb.Reader, query, workspace, session string) ([]*domain.InboxItem, error) {
	var rows []inboxRow
	if err := r.All(ctx, &rows, query, workspace, session); err != nil {
		return nil, fmt.Errorf("read the inbox: %w", err)
	}
	return transaction.Each(rows, func(r *inboxRow) (*domain.InboxItem, error) {
		m, err := r.message()
		if err != nil {
			return nil, err
		}
		return &domain.InboxItem{
			ID: r.ItemID, WorkspaceID: m.WorkspaceID, SessionID: m.SessionID, DedupeKey: r.DedupeKey, Kind: r.Kind,
			IfBusy: domain.IfBusy(r.IfBusy), MessageID: m.ID, CreatedAt: r.CreatedAt.Time, Message: m,
			Trace: r.Trace, Bytes: r.Bytes,
		}, nil
	})
}

// writeInbox inserts new items and marks processed ones. A processed row is kept so that its
// deduplication key stays known.
func writeInbox(ctx context.Context, t *transaction.Tx, c *domain.Change) error {
	rows := make([]inboxItemRow, len(c.Inbox))
	for n, i := range c.Inbox {
		rows[n] = inboxItemRow{
			WorkspaceID: i.WorkspaceID, ID: i.ID, SessionID: i.SessionID, DedupeKey: i.DedupeKey, Kind: i.Kind,
			IfBusy: string(i.IfBusy), MessageID: i.MessageID, CreatedAt: sqldb.At(i.CreatedAt), Trace: i.Trace,
		}
	}
	if _, err := t.Insert(ctx, inboxTable.Rows(rows...), ""); err != nil {
		return fmt.Errorf("insert into the inbox: %w", err)
	}
	for _, id := range c.InboxDone {
		err := t.WriteOne(ctx, domain.ErrStale,
			"UPDATE inbox SET done_at = $3 WHERE workspace_id = $1 AND id = $2 AND done_at IS NULL", c.WorkspaceID, id, sqldb.At(c.At))
		if err != nil {
			return fmt.Errorf("take %s from the inbox: %w", id, err)
		}
	}
	return nil
}

// recount updates the counts on the session's row, which spare a View the queries for approvals,
// pending messages and tasks if there are none.
func recount(ctx context.Context, t *transaction.Tx, c *domain.Change) error {
	if len(c.Inbox)+len(c.InboxDone)+len(c.Approvals)+len(c.Tasks) == 0 {
		return nil
	}
	touched := map[string]bool{}
	for _, w := range c.Sessions {
		touched[w.Session.ID] = true
	}
	for _, i := range c.Inbox {
		touched[i.SessionID] = true
	}
	for _, a := range c.Approvals {
		touched[a.SessionID] = true
	}
	for _, x := range c.Tasks {
		touched[x.SessionID] = true
	}
	for id := range touched {
		_, err := t.Write(ctx, recountSQL, c.WorkspaceID, id)
		if err != nil {
			return fmt.Errorf("count the pending items: %w", err)
		}
	}
	return nil
}

const recountSQL = "UPDATE sessions SET " +
	"inbox_pending = (SELECT COUNT(*) FROM inbox i WHERE i.workspace_id = $1 AND i.session_id = $2 AND i.done_at IS NULL), " +
	"open_approvals = (SELECT COUNT(*) FROM approvals a WHERE a.workspace_id = $1 AND a.session_id = $2 AND a.status = 'open'), " +
	"open_tasks = (SELECT COUNT(*) FROM tasks x WHERE x.workspace_id = $1 AND x.session_id = $2 AND " + outside.TaskIsOpen + ") " +
	"WHERE workspace_id = $1 AND id = $2"
