package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// PruneDeleted permanently deletes what was soft-deleted before an instant: entries first, then
// their parents.
func (s *Store) PruneDeleted(ctx context.Context, before time.Time) error {
	var workspaces []string
	err := s.db.All(ctx, &workspaces, "SELECT DISTINCT workspace_id FROM entries WHERE deleted_at < $1 UNION "+
		"SELECT workspace_id FROM tools WHERE deleted_at < $1 UNION SELECT workspace_id FROM zones WHERE deleted_at < $1 UNION "+
		"SELECT workspace_id FROM documents WHERE deleted_at < $1", sqldb.At(before))
	if err != nil {
		return fmt.Errorf("look for rows to prune: %w", err)
	}
	for _, workspace := range workspaces {
		for _, query := range []string{
			"DELETE FROM entries WHERE workspace_id = $1 AND id IN (SELECT e.id FROM entries e " +
				"WHERE e.workspace_id = $1 AND e.deleted_at < $2 ORDER BY e.deleted_at, e.id LIMIT $3)",
			"DELETE FROM tools WHERE workspace_id = $1 AND id IN (SELECT t.id FROM tools t WHERE t.workspace_id = $1 AND t.deleted_at < $2 " +
				// Two conditions, each of which has an index.
				"AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.workspace_id = $1 AND e.tool_id = t.id AND e.deleted_at IS NULL) " +
				"AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.workspace_id = $1 AND e.tool_id = t.id AND e.deleted_at IS NOT NULL) LIMIT $3)",
			"DELETE FROM zones WHERE workspace_id = $1 AND id IN (SELECT z.id FROM zones z WHERE z.workspace_id = $1 AND z.deleted_at < $2 " +
				"AND NOT EXISTS (SELECT 1 FROM tools t WHERE t.workspace_id = $1 AND t.zone_id = z.id) LIMIT $3)",
			"DELETE FROM documents WHERE workspace_id = $1 AND id IN (SELECT d.id FROM documents d WHERE d.workspace_id = $1 " +
				"AND d.deleted_at < $2 LIMIT $3)",
		} {
			if err := s.pruneAll(ctx, workspace, query, before); err != nil {
				return err
			}
		}
	}
	return nil
}

// pruneAll repeats a deletion until it finds no more rows.
func (s *base) pruneAll(ctx context.Context, workspace, query string, before time.Time) error {
	for n := int64(transaction.MaxPruned); n == transaction.MaxPruned; {
		err := s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
			var err error
			n, err = t.Write(ctx, query, workspace, sqldb.At(before), transaction.MaxPruned)
			return err
		})
		if err != nil {
			return fmt.Errorf("delete for good in workspace %s: %w", workspace, err)
		}
	}
	return nil
}
