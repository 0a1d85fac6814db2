package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// Load writes whole workspaces in one transaction with the caller's own statements, and indexes
// them for search. fill may run more than once; it returns the ids of the workspaces.
func (s *Store) Load(ctx context.Context, fill func(t *sqldb.Tx) (workspaces []string, err error)) error {
	return s.db.Write(ctx, "", func(inner *sqldb.Tx) error {
		if err := inner.Unhurried(ctx); err != nil {
			return err
		}
		loaded, err := fill(inner)
		if err != nil {
			return err
		}
		t := &tx{Tx: inner, store: s.base}
		for _, id := range loaded {
			if err := t.data(id).index().all(ctx); err != nil {
				return fmt.Errorf("index %s for the search: %w", id, err)
			}
		}
		return nil
	})
}

// all indexes the whole workspace.
func (x indexer) all(ctx context.Context) error {
	tools, err := x.d.Tools(ctx, "")
	if err != nil {
		return err
	}
	for i := range tools {
		if err := x.tool(ctx, tools[i].ID); err != nil {
			return err
		}
	}
	documents, err := x.d.Documents(ctx)
	if err != nil {
		return err
	}
	for i := range documents {
		if err := x.document(ctx, &documents[i]); err != nil {
			return err
		}
	}
	return nil
}
