package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/userdata"
)

// Load writes whole workspaces in one transaction with the caller's own statements, and indexes
// them for search. fill may run more than once; it returns the ids of the workspaces.
func (s *Store) Load(ctx context.Context, fill func(t *sqldb.Tx) (workspaces []string, err error)) error {
	return s.db.DB.Write(ctx, "", func(inner *sqldb.Tx) error {
		if err := inner.Unhurried(ctx); err != nil {
			return err
		}
		loaded, err := fill(inner)
		if err != nil {
			return err
		}
		t := s.db.Begun(inner)
		for _, id := range loaded {
			if err := userdata.IndexWhole(ctx, userdata.DataIn(t, id)); err != nil {
				return fmt.Errorf("index %s for the search: %w", id, err)
			}
		}
		return nil
	})
}
