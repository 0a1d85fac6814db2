package repository

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// RequestStore remembers the requests that came with an idempotency key.
type RequestStore struct {
	*base
	held *keysHeld
}

// idempotencyTime is how long a key is remembered.
const idempotencyTime = 24 * time.Hour

// StoredResponse is what is kept of a request. Status is 0 when no answer is kept.
type StoredResponse struct {
	Key       string // its former name, where it is kept under that one
	Status    int
	Headers   map[string]string
	Body      []byte
	Seq       int64  // of the last event that the request wrote
	CreatedID string // of what it made
}

type idempotencyRow struct {
	Key         string      `db:"key"`
	Hash        string      `db:"request_hash"`
	Node        string      `db:"node"`
	Incarnation string      `db:"incarnation"`
	Applied     bool        `db:"applied"`
	Seq         int64       `db:"seq"`
	CreatedID   string      `db:"created_id"`
	Status      int         `db:"status"`
	Headers     string      `db:"headers"`
	Body        string      `db:"body"`
	CreatedAt   sqldb.Stamp `db:"created_at"`
	Alive       bool        `db:"alive"`
}

// IdempotentRequest is a request that came with a key.
type IdempotentRequest struct {
	Key string
	// Former is a name under which an earlier version may have kept the key of this owner; "": none.
	Former string
	Hash   string // of what is asked
	Owner  string // who asks, for the ceiling
	// MaxKeys bounds how many keys of the owner are remembered; 0: no bound.
	MaxKeys int
}

// BeginIdempotent takes a key for a request, or says what became of the one that has
// it. A key whose request was never applied is free again once its process is gone. A
// fresh key must be ended by FinishIdempotent, RefuseIdempotent or AbandonIdempotent. An
// owner with too many keys gets no further one; those that are there hold.
func (s *RequestStore) BeginIdempotent(ctx context.Context, workspace string, r IdempotentRequest, now time.Time) (
	domain.RequestState, *StoredResponse, error,
) {
	var state domain.RequestState
	var stored *StoredResponse
	var attempt string
	err := s.writeUnseen(withoutKey(ctx), workspace, func(t *tx) error {
		attempt = t.ChangeID
		// A crash forgets only that a request was on its way.
		if err := t.Relax(ctx); err != nil {
			return err
		}
		n, err := t.Write(ctx, "INSERT INTO idempotency (workspace_id, key, request_hash, node, incarnation, attempt_id, "+
			"applied, seq, created_id, status, headers, body, created_at, owner) "+
			"SELECT $1, $2, $3, $4, $5, $6, FALSE, 0, '', 0, '', '', $7, $8 WHERE NOT EXISTS "+
			"(SELECT 1 FROM idempotency WHERE workspace_id = $1 AND key = $9 AND owner = $8) ON CONFLICT DO NOTHING",
			workspace, r.Key, r.Hash, s.cfg.Node, s.cfg.Incarnation, t.ChangeID, sqldb.At(now), r.Owner, r.Former)
		if err != nil {
			return fmt.Errorf("take the key: %w", err)
		}
		if n == 1 {
			state = domain.RequestNew
			return t.limitKeys(ctx, workspace, r, now)
		}
		state, stored, err = t.knownKey(ctx, workspace, r, now)
		return err
	})
	key := r.Key
	if stored != nil {
		key = cmp.Or(stored.Key, key)
	}
	switch k := (heldKey{workspace, key}); {
	case err != nil && attempt != "" && away(err):
		s.held.leave(k, attempt) // it may have been taken all the same
		return "", nil, err
	case err != nil:
		return "", nil, err
	case state == domain.RequestNew:
		s.held.take(k, attempt)
	}
	return state, stored, nil
}

// limitKeys refuses a key, just taken, that is one too many for its owner.
func (t *tx) limitKeys(ctx context.Context, workspace string, r IdempotentRequest, now time.Time) error {
	if r.MaxKeys == 0 {
		return nil
	}
	var kept int
	err := t.Get(ctx, &kept, "SELECT COUNT(*) FROM idempotency WHERE workspace_id = $1 AND owner = $2 AND created_at >= $3",
		workspace, r.Owner, sqldb.At(now.Add(-idempotencyTime)))
	if err != nil {
		return fmt.Errorf("count the keys: %w", err)
	}
	if kept > r.MaxKeys {
		return domain.Errorf(domain.CodeTooManyKeys, "The answers to %d requests of yours with an Idempotency-Key are kept already, "+
			"each for 24 hours. "+
			"Nothing was done. Wait, or send what can be repeated without harm without one.", r.MaxKeys)
	}
	return nil
}

