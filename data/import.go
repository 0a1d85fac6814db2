package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fermata-dev/fermata/data/table"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

const (
	// maxImport bounds the lines of a file, which are stored in one transaction.
	maxImport = 10_000
	// maxImportNamed bounds the stored data of the entries that a file names, whether it
	// changes them or not: it may name many large ones in few bytes.
	maxImportNamed = 32 << 20
	// importBatch is how many lines are held against what is stored at a time.
	importBatch = 50
)

// Import is a file of entries that has been read and found right.
type Import struct {
	Entries   []userdata.Entry // new ones
	Changed   []userdata.Entry // as they will be, at the version that was read
	Unchanged int              // how many are as they were already

	tool        *userdata.Tool
	typeVersion int64
}

// reading is a file that is being read.
type reading struct {
	rules *Rules
	store Store
	env   Env
	tool  *userdata.Tool
	t     *userdata.ToolType
	lines *table.Reader
	found *Import

	count int            // lines
	bytes int            // of the stored data of the entries that were named
	seen  map[string]int // the line of each id
}

// ReadEntries reads a CSV file of entries for a tool: every line is validated against the tool's type, and
// every mistake reported with its line and column. A line with an id changes that entry of the tool, one
// without makes a new one. Nothing is stored yet.
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
	in := &reading{rules: r, store: store, env: env, tool: tool, t: t, lines: lines,
		found: &Import{tool: tool, typeVersion: t.Version}, seen: map[string]int{}}
	for more := true; more; {
		if more, err = in.batch(ctx); err != nil {
			return nil, err
		}
	}
	return in.found, lines.Err()
}

// batch reads and validates some lines; more reports that others may follow.
func (in *reading) batch(ctx context.Context) (more bool, err error) {
	var batch []table.Line
	var end error
	for end == nil && len(batch) < importBatch && !in.lines.Enough() {
		var line table.Line
		if line, end = in.lines.Next(); end != nil {
			break
		}
		if in.count++; in.count > maxImport {
			return false, domain.Errorf(
				domain.CodeTooLarge,
				"The file has more than %d lines. Nothing was stored; send it in parts.",
				maxImport,
			)
		}
		batch = append(batch, line)
	}
	if err := in.check(ctx, batch); err != nil {
		return false, err
	}
	// A broken file ends there; the mistakes have the place.
	if end != nil && !errors.Is(end, io.EOF) && domain.ErrorCode(end) != domain.CodeInvalid {
		return false, end
	}
	return end == nil && !in.lines.Enough(), nil
}

