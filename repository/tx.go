package repository

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// tx is an explicit transaction, the only thing that can write.
type tx struct {
	snapshot
	store       *Store
	changeID    string      // the random mark of this attempt
	seq         int64       // number of the last event that the transaction wrote, 0 if none
	queueLength int64       // of the workspace, when its row was locked
	created     string      // id of what it made, for the idempotency key
	points      int         // savepoints so far
	marks       *requestKey // the key whose request it carries out
	kept        []batch     // what flush writes
	// undo takes back what the attempt set in the caller's memory.
	undo []func()
}

// exec writes and says how many rows it changed.
func (t *tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	var result sql.Result
	var err error
	if stmt := t.prepared(ctx, query); stmt != nil {
		result, err = stmt.ExecContext(ctx, args...)
	} else {
		result, err = t.tx.ExecContext(ctx, query, args...)
	}
	if err != nil {
		return 0, t.d.told(ctx, err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("count the rows written: %w", err)
	}
	return n, nil
}

// must writes and demands that exactly n rows were changed; otherwise is the error.
func (t *tx) must(ctx context.Context, n int64, otherwise error, query string, args ...any) error {
	have, err := t.exec(ctx, query, args...)
	if err != nil {
		return err
	}
	if have != n {
		return otherwise
	}
	return nil
}

const (
	// attempts bounds how often a transaction that was surely not applied runs.
	attempts = 4
	// readBack bounds how long the fate of a commit is looked for. It is longer than
	// idleTimeout, after which the server itself ends a transaction whose client is gone.
	readBack = 3 * idleTimeout
)

var errNotCommitted = errors.New("the commit was not carried out")

// write runs fn in a transaction of a workspace ("" for what belongs to none) and
// commits it. fn runs again, from its start, whenever it is certain that nothing of
// it was applied and the failure passes by itself; so it must not keep what it did
// the time before. After an error nothing was written, unless its outcome says
// unknown.
func (s *Store) write(ctx context.Context, workspace string, fn func(t *tx) error) (*tx, error) {
	for attempt := 1; ; attempt++ {
		t, err := s.attempt(ctx, workspace, fn)
		if err != nil && t != nil {
			for _, undo := range t.undo {
				undo()
			}
		}
		if err == nil && t.marks != nil {
			t.marks.applied.Store(true)
		}
		if err == nil || attempt == attempts || !s.worthwhile(err) {
			return t, err
		}
		pause := time.NewTimer(time.Duration(attempt)*5*time.Millisecond + rand.N(10*time.Millisecond))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, err
		}
	}
}

// worthwhile says whether the same transaction may succeed now. A busy SQLite has
// waited for busyTimeout already.
func (s *Store) worthwhile(err error) bool {
	if errors.Is(err, errNotCommitted) {
		return true
	}
	var e *domain.Error
	if !errors.As(err, &e) || e.Outcome != domain.NotApplied || e.Err == nil {
		return false
	}
	kind := s.dialect.classify(e.Err)
	return kind == again || kind == gone
}

// attempt is one run of a transaction. It gives the transaction back after an error
// too, so that what it set in the caller's memory can be undone.
func (s *Store) attempt(ctx context.Context, workspace string, fn func(t *tx) error) (t *tx, err error) {
	// The transaction outlives a cancelled ctx once COMMIT is on its way: stop decides
	// which of the two comes first.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	stop := context.AfterFunc(ctx, end)
	defer stop()
	begun, err := s.writes.BeginTxx(life, nil)
	if err != nil {
		return nil, s.dialect.told(ctx, fmt.Errorf("begin to write: %w", err))
	}
	t = &tx{snapshot: snapshot{tx: begun, stmts: s.stmts, d: s.dialect}, store: s, changeID: s.cfg.NewID(domain.PrefixChange)}
	defer func() {
		if err == nil {
			s.stmts.prepare(context.WithoutCancel(ctx), t.missed)
		}
	}()
	// A panic in fn must not leave the workspace locked.
	defer func() { _ = begun.Rollback() }()
	if err := fn(t); err != nil {
		return t, s.dialect.told(ctx, err)
	}
	if err := t.mark(unwatched{ctx}, workspace); err != nil {
		return t, s.dialect.told(ctx, err)
	}
	if !stop() {
		return t, fmt.Errorf("write: %w", context.Cause(ctx))
	}
	if err := s.commit(begun.Commit); err != nil {
		// Whatever became of it, this side holds nothing any more.
		_ = begun.Rollback()
		return t, s.settle(ctx, t, workspace, err)
	}
	return t, nil
}

