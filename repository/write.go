package repository

import (
	"context"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// tx is a transaction with what it has learnt of the workspace and of what it makes.
type tx struct {
	*sqldb.Tx
	store       *base
	queueLength int64  // of the workspace, when its row was locked
	created     string // id of what it made, for the idempotency key
}

// write runs fn in a transaction of a workspace ("" for what belongs to none), notes the
// request's key that it carries out, and commits. fn may run more than once, and must not
// keep what it did the time before.
func (s *base) write(ctx context.Context, workspace string, fn func(t *tx) error) error {
	return s.db.Write(ctx, workspace, func(inner *sqldb.Tx) error {
		t := &tx{Tx: inner, store: s}
		if err := fn(t); err != nil {
			return err
		}
		return t.noteApplied(sqldb.Unwatched(ctx), workspace)
	})
}
