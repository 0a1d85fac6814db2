package sqldb

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// whole keeps a transaction that others depend on in one piece. Its statements are not
// cut short when a context ends, and none runs any more after an error upon which the
// database may have rolled everything back: what came then would be stored at once, by
// itself.
type whole struct {
	uncut   bool // it is such a transaction
	mu      sync.Mutex
	lost    error
	running sync.Mutex
}

// alone lets one statement run at a time, until what it gives is called: several
// goroutines may read in one transaction, and on one connection those that ask the same
// share the database's handle for it, which has room for one answer.
func (w *whole) alone() (over func()) {
	if !w.uncut {
		return func() {}
	}
	w.running.Lock()
	return w.running.Unlock
}

// may says whether a further statement may run, and under which context.
func (w *whole) may(ctx context.Context) (context.Context, error) {
	if !w.uncut {
		return ctx, nil
	}
	if err := w.stands(ctx); err != nil {
		return nil, err
	}
	if ctx.Done() == nil {
		return ctx, nil
	}
	return Unwatched(ctx), nil
}

// stands says why the transaction can go on no more, if so.
func (w *whole) stands(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("write: %w", context.Cause(ctx))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost != nil {
		return fmt.Errorf("go on in a transaction that has failed: %w", w.lost)
	}
	return nil
}

// lose notes an error after which the transaction may be gone.
func (w *whole) lose(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = errors.Join(w.lost, err)
}

// hope lets one go on that may be gone: whether it can go back to a savepoint tells.
func (w *whole) hope() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = nil
}