// unwatched is the context of the short statements of a transaction. The drivers
// start a goroutine for each statement whose context can end, and wait for it; here
// the transaction's own context is watched already, and the statements end with it.
// Its error and its cause are those of the context within.
type unwatched struct{ context.Context }

func (unwatched) Done() <-chan struct{} { return nil }

func (s *Store) commit(commit func() error) error {
	if s.cfg.AroundCommit != nil {
		return s.cfg.AroundCommit(commit)
	}
	return commit()
}

// mark leaves what settle looks for, and notes that the idempotency key's request
// was applied.
func (t *tx) mark(ctx context.Context, workspace string) error {
	if t.seq == 0 {
		const query = "INSERT INTO changes (workspace_id, id, at) VALUES ($1, $2, $3)"
		if _, err := t.exec(ctx, query, workspace, t.changeID, stamp{t.store.cfg.Clock()}); err != nil {
			return fmt.Errorf("mark the change: %w", err)
		}
	}
	return t.applied(ctx, workspace)
}

// settle finds out whether a transaction whose COMMIT gave an error was carried out.
// nil: it was.
func (s *Store) settle(ctx context.Context, t *tx, workspace string, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readBack)
	defer cancel()
	var err error
	for attempt := 1; attempt <= attempts; attempt++ {
		var done bool
		if done, err = s.carriedOut(ctx, t, workspace); err == nil {
			if done {
				return nil
			}
			return fmt.Errorf("%w: %w", errNotCommitted, s.dialect.told(ctx, cause))
		}
	}
	return errUnknown(errors.Join(cause, err))
}

// carriedOut looks for the mark of a transaction, behind its locks: as long as its
// COMMIT may still happen, this waits.
func (s *Store) carriedOut(ctx context.Context, t *tx, workspace string) (bool, error) {
	begun, err := s.writes.BeginTxx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("begin to read back: %w", err)
	}
	defer func() { _ = begun.Rollback() }()
	if t.seq != 0 {
		var seq int64
		err := begun.GetContext(ctx, &seq, "SELECT last_seq FROM workspaces WHERE id = $1"+s.dialect.lock, workspace)
		if err != nil {
			return false, fmt.Errorf("lock the workspace: %w", err)
		}
		var mark string
		err = begun.GetContext(ctx, &mark, "SELECT change_id FROM events WHERE workspace_id = $1 AND seq = $2", workspace, t.seq)
		if err != nil && !missing(err) {
			return false, fmt.Errorf("read the mark: %w", err)
		}
		return mark == t.changeID, nil
	}
	// The mark's own key is the lock: this waits for the other transaction, and finds
	// that it was carried out, or takes its place and is itself rolled back.
	const query = "INSERT INTO changes (workspace_id, id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
	result, err := begun.ExecContext(ctx, query, workspace, t.changeID, stamp{s.cfg.Clock()})
	if err != nil {
		return false, fmt.Errorf("look for the mark: %w", err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("look for the mark: %w", err)
	}
	return n == 0, nil
}

// savepoint runs fn so that its failure undoes what it wrote, and nothing else.
func (t *tx) savepoint(ctx context.Context, fn func() error) error {
	t.points++
	name := fmt.Sprintf("point_%d", t.points)
	if _, err := t.exec(ctx, "SAVEPOINT "+name); err != nil {
		return fmt.Errorf("set a savepoint: %w", err)
	}
	err := fn()
	if err != nil {
		if _, undo := t.exec(ctx, "ROLLBACK TO SAVEPOINT "+name); undo != nil {
			return fmt.Errorf("go back to the savepoint: %w", errors.Join(err, undo))
		}
	}
	if _, release := t.exec(ctx, "RELEASE SAVEPOINT "+name); release != nil {
		return fmt.Errorf("release the savepoint: %w", errors.Join(err, release))
	}
	return err
}

var _ reader = (*tx)(nil)
var _ reader = (*readPool)(nil)
