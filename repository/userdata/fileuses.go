package userdata

import (
	"context"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

type fileUseRow struct {
	WorkspaceID string `db:"workspace_id,key"`
	SessionID   string `db:"session_id,key"`
	MessageID   string `db:"message_id,key"`
	FileID      string `db:"file_id,key"`
}

var fileUseTable = sqldb.NewTable[fileUseRow]("file_uses")

// WriteFileUses records which files are referred to by the messages that a change creates or edits.
// A message without files costs nothing. A reference that an edit removed stays recorded until the
// message is deleted.
func WriteFileUses(ctx context.Context, t *transaction.Tx, c *domain.Change, gone map[string]bool) error {
	for _, m := range c.Messages {
		if files := m.Rich.Files(); len(files) > 0 && !gone[m.ID] {
			rows, err := useFiles(ctx, t, m, files)
			if err != nil {
				return err
			}
			t.InsertLater(rows) // after the message itself
		}
	}
	for _, m := range c.EditedMessages {
		if files := m.Rich.Files(); len(files) > 0 && !gone[m.ID] {
			rows, err := useFiles(ctx, t, m, files)
			if err != nil {
				return err
			}
			if err := t.Flush(ctx); err != nil {
				return err
			}
			if _, err := t.Insert(ctx, rows, " ON CONFLICT DO NOTHING"); err != nil {
				return err
			}
		}
	}
	return nil
}

// useFiles protects the files from collection, and rejects a message whose files were deleted since
// they were checked.
func useFiles(ctx context.Context, t *transaction.Tx, m *domain.Message, files []*domain.FileRef) (sqldb.Rows, error) {
	var ids []string
	for _, f := range files {
		if !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids) // a fixed order of locks prevents deadlocks
	rows := make([]fileUseRow, 0, len(ids))
	for _, id := range ids {
		n, err := t.Write(ctx, "UPDATE files SET collect_after = $3 WHERE workspace_id = $1 AND id = $2",
			m.WorkspaceID, id, sqldb.At(t.DB.Clock().Add(userdata.UnusedFileFor)))
		if err != nil {
			return sqldb.Rows{}, fmt.Errorf("refer to a file: %w", err)
		}
		if n == 0 && m.RetryOf != "" {
			continue // a repeated message whose file was deleted since: the prompt mentions it
		}
		if n == 0 {
			return sqldb.Rows{}, userdata.UnknownFile("/file_ids", id)
		}
		rows = append(rows, fileUseRow{WorkspaceID: m.WorkspaceID, SessionID: m.SessionID, MessageID: m.ID, FileID: id})
	}
	return fileUseTable.Rows(rows...), nil
}

// KeepFileUses keeps the references of messages that outlive their session.
func KeepFileUses(ctx context.Context, t *transaction.Tx, workspace, session string) error {
	_, err := t.Write(ctx, "INSERT INTO kept_file_uses ("+fileUseTable.Columns()+") SELECT "+fileUseTable.ColumnsOf("u")+
		" FROM kept_messages k JOIN file_uses u ON u.workspace_id = k.workspace_id AND u.session_id = k.session_id AND u.message_id = k.id "+
		"WHERE k.workspace_id = $1 AND k.session_id = $2", workspace, session)
	if err != nil {
		return fmt.Errorf("keep the files that others begin with: %w", err)
	}
	return nil
}
