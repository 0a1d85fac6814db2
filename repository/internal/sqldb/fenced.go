package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/lib/pq"

	"github.com/fermata-dev/fermata/domain"
)

// Fences reports whether the database supports fenced statements: single statements that commit
// themselves. For a SQLite file a transaction costs no round trips, so it does not; and without
// prepared statements a statement is not a single one on the wire (readPool.pinned).
func (db *DB) Fences() bool { return db.Dialect.joins && !db.cfg.Unprepared }

// WriteFenced writes what fn gathers as one statement that commits itself, provided the workspace's
// latest change is still seen, and reports whether it did. fn sets Seq to the number of its last
// event. If another process wrote meanwhile, or a single statement is not enough, it returns false:
// certainly nothing was written, and never will be. An error means that the outcome is unknown, or
// that the caller's context ended before anything was written.
func (db *DB) WriteFenced(ctx context.Context, workspace, seen string, fn func(t *Tx) error) (done bool, err error) {
	t := db.newTx(gathering{})
	defer func() {
		cause := err
		if !done && err == nil {
			cause = errNotCommitted
		}
		t.settled(cause)
	}()
	if err := fn(t); err != nil || t.Seq == 0 {
		return false, nil // under the lock the error is more precise
	}
	key, ok := fencedKey(t.updates, t.pending)
	if !ok {
		return false, nil
	}
	text := db.texts.of(key, func() string { return fencedSQL(t.updates, t.pending) })
	fence := &fence{ctx: ctx, seen: seen}
	args := append(make([]any, 0, 128), workspace, t.Seq, t.ChangeID, fence)
	for i := range t.updates {
		args = append(args, t.updates[i].args...)
	}
	for i := range t.pending {
		args = append(args, t.pending[i].args...)
	}
	n, err := db.send(ctx, text, args)
	switch {
	case err == nil && n == 1 && ctx.Err() == nil:
		return true, nil
	case ctx.Err() != nil && (fence.sent == 0 || fence.sent == 1 && refused(err)):
		return false, fmt.Errorf("write: %w", context.Cause(ctx))
	case fence.sent == 0, fence.sent == 1 && (err == nil && n == 0 || refused(err)):
		return false, nil
	}
	// Either the reply is missing; or it belongs to a repeated send of the same statement, the
	// first of which may have passed the fence or may still do so; or the context ended while the
	// server waited for its synchronous standby: when cancelled, it stops waiting and reports
	// success, although the standby may not have the commit.
	return db.settleFenced(ctx, t, workspace, err)
}

// refused reports that the server itself replied that it rolled back the statement.
func refused(err error) bool {
	e := pq.As(err)
	return e != nil && e.Severity == "ERROR"
}

// fence is the value of the condition, and counts how often it was sent: database/sql evaluates it
// when it has a connection and is about to send the statement, once per send.
type fence struct {
	ctx  context.Context
	seen string
	sent int
}

// Value implements driver.Valuer.
func (f *fence) Value() (driver.Value, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	f.sent++
	return f.seen, nil
}

// send executes a fenced statement and returns the number of its rows. If ctx ends while it waits
// for another transaction's lock, it is cancelled on the server, which reports whether it was.
func (db *DB) send(ctx context.Context, text string, args []any) (int64, error) {
	db.stmts.prepare(ctx, []string{text})
	stmt := db.stmts.find(text)
	if stmt == nil {
		return 0, ErrNeedsTransaction
	}
	var n int64
	err := db.commit(func() error {
		result, err := stmt.ExecContext(ctx, args...)
		if err != nil {
			return fmt.Errorf("write the rest of the change: %w", err)
		}
		if n, err = result.RowsAffected(); err != nil {
			return fmt.Errorf("count what was written: %w", err)
		}
		return nil
	})
	return n, err
}

// settleFenced determines whether a fenced statement without a reply was executed, and prevents it
// from being executed later if it was not.
func (db *DB) settleFenced(ctx context.Context, t *Tx, workspace string, cause error) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readBack)
	defer cancel()
	var err error
	for attempt := 1; attempt <= Attempts; attempt++ {
		var done bool
		if done, err = db.closeFence(ctx, t, workspace); err == nil {
			return done, nil
		}
	}
	return false, errUnknown(errors.Join(cause, err))
}

// closeFence looks for the mark of a fenced statement under the lock that the statement needs. A
// statement that is still on its way holds no lock yet: so if there is no mark, the workspace gets
// a new latest change, which the statement cannot match.
func (db *DB) closeFence(ctx context.Context, t *Tx, workspace string) (done bool, err error) {
	begun, err := db.writes.BeginTxx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("begin to read back: %w", err)
	}
	defer func() { _ = begun.Rollback() }()
	var latest string
	err = begun.GetContext(ctx, &latest, "SELECT last_change_id FROM workspaces WHERE id = $1"+db.Dialect.Lock, workspace)
	if NotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock the workspace: %w", err)
	}
	var mark string
	err = begun.GetContext(ctx, &mark, "SELECT change_id FROM events WHERE workspace_id = $1 AND seq = $2", workspace, t.Seq)
	if err != nil && !NotFound(err) {
		return false, fmt.Errorf("read the mark: %w", err)
	}
	if mark == t.ChangeID {
		return true, ended(ctx, begun.Tx)
	}
	_, err = begun.ExecContext(ctx, "UPDATE workspaces SET last_change_id = $2 WHERE id = $1", workspace, db.cfg.NewID(domain.PrefixChange))
	if err != nil {
		return false, fmt.Errorf("close the fence: %w", err)
	}
	return false, ended(ctx, begun.Tx)
}

// ended commits a transaction that has locked a row, and so waits until a synchronous standby has
// everything that was committed before. A cancelled wait proves nothing.
func ended(ctx context.Context, looked *sql.Tx) error {
	err := looked.Commit()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("check whether it is durable: %w", err)
	}
	return nil
}
