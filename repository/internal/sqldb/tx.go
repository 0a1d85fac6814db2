package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Tx is an explicit transaction. Only a Tx can write.
type Tx struct {
	snapshot
	// ChangeID is the random mark of this attempt.
	ChangeID string
	// Seq is the number of the last event that the transaction wrote, whose row has the mark; 0 if
	// it wrote none.
	Seq int64

	db                  *DB
	points              int    // savepoints so far
	pending             []Rows // inserted by Flush
	updates             []updating
	onFailure, onCommit []func()
	// Ordering within a group: after is closed when the members of the workspace with lower numbers
	// have published, published when this one has.
	workspace        string
	after, published chan struct{}
}

func (db *DB) newTx(on line) *Tx {
	return &Tx{snapshot: snapshot{tx: on, d: db.Dialect}, db: db, ChangeID: db.cfg.NewID(domain.PrefixChange)}
}

// OnFailure registers fn to restore what this attempt set in the caller's memory.
func (t *Tx) OnFailure(fn func()) { t.onFailure = append(t.onFailure, fn) }

// OnCommit registers fn to be called once the transaction is known to be committed.
func (t *Tx) OnCommit(fn func()) { t.onCommit = append(t.onCommit, fn) }

// Write executes a statement and returns the number of affected rows.
func (t *Tx) Write(ctx context.Context, query string, args ...any) (int64, error) {
	ctx, err := t.may(ctx)
	if err != nil {
		return 0, err
	}
	defer t.alone()()
	var result sql.Result
	if stmt := t.tx.stmt(ctx, query); stmt != nil {
		result, err = stmt.ExecContext(ctx, args...)
	} else {
		result, err = t.tx.ExecContext(ctx, query, args...)
	}
	if err != nil {
		return 0, t.ended(ctx, err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("count the rows written: %w", err)
	}
	return n, nil
}

// WriteOne executes a statement that must affect exactly one row; otherwise it returns the given
// error.
func (t *Tx) WriteOne(ctx context.Context, otherwise error, query string, args ...any) error {
	n, err := t.Write(ctx, query, args...)
	if err != nil {
		return err
	}
	if n != 1 {
		return otherwise
	}
	return nil
}

const (
	// Attempts limits how often a transaction that was certainly not applied runs.
	Attempts = 4
	// readBack limits how long the outcome of a commit is looked for. It exceeds idleTimeout, after
	// which the server ends a transaction whose client is gone.
	readBack = 3 * idleTimeout
)

var errNotCommitted = errors.New("the commit was not carried out")

// Write runs fn in a transaction of a workspace ("" for what belongs to none) and commits it. fn
// runs again, from its start, if certainly nothing of it was applied and the error is transient; so
// it must not keep state between runs. After an error nothing was written, unless its outcome is
// unknown.
func (db *DB) Write(ctx context.Context, workspace string, fn func(t *Tx) error) error {
	run, undone := db.attempt, false
	if db.writer != nil {
		run = func(ctx context.Context, workspace string, fn func(t *Tx) error) (*Tx, error) {
			return db.writer.attempt(ctx, workspace, undone, fn)
		}
	}
	for attempt := 1; ; attempt++ {
		t, err := run(ctx, workspace, fn)
		if t != nil {
			t.settled(err)
		}
		if err == nil || attempt == Attempts || !db.worthwhile(err) {
			return err
		}
		if undone = errors.Is(err, errUndone); undone {
			continue // at once, and alone: no other member can undo it a second time
		}
		pause := time.NewTimer(time.Duration(attempt)*5*time.Millisecond + rand.N(10*time.Millisecond))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return err
		}
	}
}

// settled calls the registered functions after an attempt.
func (t *Tx) settled(err error) {
	if t.published != nil {
		defer close(t.published)
	}
	if t.after != nil {
		<-t.after
	}
	calls := t.onCommit
	if err != nil {
		calls = t.onFailure
	}
	for _, call := range calls {
		call()
	}
}

