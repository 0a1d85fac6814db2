package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// tx is a transaction with the state of its workspace and of its writes.
type tx struct {
	*sqldb.Tx
	store       *base
	seen        workspaceState // the state of the workspace, if its row is not locked
	queueLength int64          // of the workspace when its row was locked; unknownQueue once it changes
	numbered    bool           // it is the workspace's latest change
	created     string         // id of what it created, for the idempotency key
}

// write runs fn in a transaction of a workspace ("" for what belongs to none), marks the request's
// idempotency key as applied, and commits. fn may run more than once and must not keep state
// between runs. The transaction becomes the workspace's latest change, which invalidates decisions
// that were based on earlier reads without a lock.
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

// writeUnseen is write for data that no View contains and no decision reads.
func (s *base) writeUnseen(ctx context.Context, workspace string, fn func(t *tx) error) error {
	return s.db.Write(ctx, workspace, func(inner *sqldb.Tx) error {
		t := &tx{Tx: inner, store: s}
		if err := fn(t); err != nil {
			return err
		}
		return t.noteApplied(sqldb.Unwatched(ctx), workspace)
	})
}
