package data

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"

	"github.com/fermata-dev/fermata/data/table"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// exportPage is how many entries of a file are held in memory.
const exportPage = 500

// ExportEntries writes the entries of a tool as CSV, page by page. The query's limit and fields are not used. After an
// error in the middle, what was written is not a whole file.
func (r *Rules) ExportEntries(ctx context.Context, store Store, query userdata.EntryQuery, out io.Writer) error {
	_, t, err := r.typedTool(ctx, store, query.ToolID)
	if err != nil {
		return err
	}
	query.Fields = nil
	filter, _, err := Filter(t, &query)
	if err != nil {
		return err
	}
	columns, err := table.Of(t)
	if err != nil {
		return err
	}
	lines := csv.NewWriter(out)
	filter.Limit = exportPage
	for begun := false; !begun || filter.Cursor != ""; begun = true {
		page, next, err := store.Entries(ctx, filter)
		if err != nil {
			return fmt.Errorf("read the entries: %w", err)
		}
		if err := columns.Write(lines, page, !begun); err != nil {
			return err
		}
		filter.Cursor = next
	}
	return nil
}
