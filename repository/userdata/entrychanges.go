package userdata

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// entryBatch is how many entries one statement updates, so that the number of distinct prepared
// statements stays small.
const entryBatch = 16

// entriesByID reads entries of a tool by their ids. It has no ORDER BY, because PostgreSQL could
// then walk through all entries of the tool.
func entriesByID(ctx context.Context, d *Data, tool string, ids []string) ([]userdata.Entry, error) {
	var entries []userdata.Entry
	for batch := range slices.Chunk(ids, 100) {
		named, args := sqldb.InList(2, batch)
		var rows []entryRow
		err := d.r.All(ctx, &rows, "SELECT "+entryTable.Columns()+" FROM entries WHERE workspace_id = $1 AND deleted_at IS NULL "+
			"AND id "+named, append([]any{d.workspace}, args...)...)
		if err != nil {
			return nil, fmt.Errorf("read the entries: %w", err)
		}
		for i := range rows {
			if rows[i].ToolID == tool {
				entries = append(entries, rows[i].entry())
			}
		}
	}
	return entries, nil
}

// UpdateEntries updates entries, all or none, each if its version matches, and increments the
// versions. Entries cannot move to another tool.
func (d *Data) UpdateEntries(ctx context.Context, entries ...*userdata.Entry) error {
	for batch := range slices.Chunk(entries, entryBatch) {
		args := []any{d.workspace}
		for _, e := range batch {
			row := entryRowOf(d.workspace, e)
			args = append(args, row.ID, row.Version, row.At, row.Data, row.SessionID, row.UpdatedAt, row.Trust, row.Detail)
		}
		n, err := d.exec(ctx, entryUpdate(len(batch)), args...)
		if err != nil {
			return fmt.Errorf("update the entries: %w", err)
		}
		if n != int64(len(batch)) {
			return notUpdated(ctx, d, batch)
		}
	}
	for _, e := range entries {
		e.Version++
	}
	return d.index().changed(ctx, entries)
}

// entryUpdate is the statement that updates n entries. It casts the values that are not text.
func entryUpdate(n int) string {
	var b strings.Builder
	b.WriteString("WITH edits (id, version, at, data, session_id, updated_at, trust, trust_detail) AS (VALUES ")
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		at := 2 + 8*i
		fmt.Fprintf(&b, "($%d, CAST($%d AS BIGINT), CAST($%d AS BIGINT), $%d, $%d, CAST($%d AS BIGINT), $%d, $%d)",
			at, at+1, at+2, at+3, at+4, at+5, at+6, at+7)
	}
	b.WriteString(") UPDATE entries SET at = c.at, data = c.data, session_id = c.session_id, updated_at = c.updated_at, " +
		"trust = c.trust, trust_detail = c.trust_detail, " +
		"version = entries.version + 1 FROM edits AS c WHERE entries.workspace_id = $1 AND entries.id = c.id " +
		"AND entries.version = c.version AND entries.deleted_at IS NULL")
	return b.String()
}

// notUpdated returns the reason why one of the entries was not updated: not_found if it is deleted.
func notUpdated(ctx context.Context, d *Data, entries []*userdata.Entry) error {
	for _, e := range entries {
		if err := transaction.StaleOrGone(ctx, d.r, "entries", "entry", d.workspace, e.ID); !errors.Is(err, domain.ErrStale) {
			return err
		}
	}
	return domain.ErrStale
}
