package repository

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

type entryRow struct {
	WorkspaceID string `db:"workspace_id"`
	ID          string `db:"id"`
	ToolID      string `db:"tool_id"`
	At          stamp  `db:"at"`
	Data        string `db:"data"`
	Version     int64  `db:"version"`
	SessionID   string `db:"session_id"`
	CreatedAt   stamp  `db:"created_at"`
	UpdatedAt   stamp  `db:"updated_at"`
}

const (
	entryColumns = "workspace_id, id, tool_id, at, data, version, session_id, created_at, updated_at"
	entryWidth   = 9
)

func (r *entryRow) entry() domain.Entry {
	return domain.Entry{
		ID: r.ID, WorkspaceID: r.WorkspaceID, ToolID: r.ToolID, Timestamp: r.At.Time, Data: raw(r.Data), Version: r.Version,
		SessionID: r.SessionID, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
}

// Entries lists a page of a tool's entries by timestamp and gives the cursor of the
// next one, "" at the end.
func (d *Data) Entries(ctx context.Context, f domain.EntryFilter) ([]domain.Entry, string, error) {
	after, err := readCursor(f.Cursor)
	if err != nil {
		return nil, "", err
	}
	q := newQuery("SELECT "+entryColumns+" FROM entries WHERE workspace_id = ? AND tool_id = ? AND deleted_at IS NULL", d.workspace, f.ToolID)
	q.period(f.From, f.Until)
	compare, direction := ">", ""
	if f.Descending {
		compare, direction = "<", " DESC"
	}
	if f.Cursor != "" {
		q.add(" AND (at, id) "+compare+" (?, ?)", after.Number, after.ID)
	}
	q.add(" ORDER BY at" + direction + ", id" + direction + "")
	rows, next, err := turn(ctx, d.r, q, f.Limit, func(r *entryRow) cursorKey { return cursorKey{r.At.UnixMicro(), "", r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the entries: %w", err)
	}
	return values(rows, (*entryRow).entry), next, nil
}

// period bounds the time of an entry; a zero time is no bound.
func (q *query) period(from, until time.Time) {
	if !from.IsZero() {
		q.add(" AND at >= ?", stamp{from})
	}
	if !until.IsZero() {
		q.add(" AND at < ?", stamp{until})
	}
}

// Entry reads one entry.
func (d *Data) Entry(ctx context.Context, id string) (*domain.Entry, error) {
	return one(ctx, d, "entry", "SELECT "+entryColumns+" FROM entries WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL", id, (*entryRow).entry)
}

// InsertEntries stores entries at version 1, all or none, in tools that are there.
func (d *Data) InsertEntries(ctx context.Context, entries []domain.Entry) error {
	if d.w == nil {
		return errReadOnly
	}
	types := map[string]string{}
	args := make([]any, 0, len(entries)*entryWidth)
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
		args = append(args, d.workspace, e.ID, e.ToolID, stamp{e.Timestamp}, string(e.Data), e.Version, e.SessionID,
			stamp{e.CreatedAt}, stamp{e.UpdatedAt})
	}
	if _, err := d.w.insert(ctx, "entries", entryColumns, "", entryWidth, args); err != nil {
		return fmt.Errorf("insert the entries: %w", err)
	}
	return d.indexEntries(ctx, entries, types)
}

// UpdateEntry changes an entry on condition of its version, and bumps it. It stays in
// its tool.
func (d *Data) UpdateEntry(ctx context.Context, e *domain.Entry) error {
	n, err := d.exec(ctx, "UPDATE entries SET at = $4, data = $5, session_id = $6, updated_at = $7, version = version + 1 "+
		"WHERE workspace_id = $1 AND id = $2 AND version = $3 AND deleted_at IS NULL",
		d.workspace, e.ID, e.Version, stamp{e.Timestamp}, string(e.Data), e.SessionID, stamp{e.UpdatedAt})
	if err := d.updated(ctx, n, err, "entries", "entry", e.ID, &e.Version); err != nil {
		return err
	}
	return d.reindexEntry(ctx, e)
}

// DeleteEntries takes entries away, all or none: not_found if one of them is not
// there.
func (d *Data) DeleteEntries(ctx context.Context, ids []string, at time.Time) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for batch := range slices.Chunk(ids, 100) {
		args := []any{d.workspace, stamp{at}}
		for _, id := range batch {
			args = append(args, id)
		}
		n, err := d.exec(ctx, "UPDATE entries SET deleted_at = $2, version = version + 1 WHERE workspace_id = $1 AND deleted_at IS NULL "+
			"AND id IN ("+placeholders(3, len(batch))+")", args...)
		if err != nil {
			return fmt.Errorf("delete the entries: %w", err)
		}
		if n != int64(len(batch)) {
			return domain.NotFound("entry")
		}
		if err := d.unindex(ctx, "id IN ("+placeholders(2, len(batch))+")", args[2:]...); err != nil {
			return err
		}
	}
	return nil
}

// CountEntries counts the entries of a tool.
func (d *Data) CountEntries(ctx context.Context, toolID string) (int64, error) {
	var n int64
	err := d.r.get(ctx, &n, "SELECT COUNT(*) FROM entries WHERE workspace_id = $1 AND tool_id = $2 AND deleted_at IS NULL", d.workspace, toolID)
	if err != nil {
		return 0, fmt.Errorf("count the entries: %w", err)
	}
	return n, nil
}

// Stats computes the statistics of a numeric field over [from, until), in the
// database. Entries in which the field is missing or no number (or one beyond 1e290)
// are left out; Last is
// the latest by time.
func (d *Data) Stats(ctx context.Context, toolID, field string, from, until time.Time) (domain.Stats, error) {
	// MATERIALIZED: each text is read once, not once for each of the figures.
	q := newQuery("WITH numbers AS MATERIALIZED (SELECT at, id, " + fmt.Sprintf(d.dialect.number, "$1") + " AS value FROM entries")
	q.args = append(q.args, field)
	q.add(" WHERE workspace_id = ? AND tool_id = ? AND deleted_at IS NULL", d.workspace, toolID)
	q.period(from, until)
	q.add(") SELECT COUNT(value) AS n, MIN(value) AS low, MAX(value) AS high, AVG(value) AS mean, SUM(value) AS total, " +
		"(SELECT value FROM numbers WHERE value IS NOT NULL ORDER BY at DESC, id DESC LIMIT 1) AS latest FROM numbers WHERE value IS NOT NULL")
	var row struct {
		Count  int64    `db:"n"`
		Min    *float64 `db:"low"`
		Max    *float64 `db:"high"`
		Mean   *float64 `db:"mean"`
		Sum    *float64 `db:"total"`
		Latest *float64 `db:"latest"`
	}
	if err := d.r.get(ctx, &row, q.text(), q.args...); err != nil {
		return domain.Stats{}, fmt.Errorf("compute the statistics: %w", err)
	}
	return domain.Stats{Count: row.Count, Min: row.Min, Max: row.Max, Mean: row.Mean, Sum: row.Sum, Last: row.Latest}, nil
}

// EntriesMadeAt lists the entries of a tool that were made in one call, known by their
// CreatedAt, in the order of their ids.
func (s *Store) EntriesMadeAt(ctx context.Context, workspace, tool string, made time.Time, limit int) ([]*domain.Entry, error) {
	var rows []entryRow
	err := s.reads.all(ctx, &rows, "SELECT "+entryColumns+" FROM entries WHERE workspace_id = $1 AND tool_id = $2 "+
		"AND created_at = $3 AND deleted_at IS NULL ORDER BY id LIMIT $4", workspace, tool, stamp{made}, limit)
	if err != nil {
		return nil, fmt.Errorf("read the entries that were made: %w", err)
	}
	out := make([]*domain.Entry, len(rows))
	for i := range rows {
		entry := rows[i].entry()
		out[i] = &entry
	}
	return out, nil
}
