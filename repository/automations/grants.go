package automations

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

type grantRow struct {
	WorkspaceID  string      `db:"workspace_id,key"`
	ID           string      `db:"id,key"`
	AutomationID string      `db:"automation_id,once"`
	Commands     string      `db:"commands,once"`
	ZoneIDs      string      `db:"zone_ids,once"`
	ToolIDs      string      `db:"tool_ids,once"`
	Bounds       string      `db:"bounds,once"`
	MaxPerRun    int         `db:"max_per_run,once"`
	ExpiresAt    sqldb.Stamp `db:"expires_at,once"`
	CreatedBy    string      `db:"created_by,once"`
	CreatedAt    sqldb.Stamp `db:"created_at,once"`
	RevokedAt    sqldb.Stamp `db:"revoked_at"`
}

// grantUseRow is a grant with its number of uses.
type grantUseRow struct {
	grantRow
	Uses      int64 `db:"uses"`
	UsesInRun int64 `db:"uses_in_run"`
}

var (
	grantTable  = sqldb.NewTable[grantRow]("grants")
	grantUpsert = grantTable.Upsert("")
)

// grantUse counts the executions that name a grant and were not cancelled. The redundant condition
// that a grant is named allows the partial index to be used; without it every execution of the
// workspace would be read.
const grantUse = "(SELECT COUNT(*) FROM executions e WHERE e.workspace_id = g.workspace_id AND e.grant_id = g.id " +
	"AND e.grant_id <> '' AND e.status <> 'CANCELLED'"

func (r *grantUseRow) grant() (*domain.Grant, error) {
	g := &domain.Grant{
		ID: r.ID, WorkspaceID: r.WorkspaceID, AutomationID: r.AutomationID, Bounds: sqldb.RawJSON(r.Bounds), MaxPerRun: r.MaxPerRun,
		ExpiresAt: r.ExpiresAt.Ptr(), CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.Time, RevokedAt: r.RevokedAt.Ptr(),
		Uses: r.Uses, UsesInRun: r.UsesInRun,
	}
	for _, list := range []struct {
		column string
		dest   *[]string
	}{{r.Commands, &g.Commands}, {r.ZoneIDs, &g.ZoneIDs}, {r.ToolIDs, &g.ToolIDs}} {
		read, err := sqldb.DecodeJSON[[]string](list.column)
		if err != nil {
			return nil, fmt.Errorf("read grant %s: %w", r.ID, err)
		}
		*list.dest = *read
	}
	return g, nil
}

// Grants lists a page of an automation's grants, revoked ones included, newest first, each with its
// number of uses. The second result is the cursor of the next page, "" at the end.
func (s *AutomationStore) Grants(ctx context.Context, workspace, automation, cursor string, limit int) ([]*domain.Grant, string, error) {
	before, err := sqldb.ReadCursor(cursor, domain.PrefixGrant)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+grantTable.ColumnsOf("g")+", "+grantUse+") AS uses, 0 AS uses_in_run FROM grants g "+
		"WHERE g.workspace_id = ? AND g.automation_id = ?", workspace, automation)
	if cursor != "" {
		q.Add(" AND (g.created_at, g.id) < (?, ?)", before.Number, before.ID)
	}
	q.Add(" ORDER BY g.created_at DESC, g.id DESC")
	rows, next, err := sqldb.ReadPage(ctx, s.db, q, limit, func(r *grantUseRow) sqldb.Cursor { return sqldb.TimeCursor(r.CreatedAt, r.ID) })
	if err != nil {
		return nil, "", fmt.Errorf("list the grants: %w", err)
	}
	all, err := transaction.Each(rows, (*grantUseRow).grant)
	return all, next, err
}

// GrantsIn lists the grants that are not revoked, with their uses in one run.
func GrantsIn(ctx context.Context, r sqldb.Reader, workspace, automation, run string) ([]*domain.Grant, error) {
	var rows []grantUseRow
	err := r.All(ctx, &rows, "SELECT "+grantTable.ColumnsOf("g")+", "+grantUse+") AS uses, "+grantUse+
		" AND e.session_id = $3) AS uses_in_run FROM grants g WHERE g.workspace_id = $1 AND g.automation_id = $2 AND g.revoked_at IS NULL "+
		"ORDER BY g.created_at, g.id", workspace, automation, run)
	if err != nil {
		return nil, fmt.Errorf("list the grants: %w", err)
	}
	return transaction.Each(rows, (*grantUseRow).grant)
}

func writeGrants(ctx context.Context, t *transaction.Tx, grants []*domain.Grant) error {
	for _, g := range grants {
		var err error
		row := grantRow{
			WorkspaceID: g.WorkspaceID, ID: g.ID, AutomationID: g.AutomationID, Commands: sqldb.JSONOf(&g.Commands, &err),
			ZoneIDs: sqldb.JSONOf(&g.ZoneIDs, &err), ToolIDs: sqldb.JSONOf(&g.ToolIDs, &err), Bounds: string(g.Bounds),
			MaxPerRun: g.MaxPerRun, ExpiresAt: sqldb.AtPtr(g.ExpiresAt), CreatedBy: g.CreatedBy,
			CreatedAt: sqldb.At(g.CreatedAt), RevokedAt: sqldb.AtPtr(g.RevokedAt),
		}
		if err == nil {
			_, err = t.Insert(ctx, grantTable.Rows(row), grantUpsert)
		}
		if err != nil {
			return fmt.Errorf("write grant %s: %w", g.ID, err)
		}
	}
	return nil
}
