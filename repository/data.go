package repository

import (
	"context"
	"errors"
)

// Data is the user's data of one workspace, bound to a transaction or to the read
// pool. Every method sees that workspace alone, and nothing that is deleted.
type Data struct {
	workspace string
	dialect   *dialect
	r         reader
	w         *tx // nil outside a transaction
}

// ReadData gives the committed data of a workspace.
func (s *Store) ReadData(workspace string) *Data {
	return &Data{workspace: workspace, dialect: s.dialect, r: s.reads}
}

// errReadOnly is a mistake in the program: writing needs a transaction.
var errReadOnly = errors.New("write data: this Data is for reading; use WriteData or Act")

// data is the data as a transaction sees and changes it.
func (t *tx) data(workspace string) *Data {
	return &Data{workspace: workspace, dialect: t.d, r: t, w: t}
}

func (d *Data) exec(ctx context.Context, query string, args ...any) (int64, error) {
	if d.w == nil {
		return 0, errReadOnly
	}
	return d.w.exec(ctx, query, args...)
}

// Savepoint runs fn so that its failure undoes what it wrote, and nothing else.
func (d *Data) Savepoint(ctx context.Context, fn func() error) error {
	if d.w == nil {
		return errReadOnly
	}
	return d.w.savepoint(ctx, fn)
}
