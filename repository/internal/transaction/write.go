package transaction

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// DB is the database with what all stores need to know about their process.
type DB struct {
	*sqldb.DB

	// Node names this process among those that share the database; Incarnation is random for each
	// start.
	Node, Incarnation string
	Clock             clock.Clock
	NewID             domain.IDSource
	Search            search.Index
	// OnCommitted is called after each commit that wrote events. Optional.
	OnCommitted func(*domain.Change)
}

// Committed reports a change that was committed.
func (db *DB) Committed(c *domain.Change) {
	if db.OnCommitted != nil {
		db.OnCommitted(c)
	}
}

// Tx is a transaction with the state of its workspace and of its writes.
type Tx struct {
	*sqldb.Tx

	DB          *DB
	Seen        State  // the state of the workspace, if its row is not locked
	QueueLength int64  // of the workspace when its row was locked; UnknownQueue once it changes
	Numbered    bool   // it is the workspace's latest change
	Created     string // id of what it created, for the idempotency key
}

// Begun makes a transaction of the database one of the stores.
func (db *DB) Begun(inner *sqldb.Tx) *Tx { return &Tx{Tx: inner, DB: db} }

// Write runs fn in a transaction of a workspace ("" for what belongs to none), marks the request's
// idempotency key as applied, and commits. fn may run more than once and must not keep state
// between runs. The transaction becomes the workspace's latest change, which invalidates decisions
// that were based on earlier reads without a lock.
func (db *DB) Write(ctx context.Context, workspace string, fn func(t *Tx) error) error {
	return db.WriteUnseen(ctx, workspace, func(t *Tx) error {
		if err := fn(t); err != nil || t.Numbered || workspace == "" {
			return err
		}
		_, err := t.Write(ctx, "UPDATE workspaces SET last_change_id = $2 WHERE id = $1", workspace, t.ChangeID)
		if err != nil {
			return fmt.Errorf("make it the latest change: %w", err)
		}
		return nil
	})
}

// WriteUnseen is Write for data that no View contains and no decision reads.
func (db *DB) WriteUnseen(ctx context.Context, workspace string, fn func(t *Tx) error) error {
	return db.DB.Write(ctx, workspace, func(inner *sqldb.Tx) error {
		t := db.Begun(inner)
		if err := fn(t); err != nil {
			return err
		}
		return t.NoteApplied(sqldb.Unwatched(ctx), workspace)
	})
}

// Configure changes the configuration of a workspace, under its lock.
func (db *DB) Configure(ctx context.Context, workspace string, fn func(t *Tx) error) error {
	return db.Write(ctx, workspace, func(t *Tx) error {
		if _, err := WorkspaceIn(ctx, t, workspace, db.Dialect.Lock); err != nil {
			return err
		}
		return fn(t)
	})
}

// MaxPruned limits how many rows one transaction deletes permanently.
const MaxPruned = 1000
