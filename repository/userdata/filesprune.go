package userdata

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// collection has the statements that collect one kind of row: which rows are due, which of them are
// removed, and which are checked again later. The condition on the time is evaluated again for a
// row that changed since it was selected.
type collection struct{ due, remove, keep string }

// Files are collected before contents.
var collections = []collection{
	{
		due: "SELECT workspace_id, id FROM files WHERE collect_after <= $1 ORDER BY collect_after, workspace_id, id LIMIT $2",
		remove: "DELETE FROM files WHERE workspace_id = $1 AND id = $2 AND collect_after <= $3 AND NOT EXISTS " +
			"(SELECT 1 FROM file_uses u WHERE u.workspace_id = $1 AND u.file_id = $2) AND NOT EXISTS " +
			"(SELECT 1 FROM kept_file_uses k WHERE k.workspace_id = $1 AND k.file_id = $2)",
		keep: "UPDATE files SET collect_after = $4 WHERE workspace_id = $1 AND id = $2 AND collect_after <= $3",
	},
	{
		due: "SELECT workspace_id, sha256 AS id FROM file_contents WHERE collect_after <= $1 ORDER BY collect_after, workspace_id, sha256 LIMIT $2",
		remove: "DELETE FROM file_contents WHERE workspace_id = $1 AND sha256 = $2 AND collect_after <= $3 AND NOT EXISTS " +
			"(SELECT 1 FROM files f WHERE f.workspace_id = $1 AND f.sha256 = $2)",
		keep: "UPDATE file_contents SET collect_after = $4 WHERE workspace_id = $1 AND sha256 = $2 AND collect_after <= $3",
	},
}

// maxCollected limits how many rows one transaction processes.
const maxCollected = 200

type dueRow struct {
	WorkspaceID string `db:"workspace_id"`
	ID          string `db:"id"`
}

// PruneFiles deletes files that no message has referred to for a while, and contents that no file
// has. Rows in use are checked again a day later.
func (s *FileStore) PruneFiles(ctx context.Context, now time.Time) error {
	for _, c := range collections {
		for {
			var due []dueRow
			if err := s.db.All(ctx, &due, c.due, sqldb.At(now), maxCollected); err != nil {
				return fmt.Errorf("look for files that nothing refers to: %w", err)
			}
			for workspace, ids := range byWorkspace(due) {
				if err := s.collect(ctx, workspace, ids, c, now); err != nil {
					return err
				}
			}
			if len(due) < maxCollected {
				break
			}
		}
	}
	return nil
}

func byWorkspace(due []dueRow) map[string][]string {
	ids := map[string][]string{}
	for _, r := range due {
		ids[r.WorkspaceID] = append(ids[r.WorkspaceID], r.ID)
	}
	return ids
}

func (s *FileStore) collect(ctx context.Context, workspace string, ids []string, c collection, now time.Time) error {
	later := sqldb.At(now.Add(userdata.UnusedFileFor))
	err := s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
		for _, id := range ids {
			n, err := t.Write(ctx, c.remove, workspace, id, sqldb.At(now))
			if err == nil && n == 0 {
				_, err = t.Write(ctx, c.keep, workspace, id, sqldb.At(now), later)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("collect the files of workspace %s: %w", workspace, err)
	}
	return nil
}
