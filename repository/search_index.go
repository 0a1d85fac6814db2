package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// index puts rows into the index that are not there.
func (d *Data) index(ctx context.Context, rows []search.Row) error {
	if len(rows) == 0 {
		return nil
	}
	if d.w == nil {
		return errReadOnly
	}
	if err := d.search.Put(ctx, d.w, d.workspace, rows); err != nil {
		return fmt.Errorf("index for the search: %w", err)
	}
	return nil
}

// unindex takes away the rows that a condition names; $1 is the workspace.
func (d *Data) unindex(ctx context.Context, condition string, args ...any) error {
	if d.w == nil {
		return errReadOnly
	}
	err := d.search.Drop(ctx, d.w, "workspace_id = $1 AND "+condition, append([]any{d.workspace}, args...)...)
	if err != nil {
		return fmt.Errorf("take out of the search: %w", err)
	}
	return nil
}

// indexEntries makes new entries of tools of these types (by tool) be found.
func (d *Data) indexEntries(ctx context.Context, entries []domain.Entry, types map[string]string) error {
	rows := make([]search.Row, 0, len(entries))
	for i := range entries {
		if row, ok := search.EntryRow(&entries[i], types[entries[i].ToolID]); ok {
			rows = append(rows, row)
		}
	}
	return d.index(ctx, rows)
}

// reindexEntry makes a changed entry be found as it is now.
func (d *Data) reindexEntry(ctx context.Context, e *domain.Entry) error {
	if err := d.unindex(ctx, "id = $2", e.ID); err != nil {
		return err
	}
	tool, err := d.Tool(ctx, e.ToolID)
	if err != nil {
		return err
	}
	return d.indexEntries(ctx, []domain.Entry{*e}, map[string]string{tool.ID: tool.ToolType})
}

// reindexEntryID makes an entry that came back be found again.
func (d *Data) reindexEntryID(ctx context.Context, id string) error {
	e, err := d.Entry(ctx, id)
	if err != nil {
		return err
	}
	return d.reindexEntry(ctx, e)
}

// reindexTool makes the entries of a tool that came back be found again.
func (d *Data) reindexTool(ctx context.Context, id string) error {
	if err := d.unindex(ctx, "tool_id = $2", id); err != nil {
		return err
	}
	tool, err := d.Tool(ctx, id)
	if err != nil {
		return err
	}
	for cursor := ""; ; {
		entries, next, err := d.Entries(ctx, domain.EntryFilter{ToolID: id, Limit: sqldb.LargestPage, Cursor: cursor})
		if err != nil {
			return err
		}
		if err := d.indexEntries(ctx, entries, map[string]string{id: tool.ToolType}); err != nil {
			return err
		}
		if next == "" {
			return nil
		}
		cursor = next
	}
}

// reindexZone does that for the tools of a zone.
func (d *Data) reindexZone(ctx context.Context, id string) error {
	tools, err := d.Tools(ctx, id)
	if err != nil {
		return err
	}
	for i := range tools {
		if err := d.reindexTool(ctx, tools[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// reindexDocumentID makes a document that came back be found again.
func (d *Data) reindexDocumentID(ctx context.Context, id string) error {
	doc, err := d.DocumentByID(ctx, id)
	if err != nil {
		return err
	}
	return d.reindexDocument(ctx, doc)
}

// reindexDocument makes a document be found as it is now.
func (d *Data) reindexDocument(ctx context.Context, doc *domain.Document) error {
	if err := d.unindex(ctx, "id = $2", doc.ID); err != nil {
		return err
	}
	return d.index(ctx, search.DocumentRows(doc))
}
