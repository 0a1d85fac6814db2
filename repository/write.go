package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// tx is a transaction with what it has learnt of the workspace and of what it makes.
type tx struct {
	*sqldb.Tx
	store       *base
	seen        standing // how the workspace stands, where its row is not locked
	queueLength int64    // of the workspace, when its row was locked; unknownQueue once it changes
	numbered    bool     // it is the workspace's latest change
	created     string   // id of what it made, for the idempotency key
}

// write runs fn in a transaction of a workspace ("" for what belongs to none), notes the
// request's key that it carries out, and commits. fn may run more than once, and must not
// keep what it did the time before. It is the workspace's latest change from then on: who
// has read it before, and decides without a lock, finds that out.
func (s *base) write(ctx context.Context, workspace string, fn func(t *tx) error) error {
	return s.writeUnseen(ctx, workspace, func(t *tx) error {
		if err := fn(t); err != nil || t.numbered || workspace == "" {
			return err
		}
		_, err := t.Write(ctx, "UPDATE workspaces SET last_change_id = $2 WHERE id = $1", workspace, t.ChangeID)
		if err != nil {
			return fmt.Errorf("make it the latest change: %w", err)
		}
		return nil
	})
}

// writeUnseen is write for what no View shows, and no decision looks at.
func (s *base) writeUnseen(ctx context.Context, workspace string, fn func(t *tx) error) error {
	return s.db.Write(ctx, workspace, func(inner *sqldb.Tx) error {
		t := &tx{Tx: inner, store: s}
		if err := fn(t); err != nil {
			return err
		}
		return t.noteApplied(sqldb.Unwatched(ctx), workspace)
	})
}
