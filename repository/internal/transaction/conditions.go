package transaction

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// StaleOrGone returns the reason why a conditional update matched no row.
func StaleOrGone(ctx context.Context, r sqldb.Reader, table, noun, workspace, id string) error {
	live := ""
	if table != "providers" && table != "tool_types" && table != "agents" && table != "connectors" {
		live = " AND deleted_at IS NULL"
	}
	var one int
	err := r.Get(ctx, &one, "SELECT 1 FROM "+table+" WHERE workspace_id = $1 AND id = $2"+live, workspace, id)
	switch {
	case sqldb.NotFound(err):
		return domain.NotFound(noun)
	case err != nil:
		return fmt.Errorf("look for the %s: %w", noun, err)
	}
	return domain.ErrStale
}

// Alive is the condition that the process named by two columns is alive: the same incarnation of
// the node, with a lease that has not expired.
func Alive(d *sqldb.Dialect, node, incarnation string) string {
	return "EXISTS (SELECT 1 FROM nodes n WHERE n.id = " + node + " AND n.incarnation = " + incarnation +
		" AND n.lease_until > " + d.Clock + ")"
}
