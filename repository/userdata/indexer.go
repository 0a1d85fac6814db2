package userdata

import (
	"context"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// indexer keeps the search index in step with the user's data, within the same transaction.
type indexer struct{ d *Data }

func (d *Data) index() indexer { return indexer{d} }

// put inserts rows into the index.
func (x indexer) put(ctx context.Context, rows []search.Row) error {
	if len(rows) == 0 {
		return nil
	}
	if x.d.w == nil {
		return errReadOnly
	}
	if err := x.d.search.Put(ctx, x.d.w, x.d.workspace, rows); err != nil {
		return fmt.Errorf("index for the search: %w", err)
	}
	return nil
}

// drop deletes the rows that match a condition; $1 is the workspace.
func (x indexer) drop(ctx context.Context, condition string, args ...any) error {
	if x.d.w == nil {
		return errReadOnly
	}
	err := x.d.search.Drop(ctx, x.d.w, "workspace_id = $1 AND "+condition, append([]any{x.d.workspace}, args...)...)
	if err != nil {
		return fmt.Errorf("take out of the search: %w", err)
	}
	return nil
}

// dropIDs deletes rows by their ids.
func (x indexer) dropIDs(ctx context.Context, ids []string) error {
	named, args := sqldb.InList(2, ids)
	return x.drop(ctx, "id "+named, args...)
}

// entries indexes new entries; types maps tools to their types.
func (x indexer) entries(ctx context.Context, entries []userdata.Entry, types map[string]string) error {
	rows := make([]search.Row, 0, len(entries))
	for i := range entries {
		if row, ok := search.EntryRow(&entries[i], types[entries[i].ToolID]); ok {
			rows = append(rows, row)
		}
	}
	return x.put(ctx, rows)
}

// changed re-indexes entries after a change.
func (x indexer) changed(ctx context.Context, entries []*userdata.Entry) error {
	types := map[string]string{}
	for batch := range slices.Chunk(entries, 100) {
		ids, are := make([]string, len(batch)), make([]userdata.Entry, len(batch))
		for i, e := range batch {
			ids[i], are[i] = e.ID, *e
			if types[e.ToolID] == "" {
				tool, err := x.d.Tool(ctx, e.ToolID)
				if err != nil {
					return err
				}
				types[e.ToolID] = tool.ToolType
			}
		}
		if err := x.dropIDs(ctx, ids); err != nil {
			return err
		}
		if err := x.entries(ctx, are, types); err != nil {
			return err
		}
	}
	return nil
}

// entryID indexes a restored entry.
func (x indexer) entryID(ctx context.Context, id string) error {
	e, err := x.d.Entry(ctx, id)
	if err != nil {
		return err
	}
	return x.changed(ctx, []*userdata.Entry{e})
}

// tool indexes the entries of a restored tool.
func (x indexer) tool(ctx context.Context, id string) error {
	if err := x.drop(ctx, "tool_id = $2 AND tool_id <> ''", id); err != nil {
		return err
	}
	tool, err := x.d.Tool(ctx, id)
	if err != nil {
		return err
	}
	for cursor := ""; ; {
		entries, next, err := x.d.Entries(ctx, userdata.EntryFilter{ToolID: id, Limit: sqldb.LargestPage, Cursor: cursor})
		if err != nil {
			return err
		}
		if err := x.entries(ctx, entries, map[string]string{id: tool.ToolType}); err != nil {
			return err
		}
		if next == "" {
			return nil
		}
		cursor = next
	}
}

// zone indexes the entries of a restored zone.
func (x indexer) zone(ctx context.Context, id string) error {
	tools, err := x.d.Tools(ctx, id)
	if err != nil {
		return err
	}
	for i := range tools {
		if err := x.tool(ctx, tools[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// documentID indexes a restored document.
func (x indexer) documentID(ctx context.Context, id string) error {
	doc, err := x.d.DocumentByID(ctx, id)
	if err != nil {
		return err
	}
	return x.document(ctx, doc)
}

// document re-indexes a document after a change.
func (x indexer) document(ctx context.Context, doc *userdata.Document) error {
	if err := x.drop(ctx, "id = $2", doc.ID); err != nil {
		return err
	}
	return x.put(ctx, search.DocumentRows(doc))
}
