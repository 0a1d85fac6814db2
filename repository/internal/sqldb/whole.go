package sqldb

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// whole keeps a transaction that others depend on intact. Its statements are not interrupted when a
// context ends, and none runs after an error upon which the database may have rolled back
// everything: later statements would be committed individually.
type whole struct {
	uncut   bool // the transaction must not be interrupted
	mu      sync.Mutex
	lost    error
	running sync.Mutex
}

// alone locks for one statement at a time, until the returned function is called: several
// goroutines may read in one transaction, and on one connection equal queries share the database's
// handle, which has room for one result.
func (w *whole) alone() (over func()) {
	if !w.uncut {
		return func() {}
	}
	w.running.Lock()
	return w.running.Unlock
}

// may returns the context for a further statement, or an error if none may run.
func (w *whole) may(ctx context.Context) (context.Context, error) {
	if !w.uncut {
		return ctx, nil
	}
	if err := w.failed(ctx); err != nil {
		return nil, err
	}
	if ctx.Done() == nil {
		return ctx, nil
	}
	return Unwatched(ctx), nil
}

// failed returns the error that prevents the transaction from continuing, if any.
func (w *whole) failed(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("write: %w", context.Cause(ctx))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost != nil {
		return fmt.Errorf("continue a failed transaction: %w", w.lost)
	}
	return nil
}

// lose records an error after which the transaction may be rolled back.
func (w *whole) lose(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = errors.Join(w.lost, err)
}

// hope clears that error before a rollback to a savepoint, which fails if the transaction is gone.
func (w *whole) hope() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = nil
}
