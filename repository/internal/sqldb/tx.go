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

// Tx is an explicit transaction, the only thing that can write.
type Tx struct {
	snapshot
	// ChangeID is the random mark of this attempt.
	ChangeID string
	// Seq is the number of the last event that the transaction wrote, 0 if none: its
	// events bear the mark then.
	Seq int64

	db                  *DB
	points              int    // savepoints so far
	pending             []Rows // what Flush inserts
	updates             []updating
	onFailure, onCommit []func()
	// workspace, and those that committed in the same group: after is closed when those
	// with lower numbers have been told of, told when this one has.
	workspace   string
	after, told chan struct{}
}

func (db *DB) newTx(on line) *Tx {
	return &Tx{snapshot: snapshot{tx: on, d: db.Dialect}, db: db, ChangeID: db.cfg.NewID(domain.PrefixChange)}
}

// OnFailure has fn take back what this attempt set in the caller's memory.
func (t *Tx) OnFailure(fn func()) { t.onFailure = append(t.onFailure, fn) }

// OnCommit has fn called once the transaction is known to be committed.
func (t *Tx) OnCommit(fn func()) { t.onCommit = append(t.onCommit, fn) }

// Write writes and says how many rows it changed.
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

// WriteOne writes and demands that exactly one row was changed; otherwise is the error.
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
	// Attempts bounds how often a transaction that was surely not applied runs.
	Attempts = 4
	// readBack bounds how long the fate of a commit is looked for. It is longer than
	// idleTimeout, after which the server itself ends a transaction whose client is gone.
	readBack = 3 * idleTimeout
)

var errNotCommitted = errors.New("the commit was not carried out")

// Write runs fn in a transaction of a workspace ("" for what belongs to none) and
// commits it. fn runs again, from its start, whenever it is certain that nothing of
// it was applied and the failure passes by itself; so it must not keep what it did
// the time before. After an error nothing was written, unless its outcome says
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
			continue // at once, and alone: nobody can undo it a second time
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

// settled tells those who asked how the attempt ended.
func (t *Tx) settled(err error) {
	if t.told != nil {
		defer close(t.told)
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

// worthwhile says whether the same transaction may succeed now. A busy SQLite has
// waited for busyTimeout already.
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

// attempt is one run of a transaction. It gives the transaction back after an error
// too, so that what it set in the caller's memory can be undone.
func (db *DB) attempt(ctx context.Context, workspace string, fn func(t *Tx) error) (t *Tx, err error) {
	// The transaction outlives a cancelled ctx once COMMIT is on its way: stop decides
	// which of the two comes first.
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
		// Whatever became of it, this side holds nothing any more.
		_ = begun.Rollback()
		return t, db.settle(ctx, t, workspace, err)
	}
	return t, nil
}

// Unwatched is the context of the short statements of a transaction. The drivers
// start a goroutine for each statement whose context can end, and wait for it; here
// the transaction's own context is watched already, and the statements end with it. On
// SQLite none of a transaction's statements is ever watched (writer.go).
// Its error and its cause are those of the context within.
func Unwatched(ctx context.Context) context.Context { return unwatched{ctx} }

type unwatched struct{ context.Context }

func (unwatched) Done() <-chan struct{} { return nil }

func (db *DB) commit(commit func() error) error {
	if db.cfg.AroundCommit != nil {
		return db.cfg.AroundCommit(commit)
	}
	return commit()
}

// mark leaves what settle looks for.
func (t *Tx) mark(ctx context.Context, workspace string) error {
	if t.Seq == 0 {
		const query = "INSERT INTO changes (workspace_id, id, at) VALUES ($1, $2, $3)"
		if _, err := t.Write(ctx, query, workspace, t.ChangeID, At(t.db.cfg.Clock())); err != nil {
			return fmt.Errorf("mark the change: %w", err)
		}
	}
	return nil
}

// settle finds out whether a transaction whose COMMIT gave an error was carried out.
// nil: it was.
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

// carriedOut looks for the mark of a transaction, behind its locks: as long as its
// COMMIT may still happen, this waits.
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

// marked says whether the mark of a transaction is there.
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
	// The mark's own key is the lock: this waits for the other transaction, and finds
	// that it was carried out, or takes its place and is itself rolled back.
	const query = "INSERT INTO changes (workspace_id, id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
	result, err := on.ExecContext(ctx, query, workspace, t.ChangeID, At(db.cfg.Clock()))
	if err != nil {
		return false, fmt.Errorf("look for the mark: %w", err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("look for the mark: %w", err)
	}
	if n == 0 && db.writer == nil { // a lock is what the end of this transaction has to wait with (ended)
		const held = "SELECT 1 FROM changes WHERE workspace_id = $1 AND id = $2"
		if err := on.GetContext(ctx, &n, held+db.Dialect.Lock, workspace, t.ChangeID); err != nil {
			return false, fmt.Errorf("lock the mark: %w", err)
		}
		return true, nil
	}
	return n == 0, nil
}

// Savepoint runs fn so that its failure undoes what it wrote, and nothing else.
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

// Relax lets the transaction return before it is on disk, where the database can. It is
// only for what may be forgotten in a crash.
func (t *Tx) Relax(ctx context.Context) error {
	if t.d.relaxed == "" {
		return nil
	}
	_, err := t.Write(ctx, t.d.relaxed)
	return err
}

// Unhurried lets a transaction of PostgreSQL rest between two statements for as long as a slow disk or a busy
// machine takes. It is for copies, whose other end is a file: what serves people is ended after idleTimeout.
const Unhurried = "SET LOCAL idle_in_transaction_session_timeout = '1h'"

// Unhurried is the constant of that name for a transaction that writes; on SQLite nobody hurries it.
func (t *Tx) Unhurried(ctx context.Context) error {
	if t.d.unhurried == "" {
		return nil
	}
	_, err := t.Write(ctx, t.d.unhurried)
	return err
}