func (in *reading) check(ctx context.Context, batch []table.Line) error {
	stored, err := in.stored(ctx, batch)
	if err != nil {
		return err
	}
	for i := range batch {
		// Checking takes time that no database call bounds.
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("check the entries: %w", err)
		}
		line := &batch[i]
		check := in.change
		if line.ID == "" {
			check = in.add
		}
		if err := check(line, stored); err != nil {
			if err := in.lines.Refuse(line.Number, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// stored are the tool's entries that the lines name, by id.
func (in *reading) stored(ctx context.Context, batch []table.Line) (map[string]*userdata.Entry, error) {
	byID := map[string]*userdata.Entry{}
	var ids []string
	for i := range batch {
		if id := batch[i].ID; id != "" && in.seen[id] == 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return byID, nil
	}
	entries, _, err := in.store.Entries(ctx, userdata.EntryFilter{ToolID: in.tool.ID, IDs: ids})
	if err != nil {
		return nil, fmt.Errorf("read the entries that the file names: %w", err)
	}
	for i := range entries {
		byID[entries[i].ID] = &entries[i]
	}
	return byID, nil
}

func (in *reading) add(line *table.Line, _ map[string]*userdata.Entry) error {
	if !line.OK {
		return nil
	}
	entry, err := in.rules.newEntry(&in.env, in.tool, in.t, line.Entry, "")
	if err != nil {
		return err
	}
	in.found.Entries = append(in.found.Entries, entry)
	return nil
}

// change reads what a line makes of an entry. What is as it was is not checked: it may be
// older than the tool's settings.
func (in *reading) change(line *table.Line, stored map[string]*userdata.Entry) error {
	if first := in.seen[line.ID]; first > 0 {
		return domain.Invalid("/id", "duplicate", "Line %d has this id already. An entry is changed once.", first)
	}
	in.seen[line.ID] = line.Number
	entry := stored[line.ID]
	if entry == nil {
		return domain.Invalid("/id", "unknown", "This tool has no entry with the id %s. An empty cell makes a new one.", jsonbody.Quote(line.ID))
	}
	if in.bytes += len(entry.Data); in.bytes > maxImportNamed {
		return domain.Errorf(domain.CodeTooLarge,
			"The entries that the file names hold more than %d bytes. Nothing was stored; send it in parts.", maxImportNamed)
	}
	if !line.OK {
		return nil
	}
	at := entry.Timestamp
	if line.Entry.Timestamp != "" {
		var err error
		if at, err = entryTime(&in.env, "/timestamp", line.Entry.Timestamp); err != nil {
			return err
		}
	}
	data, err := in.lines.Changed(entry.Data, line.Entry.Data)
	if err != nil {
		return err
	}
	if at.Equal(entry.Timestamp) && bytes.Equal(data, entry.Data) {
		in.found.Unchanged++
		return nil
	}
	if err := in.rules.checkEntry(in.t, in.tool, data); err != nil {
		return err
	}
	entry.Timestamp, entry.Data = at, data
	in.found.Changed = append(in.found.Changed, *entry)
	return nil
}

// StoreEntries stores what was read, all or nothing. The tool, its type and the entries
// that change must be as they were then.
func (r *Rules) StoreEntries(ctx context.Context, store Store, env Env, in *Import) ([]domain.DataChange, error) {
	tool, t, err := r.typedTool(ctx, store, in.tool.ID)
	if err != nil {
		return nil, err
	}
	if tool.Version != in.tool.Version || tool.ToolType != in.tool.ToolType || t.Version != in.typeVersion {
		return nil, domain.Errorf(domain.CodeConflict,
			"The tool or its type was changed while the file was being read. Nothing was stored; send it again.")
	}
	var changes []domain.DataChange
	if len(in.Entries) > 0 {
		if err := store.InsertEntries(ctx, in.Entries); err != nil {
			return nil, fmt.Errorf("insert the entries: %w", err)
		}
		change := entryChange(&env, tool, "", "created", len(in.Entries))
		change.MadeAt = &in.Entries[0].CreatedAt // when the file was read, which is earlier
		changes = append(changes, change)
	}
	if len(in.Changed) > 0 {
		change, err := storeChanged(ctx, store, env, tool, in.Changed)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// storeChanged leaves the entries that were read as they are: the transaction may run again.
func storeChanged(ctx context.Context, store Store, env Env, tool *userdata.Tool, read []userdata.Entry) (domain.DataChange, error) {
	entries := make([]*userdata.Entry, len(read))
	for i := range read {
		entry := read[i]
		entry.UpdatedAt, entry.SessionID = env.Now, env.SessionID
		entries[i] = &entry
	}
	err := store.UpdateEntries(ctx, entries...)
	if errors.Is(err, domain.ErrStale) || domain.ErrorCode(err) == domain.CodeNotFound {
		return domain.DataChange{}, domain.Errorf(domain.CodeConflict,
			"An entry was changed or deleted while the file was being read. Nothing was stored; send it again.")
	}
	if err != nil {
		return domain.DataChange{}, fmt.Errorf("update the entries: %w", err)
	}
	id := ""
	if len(entries) == 1 {
		id = entries[0].ID
	}
	return entryChange(&env, tool, id, "updated", len(entries)), nil
}
