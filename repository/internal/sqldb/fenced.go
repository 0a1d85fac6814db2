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

// Fences says whether the database takes fenced statements: one statement that commits
// itself. Where it is a file beside the program, a transaction costs no way there and back;
// and what is not prepared is not one statement on the way (readPool.pinned).
func (db *DB) Fences() bool { return db.Dialect.joins && !db.cfg.Unprepared }

// WriteFenced writes what fn gathers, as one statement that commits itself, if the
// latest change of the workspace is still seen, and says whether it did. fn gives the
// number of its last event in Seq. Without a lock nothing keeps others from writing
// meanwhile; then, and for whatever a single statement cannot do, the answer is false:
// surely nothing was written, and never will be. An error says that it is not known
// what was written, or that the caller went before anything was.
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
		return false, nil // under the lock it is told better
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
	// The answer is missing; or it is that to another sending of the same statement, the
	// first of which may have found the fence open, or may do so yet; or the caller went while
	// the server waited for its synchronous standby: asked to give up, it stops waiting and
	// says that all is well, though the standby may not have it.
	return db.settleFenced(ctx, t, workspace, err)
}

// refused says that the server itself answered that it has undone the statement.
func refused(err error) bool {
	e := pq.As(err)
	return e != nil && e.Severity == "ERROR"
}

// fence is the value of the condition, and knows how often it was sent: database/sql asks
// for it when it has a connection and is about to use it, once for each time that it
// sends the statement.
type fence struct {
	ctx  context.Context
	seen string
	sent int
}

// Value is what the statement compares.
func (f *fence) Value() (driver.Value, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	f.sent++
	return f.seen, nil
}

// send carries a fenced statement out and counts its rows. If ctx ends while it waits
// for somebody else's lock, the server is asked to give it up, and says whether it did.
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
			return fmt.Errorf("write what belongs to the change: %w", err)
		}
		if n, err = result.RowsAffected(); err != nil {
			return fmt.Errorf("count what was written: %w", err)
		}
		return nil
	})
	return n, err
}

// settleFenced finds out whether a fenced statement was carried out whose answer is
// missing, and sees to it that it never will be if it was not.
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

// closeFence looks for the mark of a fenced statement under the lock that it would need.
// The statement may still be on its way, and holds nothing until it arrives: so if it is
// not there, the workspace gets another latest change, which it will not match.
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

// ended commits what has locked a row, and so waits until the synchronous standby, if there is
// one, has all that was committed before. A wait that was given up tells nothing.
func ended(ctx context.Context, looked *sql.Tx) error {
	err := looked.Commit()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("see whether it is stored for good: %w", err)
	}
	return nil
}
