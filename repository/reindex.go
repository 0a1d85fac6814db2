package repository

import (
	"context"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// reindexTogether is how many workspaces share a transaction: most need no change.
const reindexTogether = 100

// indexAgain re-indexes texts that an earlier version tokenized differently. Each transaction marks
// its workspaces as done, so that the next start continues after a crash.
func (s *Store) indexAgain(ctx context.Context) error {
	var behind []string
	err := s.db.All(ctx, &behind, "SELECT id FROM workspaces WHERE search_version < $1 ORDER BY id", search.Version)
	if err != nil {
		return fmt.Errorf("find the texts to re-index: %w", err)
	}
	for ids := range slices.Chunk(behind, reindexTogether) {
		err := s.db.Write(ctx, "", func(inner *sqldb.Tx) error {
			if err := inner.Unhurried(ctx); err != nil {
				return err
			}
			t := &tx{Tx: inner, store: s.base}
			for _, id := range ids {
				if err := t.data(id).index().recut(ctx); err != nil {
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

// recut re-indexes texts whose tokens changed, and skips the rest.
func (x indexer) recut(ctx context.Context) error {
	tools, err := x.d.Tools(ctx, "")
	if err != nil {
		return err
	}
	for i := range tools {
		if err := x.recutTool(ctx, &tools[i]); err != nil {
			return err
		}
	}
	documents, err := x.d.Documents(ctx)
	if err != nil {
		return err
	}
	for i := range documents {
		if slices.ContainsFunc(search.DocumentRows(&documents[i]), func(r search.Row) bool { return r.Recut() }) {
			if err := x.document(ctx, &documents[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x indexer) recutTool(ctx context.Context, tool *userdata.Tool) error {
	for cursor := ""; ; {
		entries, next, err := x.d.Entries(ctx, userdata.EntryFilter{ToolID: tool.ID, Limit: sqldb.LargestPage, Cursor: cursor})
		if err != nil {
			return err
		}
		var again []*userdata.Entry
		for i := range entries {
			if row, ok := search.EntryRow(&entries[i], tool.ToolType); ok && row.Recut() {
				again = append(again, &entries[i])
			}
		}
		if err := x.changed(ctx, again); err != nil {
			return err
		}
		if next == "" {
			return nil
		}
		cursor = next
	}
}
