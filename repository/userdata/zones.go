package userdata

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

var zoneCeiling = transaction.Ceiling{Most: 500, Noun: "zones", From: "zones WHERE deleted_at IS NULL"}

type zoneRow struct {
	WorkspaceID string `db:"workspace_id,key"`
	ID          string `db:"id,key"`
	zoneColumns
	trustColumns
	Version   int64       `db:"version,version"`
	CreatedAt sqldb.Stamp `db:"created_at,once"`
	UpdatedAt sqldb.Stamp `db:"updated_at"`
}

// zoneColumns are those of userdata.ZoneFields, in the same order.
type zoneColumns struct {
	Name              string `db:"name"`
	Description       string `db:"description"`
	Colour            string `db:"colour"`
	Position          int    `db:"position"`
	RequireValidation bool   `db:"require_validation"`
}

var (
	zoneTable  = sqldb.NewTable[zoneRow]("zones")
	zoneUpdate = zoneTable.Update() + " AND deleted_at IS NULL"
)

func zoneRowOf(workspace string, z *userdata.Zone) zoneRow {
	return zoneRow{
		WorkspaceID: workspace, ID: z.ID, zoneColumns: zoneColumns(z.ZoneFields), trustColumns: trustOf(z.Trust), Version: z.Version,
		CreatedAt: sqldb.At(z.CreatedAt), UpdatedAt: sqldb.At(z.UpdatedAt),
	}
}

func (r *zoneRow) zone() userdata.Zone {
	return userdata.Zone{
		ID: r.ID, WorkspaceID: r.WorkspaceID, ZoneFields: userdata.ZoneFields(r.zoneColumns), Trust: r.record(), Version: r.Version,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
}

// Zones lists the zones by position, then name.
func (d *Data) Zones(ctx context.Context) ([]userdata.Zone, error) {
	zones, _, err := d.ZonesPage(ctx, "", noLimit)
	return zones, err
}

// ZonesPage lists a page of the zones. The second result is the cursor of the next page, "" at the
// end.
func (d *Data) ZonesPage(ctx context.Context, cursor string, limit int) ([]userdata.Zone, string, error) {
	q := sqldb.NewQuery("SELECT "+zoneTable.Columns()+" FROM zones WHERE workspace_id = ? AND deleted_at IS NULL", d.workspace)
	var rows []zoneRow
	next, err := byPosition(ctx, d.r, q, cursor, domain.PrefixZone, limit, &rows,
		func(r *zoneRow) sqldb.Cursor { return sqldb.Cursor{Number: int64(r.Position), Name: r.Name, ID: r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the zones: %w", err)
	}
	return transaction.Values(rows, (*zoneRow).zone), next, nil
}

// noLimit makes a page unlimited.
const noLimit = -1

// byPosition reads a page in the order of position, name and id.
func byPosition[R any](
	ctx context.Context, r sqldb.Reader, q *sqldb.Query, cursor, of string, limit int, rows *[]R, key func(*R) sqldb.Cursor,
) (string, error) {
	after, err := sqldb.ReadCursor(cursor, of)
	if err != nil {
		return "", err
	}
	if cursor != "" {
		q.Add(" AND (position, name, id) > (?, ?, ?)", after.Number, after.Name, after.ID)
	}
	q.Add(" ORDER BY position, name, id")
	if limit == noLimit {
		return "", r.All(ctx, rows, q.Text(), q.Args()...)
	}
	var next string
	*rows, next, err = sqldb.ReadPage(ctx, r, q, limit, key)
	return next, err
}

// Zone returns one zone.
func (d *Data) Zone(ctx context.Context, id string) (*userdata.Zone, error) {
	return one(ctx, d, "zone", "SELECT "+zoneTable.Columns()+" FROM zones WHERE workspace_id = $1 AND id = $2 "+
		"AND deleted_at IS NULL", id, (*zoneRow).zone)
}

// InsertZone stores a zone at version 1.
func (d *Data) InsertZone(ctx context.Context, z *userdata.Zone) error {
	if err := zoneCeiling.Room(ctx, d.r, d.workspace); err != nil {
		return err
	}
	z.WorkspaceID, z.Version = d.workspace, 1
	if err := d.insert(ctx, zoneTable.Rows(zoneRowOf(d.workspace, z))); err != nil {
		return fmt.Errorf("insert the zone: %w", err)
	}
	return nil
}

// UpdateZone updates a zone if its version matches, and increments the version.
func (d *Data) UpdateZone(ctx context.Context, z *userdata.Zone) error {
	row := zoneRowOf(d.workspace, z)
	n, err := d.exec(ctx, zoneUpdate, zoneTable.Updated(&row)...)
	return updated(ctx, d, n, err, "zones", "zone", z.ID, &z.Version)
}

// updated turns the result of a conditional update into an error, or increments the version.
func updated(ctx context.Context, d *Data, n int64, err error, table, noun, id string, version *int64) error {
	if err != nil {
		return fmt.Errorf("update the %s: %w", noun, err)
	}
	if n == 0 {
		return transaction.StaleOrGone(ctx, d.r, table, noun, d.workspace, id)
	}
	*version++
	return nil
}

// DeleteZone deletes a zone with its tools and their entries, which record that they were deleted
// with it.
func (d *Data) DeleteZone(ctx context.Context, id string, at time.Time) error {
	const held = "tool_id IN (SELECT t.id FROM tools t WHERE t.workspace_id = $1 AND t.zone_id = $2) AND tool_id <> ''"
	if err := d.index().drop(ctx, held, id); err != nil {
		return err
	}
	for _, query := range []string{
		"UPDATE entries SET deleted_at = $3, deleted_with = $2 WHERE workspace_id = $1 AND deleted_at IS NULL AND tool_id IN " +
			"(SELECT t.id FROM tools t WHERE t.workspace_id = $1 AND t.zone_id = $2 AND t.deleted_at IS NULL)",
		"UPDATE tools SET deleted_at = $3, deleted_with = $2 WHERE workspace_id = $1 AND zone_id = $2 AND deleted_at IS NULL",
	} {
		if _, err := d.exec(ctx, query, d.workspace, id, sqldb.At(at)); err != nil {
			return fmt.Errorf("delete the zone's tools and entries: %w", err)
		}
	}
	return deleted(ctx, d, "zones", "zone", id, at)
}

func deleted(ctx context.Context, d *Data, table, noun, id string, at time.Time) error {
	n, err := d.exec(ctx, "UPDATE "+table+" SET deleted_at = $3, version = version + 1 WHERE workspace_id = $1 AND id = $2 "+
		"AND deleted_at IS NULL",
		d.workspace, id, sqldb.At(at))
	if err != nil {
		return fmt.Errorf("delete the %s: %w", noun, err)
	}
	if n == 0 {
		return domain.NotFound(noun)
	}
	return nil
}