// worthwhile reports whether a retry may succeed. If SQLite is busy, busyTimeout has passed
// already.
func (db *DB) worthwhile(err error) bool {
	if errors.Is(err, errNotCommitted) {
		return true
	}
	var e *domain.Error
	if !errors.As(err, &e) || e.Outcome != domain.NotApplied || e.Err == nil {
		return false
	}
	kind := db.Dialect.classify(e.Err)
	return kind == retryable || kind == gone
}

// attempt runs a transaction once. It returns the transaction even after an error, so that changes
// to the caller's memory can be undone.
func (db *DB) attempt(ctx context.Context, workspace string, fn func(t *Tx) error) (t *Tx, err error) {
	// Once COMMIT is sent, the transaction survives the cancellation of ctx: stop decides which of
	// the two is first.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	stop := context.AfterFunc(ctx, end)
	defer stop()
	begun, err := db.writes.BeginTxx(life, nil)
	if err != nil {
		return nil, db.Dialect.translate(ctx, fmt.Errorf("begin to write: %w", err))
	}
	on := &poolTx{Tx: begun, stmts: db.stmts}
	t = db.newTx(on)
	defer func() {
		if err == nil {
			on.prepareMissed(context.WithoutCancel(ctx))
		}
	}()
	// A panic in fn must not leave the workspace locked.
	defer func() { _ = begun.Rollback() }()
	if err := fn(t); err != nil {
		return t, db.Dialect.translate(ctx, err)
	}
	if err := t.mark(Unwatched(ctx), workspace); err != nil {
		return t, db.Dialect.translate(ctx, err)
	}
	if !stop() {
		return t, fmt.Errorf("write: %w", context.Cause(ctx))
	}
	if err := db.commit(begun.Commit); err != nil {
		// Whatever the outcome, no transaction is left open on this side.
		_ = begun.Rollback()
		return t, db.settle(ctx, t, workspace, err)
	}
	return t, nil
}

// Unwatched returns a context without Done for the short statements of a transaction. The drivers
// start a goroutine for each statement whose context can end, and wait for it; the transaction's
// own context is watched already, and ends its statements. On SQLite, the statements of a
// transaction are never watched (writer.go). Err and Cause are those of ctx.
func Unwatched(ctx context.Context) context.Context { return unwatched{ctx} }

type unwatched struct{ context.Context }

func (unwatched) Done() <-chan struct{} { return nil }

func (db *DB) commit(commit func() error) error {
	if db.cfg.AroundCommit != nil {
		return db.cfg.AroundCommit(commit)
	}
	return commit()
}

// mark writes the mark that settle looks for.
func (t *Tx) mark(ctx context.Context, workspace string) error {
	if t.Seq == 0 {
		const query = "INSERT INTO changes (workspace_id, id, at) VALUES ($1, $2, $3)"
		if _, err := t.Write(ctx, query, workspace, t.ChangeID, At(t.db.cfg.Clock())); err != nil {
			return fmt.Errorf("mark the change: %w", err)
		}
	}
	return nil
}

// settle determines whether a transaction whose COMMIT returned an error was applied. nil: it was.
func (db *DB) settle(ctx context.Context, t *Tx, workspace string, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readBack)
	defer cancel()
	var err error
	for attempt := 1; attempt <= Attempts; attempt++ {
		var done bool
		if done, err = db.carriedOut(ctx, t, workspace); err == nil {
			if done {
				return nil
			}
			return fmt.Errorf("%w: %w", errNotCommitted, db.Dialect.translate(ctx, cause))
		}
	}
	return errUnknown(errors.Join(cause, err))
}

