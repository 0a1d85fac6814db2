package repository

import (
	"context"
	"errors"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// Data is the user's data of one workspace, bound to a transaction or to the read pool. Every
// method is limited to that workspace and to rows that are not deleted.
type Data struct {
	rooms
	dialect *sqldb.Dialect
	search  search.Index
	w       *sqldb.Tx // nil outside a transaction
}

// ReadData returns the committed data of a workspace, read-only.
func (s *Store) ReadData(workspace string) *Data {
	return &Data{rooms: rooms{s.db, workspace}, dialect: s.db.Dialect, search: s.search}
}

// errReadOnly is a programming error: writing needs a transaction.
var errReadOnly = errors.New("write data: this Data is for reading; use WriteData or Act")

// data returns the workspace's data as part of the transaction.
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

// Savepoint runs fn and rolls back only what fn wrote if it fails.
func (d *Data) Savepoint(ctx context.Context, fn func() error) error {
	if d.w == nil {
		return errReadOnly
	}
	return d.w.Savepoint(ctx, fn)
}
