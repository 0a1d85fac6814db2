package data

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/fermata-dev/fermata/data/table"
	"github.com/fermata-dev/fermata/domain"
)

const (
	// maxImport bounds the lines of a file, which are stored in one transaction.
	maxImport = 10_000
	// exportPage is how many entries of a file are held in memory.
	exportPage = 500
)

// Import is a file of entries that has been read and found right.
type Import struct {
	Entries []domain.Entry

	tool        *domain.Tool
	typeVersion int64
}

// ReadEntries reads a CSV file of entries for a tool: every line is held to the tool's
// type, and every mistake told with its line and column. Nothing is stored yet. The
// column id is not read: the entries are new ones.
func (r *Rules) ReadEntries(ctx context.Context, store Store, env Env, toolID string, file io.Reader) (*Import, error) {
	tool, t, err := r.typedTool(ctx, store, toolID)
	if err != nil {
		return nil, err
	}
	columns, err := table.Of(t)
	if err != nil {
		return nil, err
	}
	lines, err := table.Open(columns, file)
	if err != nil {
		return nil, err
	}
	found := &Import{tool: tool, typeVersion: t.Version}
	for n := 0; !lines.Enough(); n++ {
		// Checking takes time that no database call bounds.
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("check the entries: %w", err)
		}
		in, ok, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if n == maxImport {
			return nil, domain.Errorf(
				domain.CodeTooLarge,
				"The file has more than %d lines. Nothing was stored; send it in parts.",
				maxImport,
			)
		}
		if !ok {
			continue
		}
		entry, err := r.newEntry(&env, tool, t, in, "")
		if err != nil {
			if err := lines.Refuse(err); err != nil {
				return nil, err
			}
			continue
		}
		found.Entries = append(found.Entries, entry)
	}
	return found, lines.Err()
}

// StoreEntries stores what was read, all or nothing. The tool and its type must be as
// they were then.
func (r *Rules) StoreEntries(ctx context.Context, store Store, env Env, in *Import) ([]domain.DataChange, error) {
	tool, t, err := r.typedTool(ctx, store, in.tool.ID)
	if err != nil {
		return nil, err
	}
	if tool.Version != in.tool.Version || tool.ToolType != in.tool.ToolType || t.Version != in.typeVersion {
		return nil, domain.Errorf(domain.CodeConflict,
			"The tool or its type was changed while the file was being read. Nothing was stored; send it again.")
	}
	if len(in.Entries) == 0 {
		return nil, nil
	}
	if err := store.InsertEntries(ctx, in.Entries); err != nil {
		return nil, fmt.Errorf("insert the entries: %w", err)
	}
	change := entryChange(&env, tool, "", "created", len(in.Entries))
	change.MadeAt = &in.Entries[0].CreatedAt // when the file was read, which is earlier
	return []domain.DataChange{change}, nil
}

// ExportEntries writes the entries of a tool as CSV, page by page. filter's limit is
// not used. After an error in midst of it, what is written is no whole file.
func (r *Rules) ExportEntries(ctx context.Context, store Store, filter domain.EntryFilter, out io.Writer) error {
	_, t, err := r.typedTool(ctx, store, filter.ToolID)
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
