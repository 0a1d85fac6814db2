package userdata

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// RestoreZone undoes a deletion since an instant: the zone is restored with the tools and entries
// that were deleted with it, but not those deleted before. false means that the zone was not
// deleted and nothing was done.
func (d *Data) RestoreZone(ctx context.Context, id string, since time.Time) (bool, error) {
	at, err := deletedAt(ctx, d, "zones", "zone", id, since)
	if err != nil || at.IsZero() {
		return false, err
	}
	if err := zoneCeiling.Room(ctx, d.r, d.workspace); err != nil {
		return false, err
	}
	return restore(ctx, d, id, at, d.index().zone, []string{
		"UPDATE zones SET deleted_at = NULL, version = version + 1 WHERE workspace_id = $1 AND id = $2 AND deleted_at = $3",
		"UPDATE tools SET deleted_at = NULL, deleted_with = NULL WHERE workspace_id = $1 AND deleted_with = $2 AND deleted_at = $3",
		"UPDATE entries SET deleted_at = NULL, deleted_with = NULL WHERE workspace_id = $1 AND deleted_with = $2 AND deleted_at = $3",
	})
}

// RestoreTool undoes a deletion since an instant, with the entries that were deleted with the tool.
// Its zone must exist.
func (d *Data) RestoreTool(ctx context.Context, id string, since time.Time) (bool, error) {
	at, err := deletedAt(ctx, d, "tools", "tool", id, since)
	if err != nil || at.IsZero() {
		return false, err
	}
	if err := toolCeiling.Room(ctx, d.r, d.workspace); err != nil {
		return false, err
	}
	if err := parentThere(ctx, d, "tool", "zone", "SELECT z.name, z.deleted_at FROM tools t JOIN zones z "+
		"ON z.workspace_id = t.workspace_id AND z.id = t.zone_id WHERE t.workspace_id = $1 AND t.id = $2", id); err != nil {
		return false, err
	}
	return restore(ctx, d, id, at, d.index().tool, []string{
		"UPDATE tools SET deleted_at = NULL, deleted_with = NULL, version = version + 1 WHERE workspace_id = $1 AND id = $2 AND deleted_at = $3",
		"UPDATE entries SET deleted_at = NULL, deleted_with = NULL WHERE workspace_id = $1 AND deleted_with = $2 AND deleted_at = $3",
	})
}

// RestoreEntry undoes a deletion since an instant. The entry's tool must exist.
func (d *Data) RestoreEntry(ctx context.Context, id string, since time.Time) (bool, error) {
	at, err := deletedAt(ctx, d, "entries", "entry", id, since)
	if err != nil || at.IsZero() {
		return false, err
	}
	if err := parentThere(ctx, d, "entry", "tool", "SELECT t.name, t.deleted_at FROM entries e JOIN tools t "+
		"ON t.workspace_id = e.workspace_id AND t.id = e.tool_id WHERE e.workspace_id = $1 AND e.id = $2", id); err != nil {
		return false, err
	}
	return restore(ctx, d, id, at, d.index().entryID, []string{
		"UPDATE entries SET deleted_at = NULL, deleted_with = NULL, version = version + 1 WHERE workspace_id = $1 AND id = $2 " +
			"AND deleted_at = $3",
	})
}

// RestoreDocument undoes a deletion since an instant. It returns a conflict if another document has
// the key now.
func (d *Data) RestoreDocument(ctx context.Context, id string, since time.Time) (bool, error) {
	at, err := deletedAt(ctx, d, "documents", "document", id, since)
	if err != nil || at.IsZero() {
		return false, err
	}
	if err := documentCeiling.Room(ctx, d.r, d.workspace); err != nil {
		return false, err
	}
	var taken int
	err = d.r.Get(ctx, &taken, "SELECT COUNT(*) FROM documents there JOIN documents gone ON gone.workspace_id = there.workspace_id "+
		"AND gone.key = there.key "+
		"WHERE gone.workspace_id = $1 AND gone.id = $2 AND there.deleted_at IS NULL", d.workspace, id)
	if err != nil {
		return false, fmt.Errorf("look for the document's key: %w", err)
	}
	if taken > 0 {
		return false, domain.Errorf(
			domain.CodeConflict,
			"Another document has its key by now. Nothing was changed; delete that one first, "+
				"or keep it.",
		)
	}
	return restore(ctx, d, id, at, d.index().documentID, []string{
		"UPDATE documents SET deleted_at = NULL, version = version + 1 WHERE workspace_id = $1 AND id = $2 AND deleted_at = $3",
	})
}

// deletedAt returns when a row was deleted, zero if it was not.
func deletedAt(ctx context.Context, d *Data, table, noun, id string, since time.Time) (sqldb.Stamp, error) {
	var at sqldb.Stamp
	err := d.r.Get(ctx, &at, "SELECT deleted_at FROM "+table+" WHERE workspace_id = $1 AND id = $2", d.workspace, id)
	switch {
	case sqldb.NotFound(err):
		return at, domain.NotFound(noun)
	case err != nil:
		return at, fmt.Errorf("look for the deleted %s: %w", noun, err)
	case !at.IsZero() && at.Before(since):
		return at, domain.Errorf(domain.CodeRestoreExpired, "The %s was deleted on %s. A deletion can be undone for %d days; "+
			"nothing was changed.",
			noun, at.Format(time.DateOnly), int(userdata.UndoWithin.Hours()/24))
	}
	return at, nil
}

// parentThere returns an error if the parent of the restored row is itself deleted.
func parentThere(ctx context.Context, d *Data, noun, parent, query, id string) error {
	var row struct {
		Name      string      `db:"name"`
		DeletedAt sqldb.Stamp `db:"deleted_at"`
	}
	if err := d.r.Get(ctx, &row, query, d.workspace, id); err != nil {
		return fmt.Errorf("read the %s of the %s: %w", parent, noun, err)
	}
	if row.DeletedAt.IsZero() {
		return nil
	}
	return domain.Errorf(
		domain.CodeParentDeleted,
		"The %s %q, which held this %s, is deleted too. Nothing was changed; restore the %s first.",
		parent,
		row.Name,
		noun,
		parent,
	)
}

// restore undeletes the rows that the queries select, and re-indexes them.
func restore(ctx context.Context, d *Data, id string, at sqldb.Stamp, reindex func(context.Context, string) error, queries []string) (
	bool, error,
) {
	for _, query := range queries {
		if _, err := d.exec(ctx, query, d.workspace, id, at); err != nil {
			return false, fmt.Errorf("undo a deletion: %w", err)
		}
	}
	return true, reindex(ctx, id)
}
