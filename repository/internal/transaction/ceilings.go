package transaction

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// Ceiling limits the number of rows of a noun in a workspace: such lists are read whole by the
// prompt, the page and the scheduler, and any holder of a key could otherwise grow them until the
// disk is full. Deleted rows do not count.
type Ceiling struct {
	Most int
	Noun string // plural
	From string // the table, and a condition of the rows that count
}

// Room returns an error if the workspace is at its limit. It must be called in the inserting
// transaction, under the workspace's lock.
func (c Ceiling) Room(ctx context.Context, r sqldb.Reader, workspace string) error {
	return c.RoomFor(ctx, r, workspace, 1)
}

// RoomFor is Room for several more rows.
func (c Ceiling) RoomFor(ctx context.Context, r sqldb.Reader, workspace string, more int) error {
	var n int
	if err := r.Get(ctx, &n, c.query(), workspace, c.Most); err != nil {
		return fmt.Errorf("count the %s: %w", c.Noun, err)
	}
	if n+more > c.Most {
		return domain.Errorf(domain.CodeTooMany, "A workspace has at most %d %s. Nothing was stored: delete some that are not needed.", c.Most, c.Noun)
	}
	return nil
}

// query counts the rows, and stops at the limit.
func (c Ceiling) query() string {
	return "SELECT count(*) FROM (SELECT 1 FROM " + c.From + " AND workspace_id = $1 LIMIT $2) AS few"
}
