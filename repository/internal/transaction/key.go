package transaction

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// requestKey is the idempotency key that a request writes under.
type requestKey struct {
	workspace, key string
	applied        atomic.Bool
}

type requestKeyName struct{}

// WithKey makes the next transaction under the context, in this workspace, record that
// the key's request was applied, atomically with its writes.
func WithKey(ctx context.Context, workspace, key string) context.Context {
	return context.WithValue(ctx, requestKeyName{}, &requestKey{workspace: workspace, key: key})
}

// WithoutKey is for the transactions about the key itself.
func WithoutKey(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKeyName{}, (*requestKey)(nil))
}

// errKeyLost: while this process was suspended, another one claimed the key and may have carried
// out the request.
var errKeyLost = &domain.Error{
	Code: "idempotency_in_progress", Outcome: domain.NotApplied,
	Message: "Another server has taken this request over. Nothing was written here; ask again.",
}

const keyApplied = "UPDATE idempotency SET applied = TRUE, seq = $5, created_id = $6 " +
	"WHERE workspace_id = $1 AND key = $2 AND node = $3 AND incarnation = $4 AND NOT applied"

var keyAppliedLater = sqldb.NewUpdate(keyApplied)

// NoteApplied records the request's key in the transaction that carries it out.
func (t *Tx) NoteApplied(ctx context.Context, workspace string) error {
	k, _ := ctx.Value(requestKeyName{}).(*requestKey)
	if k == nil || k.workspace != workspace || k.applied.Load() {
		return nil
	}
	args := []any{workspace, k.key, t.DB.Node, t.DB.Incarnation, t.Seq, t.Created}
	if t.Gathers() {
		t.UpdateLater(keyAppliedLater, args...)
	} else if err := t.WriteOne(ctx, errKeyLost, keyApplied, args...); err != nil {
		return fmt.Errorf("note that the request was applied: %w", err)
	}
	t.OnCommit(func() { k.applied.Store(true) })
	return nil
}
