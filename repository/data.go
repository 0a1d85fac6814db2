package repository

import (
	"context"
	"errors"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// Data is the user's data of one workspace, bound to a transaction or to the read
// pool. Every method sees that workspace alone, and nothing that is deleted.
type Data struct {
	rooms
	dialect *sqldb.Dialect
	search  search.Index
	w       *sqldb.Tx // nil outside a transaction
}

// ReadData gives the committed data of a workspace.
func (s *Store) ReadData(workspace string) *Data {
	return &Data{rooms: rooms{s.db, workspace}, dialect: s.db.Dialect, search: s.search}
}

// errReadOnly is a mistake in the program: writing needs a transaction.
var errReadOnly = errors.New("write data: this Data is for reading; use WriteData or Act")

// data is the data as a transaction sees and changes it.
func (t *tx) data(workspace string) *Data {
	return &Data{rooms: rooms{t, workspace}, dialect: t.store.db.Dialect, search: t.store.search, w: t.Tx}
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

// Savepoint runs fn so that its failure undoes what it wrote, and nothing else.
func (d *Data) Savepoint(ctx context.Context, fn func() error) error {
	if d.w == nil {
		return errReadOnly
	}
	return d.w.Savepoint(ctx, fn)
}
