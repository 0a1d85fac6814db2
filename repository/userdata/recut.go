package userdata

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// IndexWhole indexes the whole workspace.
func IndexWhole(ctx context.Context, d *Data) error {
	x := d.index()
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

// indexAgain re-indexes texts whose tokens changed, and skips the rest.
func indexAgain(ctx context.Context, d *Data) error {
	x := d.index()
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
