package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

const (
	// maxImport bounds the lines of a file, which are stored in one transaction.
	maxImport = 10_000
	// maxMistakes bounds what is told about a file.
	maxMistakes = 100
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
	columns, err := tableOf(t)
	if err != nil {
		return nil, err
	}
	wrong := &mistakes{}
	lines, err := openTable(columns, file, wrong)
	if err != nil {
		return nil, err
	}
	found := &Import{tool: tool, typeVersion: t.Version}
	for n := 0; !wrong.enough(); n++ {
		// Checking takes time that no database call bounds.
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("check the entries: %w", err)
		}
		in, ok, err := lines.next(wrong)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if n == maxImport {
			return nil, domain.Errorf(domain.CodeTooLarge, "The file has more than %d lines. Nothing was stored; send it in parts.", maxImport)
		}
		if !ok {
			continue
		}
		entry, err := r.newEntry(&env, tool, t, in, "")
		if err != nil {
			if err := wrong.line(lines, err); err != nil {
				return nil, err
			}
			continue
		}
		found.Entries = append(found.Entries, entry)
	}
	return found, wrong.error()
}

// line tells what the rules found wrong with a line, field by field.
func (m *mistakes) line(r *tableReader, err error) error {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok || known.Code != domain.CodeInvalid {
		return err
	}
	for _, f := range known.Fields {
		if m.enough() {
			return nil
		}
		m.add(r.line, r.table.columnOf(f.Pointer), f.Code, "%s", f.Message)
	}
	return nil
}

// columnOf is the column of the value at a pointer into an entry.
func (t *table) columnOf(pointer string) string {
	path, inData := strings.CutPrefix(pointer, "/data/")
	if !inData {
		return strings.TrimPrefix(strings.TrimPrefix(pointer, "/data"), "/")
	}
	token, _, _ := strings.Cut(path, "/")
	token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	for _, c := range t.columns {
		if c.field == token {
			return c.name
		}
	}
	if t.rest {
		return restColumn
	}
	return token
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
