package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

type grantRow struct {
	WorkspaceID  string `db:"workspace_id"`
	ID           string `db:"id"`
	AutomationID string `db:"automation_id"`
	Commands     string `db:"commands"`
	ZoneIDs      string `db:"zone_ids"`
	ToolIDs      string `db:"tool_ids"`
	Bounds       string `db:"bounds"`
	MaxPerRun    int    `db:"max_per_run"`
	ExpiresAt    stamp  `db:"expires_at"`
	CreatedBy    string `db:"created_by"`
	CreatedAt    stamp  `db:"created_at"`
	RevokedAt    stamp  `db:"revoked_at"`
	Uses         int64  `db:"uses"`
	UsesInRun    int64  `db:"uses_in_run"`
}

const (
	grantColumns = "workspace_id, id, automation_id, commands, zone_ids, tool_ids, bounds, max_per_run, expires_at, created_by, created_at, revoked_at"
	grantWidth   = 12
	// A grant is used when an execution names it and was not called off.
	grantUse = "(SELECT COUNT(*) FROM executions e WHERE e.workspace_id = g.workspace_id AND e.grant_id = g.id AND e.status <> 'CANCELLED'"
)

func (r *grantRow) grant() (*domain.Grant, error) {
	g := &domain.Grant{
		ID: r.ID, WorkspaceID: r.WorkspaceID, AutomationID: r.AutomationID, Bounds: raw(r.Bounds), MaxPerRun: r.MaxPerRun,
		ExpiresAt: r.ExpiresAt.ptr(), CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.Time, RevokedAt: r.RevokedAt.ptr(),
		Uses: r.Uses, UsesInRun: r.UsesInRun,
	}
	for _, list := range []struct {
		column string
		dest   *[]string
	}{{r.Commands, &g.Commands}, {r.ZoneIDs, &g.ZoneIDs}, {r.ToolIDs, &g.ToolIDs}} {
		read, err := parsed[[]string](list.column)
		if err != nil {
			return nil, fmt.Errorf("read grant %s: %w", r.ID, err)
		}
		*list.dest = *read
	}
	return g, nil
}

// Grants lists a page of an automation's grants, the withdrawn ones too, newest first,
// with how often each was used, and gives the cursor of the next page, "" at the end.
func (s *Store) Grants(ctx context.Context, workspace, automation, cursor string, limit int) ([]*domain.Grant, string, error) {
	before, err := readCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	q := newQuery("SELECT "+prefixed("g", grantColumns)+", "+grantUse+") AS uses, 0 AS uses_in_run FROM grants g "+
		"WHERE g.workspace_id = ? AND g.automation_id = ?", workspace, automation)
	if cursor != "" {
		q.add(" AND (g.created_at, g.id) < (?, ?)", before.Number, before.ID)
	}
	q.add(" ORDER BY g.created_at DESC, g.id DESC")
	rows, next, err := turn(ctx, s.reads, q, limit, func(r *grantRow) cursorKey { return cursorKey{r.CreatedAt.UnixMicro(), "", r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the grants: %w", err)
	}
	all, err := each(rows, (*grantRow).grant)
	return all, next, err
}

// grantsIn are those that are not withdrawn, with the uses in one run.
func grantsIn(ctx context.Context, r reader, workspace, automation, run string) ([]*domain.Grant, error) {
	var rows []grantRow
	err := r.all(ctx, &rows, "SELECT "+prefixed("g", grantColumns)+", "+grantUse+") AS uses, "+grantUse+
		" AND e.session_id = $3) AS uses_in_run FROM grants g WHERE g.workspace_id = $1 AND g.automation_id = $2 AND g.revoked_at IS NULL "+
		"ORDER BY g.created_at, g.id", workspace, automation, run)
	if err != nil {
		return nil, fmt.Errorf("list the grants: %w", err)
	}
	return each(rows, (*grantRow).grant)
}

func (t *tx) writeGrants(ctx context.Context, grants []*domain.Grant) error {
	for _, g := range grants {
		var lists [3]string
		for i, list := range [][]string{g.Commands, g.ZoneIDs, g.ToolIDs} {
			var err error
			if lists[i], err = text(&list); err != nil {
				return err
			}
		}
		_, err := t.insert(ctx, "grants", grantColumns, " ON CONFLICT (workspace_id, id) DO UPDATE SET revoked_at = excluded.revoked_at", grantWidth, []any{
			g.WorkspaceID, g.ID, g.AutomationID, lists[0], lists[1], lists[2], string(g.Bounds), g.MaxPerRun, stampOf(g.ExpiresAt),
			g.CreatedBy, stamp{g.CreatedAt}, stampOf(g.RevokedAt),
		})
		if err != nil {
			return fmt.Errorf("write grant %s: %w", g.ID, err)
		}
	}
	return nil
}