// knownKey reads a key that was there, and takes it over if its request came to
// nothing.
func (t *tx) knownKey(ctx context.Context, workspace string, r IdempotentRequest, now time.Time) (
	domain.RequestState, *StoredResponse, error,
) {
	var row idempotencyRow
	err := t.Get(ctx, &row, "SELECT key, request_hash, node, incarnation, applied, seq, created_id, status, headers, body, created_at, "+
		alive(t.store.db.Dialect, "idempotency.node", "idempotency.incarnation")+" AS alive "+
		"FROM idempotency WHERE workspace_id = $1 AND (key = $2 OR key = $3 AND owner = $4)"+t.store.db.Dialect.Lock,
		workspace, r.Key, r.Former, r.Owner)
	if err != nil {
		return "", nil, fmt.Errorf("read the key: %w", err)
	}
	stored := &StoredResponse{}
	if row.Key != r.Key {
		stored.Key = row.Key
	}
	old := row.CreatedAt.Before(now.Add(-idempotencyTime))
	if !old {
		state, err := row.known(r.Hash, stored)
		if err != nil || state != domain.RequestRunning {
			return state, stored, err
		}
		mine := row.Node == t.store.cfg.Node && row.Incarnation == t.store.cfg.Incarnation
		if mine || row.Alive {
			return domain.RequestRunning, stored, nil
		}
	}
	_, err = t.Write(ctx, "UPDATE idempotency SET request_hash = $3, node = $4, incarnation = $5, attempt_id = $6, applied = FALSE, "+
		"seq = 0, created_id = '', status = 0, headers = '', body = '', created_at = $7 WHERE workspace_id = $1 AND key = $2",
		workspace, row.Key, r.Hash, t.store.cfg.Node, t.store.cfg.Incarnation, t.ChangeID, sqldb.At(now))
	if err != nil {
		return "", nil, fmt.Errorf("take the key over: %w", err)
	}
	return domain.RequestNew, stored, nil
}

// known reads from a row what became of its request; domain.RequestRunning if it has no end.
func (r *idempotencyRow) known(hash string, into *StoredResponse) (domain.RequestState, error) {
	if r.Hash != hash {
		return domain.RequestMismatch, nil
	}
	if r.Status == 0 && !r.Applied {
		return domain.RequestRunning, nil
	}
	into.Status, into.Seq, into.CreatedID = r.Status, r.Seq, r.CreatedID
	if r.Status == 0 {
		return domain.RequestApplied, nil
	}
	headers, err := sqldb.DecodeJSON[map[string]string](r.Headers)
	if err != nil {
		return "", err
	}
	if headers != nil {
		into.Headers = *headers
	}
	if into.Body, err = base64.StdEncoding.DecodeString(r.Body); err != nil {
		return "", fmt.Errorf("read the kept answer: %w", err)
	}
	return domain.RequestAnswered, nil
}

// FinishIdempotent keeps the answer of a request: repeats get it for 24 hours. That of a
// request whose process died is kept by whoever made it anew: it stays the same, whatever
// becomes of what was made.
func (s *RequestStore) FinishIdempotent(
	ctx context.Context, workspace, key string, status int, body []byte, headers map[string]string,
) error {
	kept, err := sqldb.EncodeJSON(&headers)
	if err != nil {
		return err
	}
	return s.endIdempotent(ctx, workspace, key, func(t *tx) error {
		// A crash forgets only an answer that can be made again.
		if err := t.Relax(ctx); err != nil {
			return err
		}
		_, err := t.Write(ctx, "UPDATE idempotency SET status = $5, headers = $6, body = $7 "+
			"WHERE workspace_id = $1 AND key = $2 AND status = 0 AND (applied OR (node = $3 AND incarnation = $4))",
			workspace, key, s.cfg.Node, s.cfg.Incarnation, status, kept, base64.StdEncoding.EncodeToString(body))
		return err
	})
}

