package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// collection says how one kind of thing is collected: which are due, which of them go, and
// which are looked at again later. The condition on the time is what a row is judged by again
// that somebody else has changed since it was looked at.
type collection struct{ due, remove, keep string }

// collections are files, then contents.
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

// maxCollected bounds what one transaction looks at.
const maxCollected = 200

type dueRow struct {
	WorkspaceID string `db:"workspace_id"`
	ID          string `db:"id"`
}

// PruneFiles deletes the files that no message has referred to for a while, and the contents
// that no file has. What is in use is looked at again a day later.
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
	later := sqldb.At(now.Add(domain.UnusedFileFor))
	err := s.writeUnseen(ctx, workspace, func(t *tx) error {
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
