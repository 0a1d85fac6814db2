package userdata

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

type entryRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	ID          string      `db:"id,key"`
	ToolID      string      `db:"tool_id,once"`
	At          sqldb.Stamp `db:"at"`
	Data        string      `db:"data"`
	Version     int64       `db:"version,version"`
	SessionID   string      `db:"session_id"`
	CreatedAt   sqldb.Stamp `db:"created_at,once"`
	UpdatedAt   sqldb.Stamp `db:"updated_at"`
	trustColumns
}

var entryTable = sqldb.NewTable[entryRow]("entries")

func entryRowOf(workspace string, e *userdata.Entry) entryRow {
	return entryRow{
		WorkspaceID: workspace, ID: e.ID, ToolID: e.ToolID, At: sqldb.At(e.Timestamp), Data: string(e.Data), Version: e.Version,
		SessionID: e.SessionID, CreatedAt: sqldb.At(e.CreatedAt), UpdatedAt: sqldb.At(e.UpdatedAt),
		trustColumns: trustOf(e.Trust),
	}
}

func (r *entryRow) entry() userdata.Entry {
	return userdata.Entry{
		ID: r.ID, WorkspaceID: r.WorkspaceID, ToolID: r.ToolID, Timestamp: r.At.Time, Data: sqldb.RawJSON(r.Data), Version: r.Version,
		SessionID: r.SessionID, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, Trust: r.record(),
	}
}

// Entries lists a page of a tool's entries by timestamp. The second result is the cursor of the
// next page, "" at the end. If the filter has ids, these entries are listed, in no particular
// order.
func (d *Data) Entries(ctx context.Context, f userdata.EntryFilter) ([]userdata.Entry, string, error) {
	if len(f.IDs) > 0 {
		entries, err := entriesByID(ctx, d, f.ToolID, f.IDs)
		return entries, "", err
	}
	if f.Order != nil {
		return orderedEntries(ctx, d, &f)
	}
	after, err := sqldb.ReadCursor(f.Cursor, domain.PrefixEntry)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT " + entryTable.Columns() + " FROM entries")
	ctx = ofTool(ctx, d, q, d.dialect.JSONFields(q), f.ToolID, f.From, f.Until, f.Conditions)
	compare, direction := ">", ""
	if f.Descending {
		compare, direction = "<", " DESC"
	}
	if f.Cursor != "" {
		q.Add(" AND (at, id) "+compare+" (?, ?)", after.Number, after.ID)
	}
	q.Add(" ORDER BY at" + direction + ", id" + direction)
	rows, next, err := sqldb.ReadPage(ctx, d.r, q, f.Limit, func(r *entryRow) sqldb.Cursor { return sqldb.TimeCursor(r.At, r.ID) })
	if err != nil {
		return nil, "", fmt.Errorf("list the entries: %w", err)
	}
	return transaction.Values(rows, (*entryRow).entry), next, nil
}

// ofTool ends a FROM clause and restricts the query to the entries of a tool. With conditions, the statement has a text of
// its own that is not worth keeping prepared: the context says so.
func ofTool(ctx context.Context, d *Data, q *sqldb.Query, fields *sqldb.JSONFields, tool string, from, until time.Time,
	conditions []userdata.Condition) context.Context {
	conditioned := where(d.dialect, q, fields, conditions)
	q.Add(fields.From())
	q.Add(" WHERE workspace_id = ? AND tool_id = ? AND deleted_at IS NULL", d.workspace, tool)
	period(q, from, until)
	if q.Add(conditioned); len(conditions) > 0 {
		ctx = sqldb.WithoutPreparing(ctx)
	}
	return ctx
}

// period limits the time of an entry; a zero time is no limit.
func period(q *sqldb.Query, from, until time.Time) {
	if !from.IsZero() {
		q.Add(" AND at >= ?", sqldb.At(from))
	}
	if !until.IsZero() {
		q.Add(" AND at < ?", sqldb.At(until))
	}
}

// Entry returns one entry.
func (d *Data) Entry(ctx context.Context, id string) (*userdata.Entry, error) {
	return one(ctx, d, "entry", "SELECT "+entryTable.Columns()+" FROM entries WHERE workspace_id = $1 AND id = $2 "+
		"AND deleted_at IS NULL", id, (*entryRow).entry)
}

// InsertEntries stores entries at version 1, all or none. Their tools must exist.
func (d *Data) InsertEntries(ctx context.Context, entries []userdata.Entry) error {
	if d.w == nil {
		return errReadOnly
	}
	types := map[string]string{}
	rows := make([]entryRow, len(entries))
	for i := range entries {
		e := &entries[i]
		if types[e.ToolID] == "" {
			tool, err := d.Tool(ctx, e.ToolID)
			if err != nil {
				return err
			}
			types[e.ToolID] = tool.ToolType
		}
		e.WorkspaceID, e.Version = d.workspace, 1
		rows[i] = entryRowOf(d.workspace, e)
	}
	if err := d.insert(ctx, entryTable.Rows(rows...)); err != nil {
		return fmt.Errorf("insert the entries: %w", err)
	}
	return d.index().entries(ctx, entries, types)
}

// DeleteEntries deletes entries, all or none: not_found if one of them does not exist.
func (d *Data) DeleteEntries(ctx context.Context, ids []string, at time.Time) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for batch := range slices.Chunk(ids, 100) {
		named, args := sqldb.InList(3, batch)
		n, err := d.exec(ctx, "UPDATE entries SET deleted_at = $2, version = version + 1 WHERE workspace_id = $1 AND deleted_at IS NULL "+
			"AND id "+named, append([]any{d.workspace, sqldb.At(at)}, args...)...)
		if err != nil {
			return fmt.Errorf("delete the entries: %w", err)
		}
		if n != int64(len(batch)) {
			return domain.NotFound("entry")
		}
		if err := d.index().dropIDs(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// CountEntries returns the number of a tool's entries.
func (d *Data) CountEntries(ctx context.Context, toolID string) (int64, error) {
	var n int64
	err := d.r.Get(ctx, &n, "SELECT COUNT(*) FROM entries WHERE workspace_id = $1 AND tool_id = $2 "+
		"AND deleted_at IS NULL", d.workspace, toolID)
	if err != nil {
		return 0, fmt.Errorf("count the entries: %w", err)
	}
	return n, nil
}

// EntriesMadeAt lists the entries of a tool that were created by one call, identified by their
// CreatedAt, in the order of their ids.
func EntriesMadeAt(ctx context.Context, r sqldb.Reader, workspace, tool string, made time.Time, limit int) ([]*userdata.Entry, error) {
	var rows []entryRow
	err := r.All(ctx, &rows, "SELECT "+entryTable.Columns()+" FROM entries WHERE workspace_id = $1 AND tool_id = $2 "+
		"AND created_at = $3 AND deleted_at IS NULL ORDER BY id LIMIT $4", workspace, tool, sqldb.At(made), limit)
	if err != nil {
		return nil, fmt.Errorf("read the entries that were made: %w", err)
	}
	out := make([]*userdata.Entry, len(rows))
	for i := range rows {
		entry := rows[i].entry()
		out[i] = &entry
	}
	return out, nil
}