// carriedOut looks for the mark of a transaction, behind its locks: it waits as long as the COMMIT
// may still happen.
func (db *DB) carriedOut(ctx context.Context, t *Tx, workspace string) (done bool, err error) {
	look := func(on line) (err error) {
		done, err = db.marked(Unwatched(ctx), on, t, workspace)
		return err
	}
	if db.writer != nil {
		err = db.writer.aside(ctx, look)
		return done, err
	}
	begun, err := db.writes.BeginTxx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("begin to read back: %w", err)
	}
	defer func() { _ = begun.Rollback() }()
	if err = look(&poolTx{Tx: begun, stmts: db.stmts}); err == nil && done {
		err = ended(ctx, begun.Tx)
	}
	return done, err
}

// marked reports whether the mark of a transaction exists.
func (db *DB) marked(ctx context.Context, on line, t *Tx, workspace string) (bool, error) {
	if t.Seq != 0 {
		var seq int64
		err := on.GetContext(ctx, &seq, "SELECT last_seq FROM workspaces WHERE id = $1"+db.Dialect.Lock, workspace)
		if err != nil {
			return false, fmt.Errorf("lock the workspace: %w", err)
		}
		var mark string
		err = on.GetContext(ctx, &mark, "SELECT change_id FROM events WHERE workspace_id = $1 AND seq = $2", workspace, t.Seq)
		if err != nil && !NotFound(err) {
			return false, fmt.Errorf("read the mark: %w", err)
		}
		return mark == t.ChangeID, nil
	}
	// The mark's key is the lock: this waits for the other transaction, and either finds that it
	// was applied, or takes the key and is itself rolled back.
	const query = "INSERT INTO changes (workspace_id, id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
	result, err := on.ExecContext(ctx, query, workspace, t.ChangeID, At(db.cfg.Clock()))
	if err != nil {
		return false, fmt.Errorf("look for the mark: %w", err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("look for the mark: %w", err)
	}
	if n == 0 && db.writer == nil { // the end of this transaction must have a lock to wait with (ended)
		const held = "SELECT 1 FROM changes WHERE workspace_id = $1 AND id = $2"
		if err := on.GetContext(ctx, &n, held+db.Dialect.Lock, workspace, t.ChangeID); err != nil {
			return false, fmt.Errorf("lock the mark: %w", err)
		}
		return true, nil
	}
	return n == 0, nil
}

// Savepoint runs fn and rolls back only what fn wrote if it fails.
func (t *Tx) Savepoint(ctx context.Context, fn func() error) error {
	t.points++
	name := fmt.Sprintf("point_%d", t.points)
	if _, err := t.Write(ctx, "SAVEPOINT "+name); err != nil {
		return fmt.Errorf("set a savepoint: %w", err)
	}
	err := fn()
	if err != nil {
		t.hope()
		if _, undo := t.Write(ctx, "ROLLBACK TO SAVEPOINT "+name); undo != nil {
			t.lose(undo)
			return fmt.Errorf("go back to the savepoint: %w", errors.Join(err, undo))
		}
	}
	if _, release := t.Write(ctx, "RELEASE SAVEPOINT "+name); release != nil {
		return fmt.Errorf("release the savepoint: %w", errors.Join(err, release))
	}
	return err
}

// Relax lets the transaction return before it is on disk, if the database can do that. Use it only
// for data that a crash may lose.
func (t *Tx) Relax(ctx context.Context) error {
	if t.d.relaxed == "" {
		return nil
	}
	_, err := t.Write(ctx, t.d.relaxed)
	return err
}

// Unhurried allows a PostgreSQL transaction to be idle between two statements for as long as a slow
// disk or a busy machine takes. It is for backups, which read or write a file; transactions of
// requests are ended after idleTimeout.
const Unhurried = "SET LOCAL idle_in_transaction_session_timeout = '1h'"

// Unhurried applies the constant of that name to a writing transaction. SQLite has no such timeout.
func (t *Tx) Unhurried(ctx context.Context) error {
	if t.d.unhurried == "" {
		return nil
	}
	_, err := t.Write(ctx, t.d.unhurried)
	return err
}