// RefuseIdempotent ends a request that was refused: its key is free again, because the
// same refusal can be had again. If something was written under it, the answer is kept.
func (s *RequestStore) RefuseIdempotent(ctx context.Context, workspace, key string, status int, body []byte) error {
	return s.endIdempotent(ctx, workspace, key, func(t *tx) error {
		n, err := t.freeKey(ctx, workspace, key)
		if err != nil || n > 0 {
			return err
		}
		_, err = t.Write(ctx, "UPDATE idempotency SET status = $5, body = $6 "+
			"WHERE workspace_id = $1 AND key = $2 AND status = 0 AND applied AND node = $3 AND incarnation = $4",
			workspace, key, s.cfg.Node, s.cfg.Incarnation, status, base64.StdEncoding.EncodeToString(body))
		return err
	})
}

// AbandonIdempotent gives a key free whose request wrote nothing. If something was
// written under it, it stays taken, as applied.
func (s *RequestStore) AbandonIdempotent(ctx context.Context, workspace, key string) error {
	return s.endIdempotent(ctx, workspace, key, func(t *tx) error {
		_, err := t.freeKey(ctx, workspace, key)
		return err
	})
}

// freeKey forgets a key of this process under which nothing was written.
func (t *tx) freeKey(ctx context.Context, workspace, key string) (int64, error) {
	return t.Write(ctx, "DELETE FROM idempotency WHERE workspace_id = $1 AND key = $2 AND node = $3 AND incarnation = $4 "+
		"AND NOT applied AND status = 0", workspace, key, t.store.cfg.Node, t.store.cfg.Incarnation)
}

// endIdempotent writes what becomes of a key. That it is free must survive a crash of the database
// that this process survives: the key would look as if it were in use for as long as the process lives.
func (s *RequestStore) endIdempotent(ctx context.Context, workspace, key string, do func(*tx) error) error {
	err := s.writeUnseen(withoutKey(ctx), workspace, do)
	s.held.end(heldKey{workspace, key}, err != nil)
	if err != nil {
		return fmt.Errorf("end the request of a key: %w", err)
	}
	return nil
}

// PruneIdempotency forgets keys that are older than 24 hours, and marks of
// transactions that are of no use any more.
func (s *RequestStore) PruneIdempotency(ctx context.Context, now time.Time) error {
	err := s.write(ctx, "", func(t *tx) error {
		before := sqldb.At(now.Add(-idempotencyTime))
		for _, query := range []string{"DELETE FROM idempotency WHERE created_at < $1", "DELETE FROM changes WHERE at < $1"} {
			if _, err := t.Write(ctx, query, before); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("forget old keys: %w", err)
	}
	return nil
}

// requestKey is the key under which a request writes.
type requestKey struct {
	workspace, key string
	applied        atomic.Bool
}

type requestKeyName struct{}

// WithIdempotencyKey makes the next transaction that is written under the context, in
// this workspace, note that the key's request was applied: both are stored, or
// neither.
func WithIdempotencyKey(ctx context.Context, workspace, key string) context.Context {
	return context.WithValue(ctx, requestKeyName{}, &requestKey{workspace: workspace, key: key})
}

// withoutKey is for the transactions about the key itself.
func withoutKey(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKeyName{}, (*requestKey)(nil))
}

// errKeyLost: while this process stood still, another one took the key and may have
// carried the request out.
var errKeyLost = &domain.Error{
	Code: "idempotency_in_progress", Outcome: domain.NotApplied,
	Message: "Another server has taken this request over. Nothing was written here; ask again.",
}

const keyApplied = "UPDATE idempotency SET applied = TRUE, seq = $5, created_id = $6 " +
	"WHERE workspace_id = $1 AND key = $2 AND node = $3 AND incarnation = $4 AND NOT applied"

var keyAppliedLater = sqldb.NewUpdate(keyApplied)

// noteApplied notes the request's key in the transaction that carries it out.
func (t *tx) noteApplied(ctx context.Context, workspace string) error {
	k, _ := ctx.Value(requestKeyName{}).(*requestKey)
	if k == nil || k.workspace != workspace || k.applied.Load() {
		return nil
	}
	args := []any{workspace, k.key, t.store.cfg.Node, t.store.cfg.Incarnation, t.Seq, t.created}
	if t.Gathers() {
		t.UpdateLater(keyAppliedLater, args...)
	} else if err := t.WriteOne(ctx, errKeyLost, keyApplied, args...); err != nil {
		return fmt.Errorf("note that the request was applied: %w", err)
	}
	t.OnCommit(func() { k.applied.Store(true) })
	return nil
}
