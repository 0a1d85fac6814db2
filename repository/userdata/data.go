package userdata

import (
	"context"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/automations"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/search"
)

// Data is the user's data of one workspace, bound to a transaction or to the read pool. Every
// method is limited to that workspace and to rows that are not deleted.
type Data struct {
	r         sqldb.Reader
	workspace string
	dialect   *sqldb.Dialect
	search    search.Index
	w         *sqldb.Tx // nil outside a transaction
}

// ReadData returns the committed data of a workspace, read-only.
func ReadData(db *transaction.DB, workspace string) *Data {
	return &Data{r: db, workspace: workspace, dialect: db.Dialect, search: db.Search}
}

// errReadOnly is a programming error: writing needs a transaction.
var errReadOnly = errors.New("write data: this Data is for reading; use WriteData or Act")

// DataIn returns the workspace's data as part of the transaction.
func DataIn(t *transaction.Tx, workspace string) *Data {
	return &Data{r: t, workspace: workspace, dialect: t.DB.Dialect, search: t.DB.Search, w: t.Tx}
}

func (d *Data) exec(ctx context.Context, query string, args ...any) (int64, error) {
	if d.w == nil {
		return 0, errReadOnly
	}
	return d.w.Write(ctx, query, args...)
}

func (d *Data) insert(ctx context.Context, rows sqldb.Rows) error {
	if d.w == nil {
		return errReadOnly
	}
	_, err := d.w.Insert(ctx, rows, "")
	return err
}

// Savepoint runs fn and rolls back only what fn wrote if it fails.
func (d *Data) Savepoint(ctx context.Context, fn func() error) error {
	if d.w == nil {
		return errReadOnly
	}
	return d.w.Savepoint(ctx, fn)
}

// RoomForAutomations returns an error if so many more automations would exceed the limit.
func (d *Data) RoomForAutomations(ctx context.Context, more int) error {
	return automations.Ceiling.RoomFor(ctx, d.r, d.workspace, more)
}

// one returns the row with an id.
func one[R, T any](ctx context.Context, d *Data, noun, query, id string, meaning func(*R) T) (*T, error) {
	var row R
	err := d.r.Get(ctx, &row, query, d.workspace, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound(noun)
	}
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", noun, err)
	}
	v := meaning(&row)
	return &v, nil
}
