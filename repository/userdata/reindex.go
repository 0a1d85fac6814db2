package userdata

import (
	"context"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/search"
)

// reindexTogether is how many workspaces share a transaction: most need no change.
const reindexTogether = 100

// Reindex indexes again the texts that an earlier version tokenized differently. Each transaction marks its workspaces
// as done, so that the next start continues after a crash.
func Reindex(ctx context.Context, db *transaction.DB) error {
	var behind []string
	err := db.All(ctx, &behind, "SELECT id FROM workspaces WHERE search_version < $1 ORDER BY id", search.Version)
	if err != nil {
		return fmt.Errorf("find the texts to re-index: %w", err)
	}
	for ids := range slices.Chunk(behind, reindexTogether) {
		err := db.DB.Write(ctx, "", func(inner *sqldb.Tx) error {
			if err := inner.Unhurried(ctx); err != nil {
				return err
			}
			t := db.Begun(inner)
			for _, id := range ids {
				if err := indexAgain(ctx, DataIn(t, id)); err != nil {
					return fmt.Errorf("index %s for the search: %w", id, err)
				}
				if _, err := t.Write(ctx, "UPDATE workspaces SET search_version = $2 WHERE id = $1", id, search.Version); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
