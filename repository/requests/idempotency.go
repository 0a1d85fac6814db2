package requests

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// RequestStore records the requests that came with an idempotency key.
type RequestStore struct {
	db   *transaction.DB
	held *keysHeld
}

// NewRequestStore makes the store of requests.
func NewRequestStore(db *transaction.DB) *RequestStore { return &RequestStore{db, newKeysHeld()} }

// idempotencyTime is how long a key is valid.
const idempotencyTime = 24 * time.Hour

// StoredResponse is the recorded outcome of a request. Status is 0 if no response is stored.
type StoredResponse struct {
	Key       string // the key's former name, if it is stored under that
	Status    int
	Headers   map[string]string
	Body      []byte
	Seq       int64  // number of the last event that the request wrote
	CreatedID string // id of what the request created
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
	// Former is the name under which an earlier version may have stored the key of this owner; ""
	// if none.
	Former string
	Hash   string // of the request's content
	Owner  string // whose limit applies
	// MaxKeys limits how many keys of the owner are stored; 0 is no limit.
	MaxKeys int
}

// BeginIdempotent claims a key for a request, or returns the outcome of the request that has it. A
// key whose request was never applied can be claimed again once its process is gone. A claim must
// end with FinishIdempotent, RefuseIdempotent or AbandonIdempotent. An owner at the limit gets no
// further key; existing keys stay valid.
func (s *RequestStore) BeginIdempotent(ctx context.Context, workspace string, r IdempotentRequest, now time.Time) (
	domain.RequestState, *StoredResponse, error,
) {
	var state domain.RequestState
	var stored *StoredResponse
	var attempt string
	err := s.db.WriteUnseen(transaction.WithoutKey(ctx), workspace, func(t *transaction.Tx) error {
		attempt = t.ChangeID
		// A crash of the database loses only the fact that a request was in progress.
		if err := t.Relax(ctx); err != nil {
			return err
		}
		n, err := t.Write(ctx, "INSERT INTO idempotency (workspace_id, key, request_hash, node, incarnation, attempt_id, "+
			"applied, seq, created_id, status, headers, body, created_at, owner) "+
			"SELECT $1, $2, $3, $4, $5, $6, FALSE, 0, '', 0, '', '', $7, $8 WHERE NOT EXISTS "+
			"(SELECT 1 FROM idempotency WHERE workspace_id = $1 AND key = $9 AND owner = $8) ON CONFLICT DO NOTHING",
			workspace, r.Key, r.Hash, s.db.Node, s.db.Incarnation, t.ChangeID, sqldb.At(now), r.Owner, r.Former)
		if err != nil {
			return fmt.Errorf("take the key: %w", err)
		}
		if n == 1 {
			state = domain.RequestNew
			return limitKeys(ctx, t, workspace, r, now)
		}
		state, stored, err = knownKey(ctx, t, workspace, r, now)
		return err
	})
	key := r.Key
	if stored != nil {
		key = cmp.Or(stored.Key, key)
	}
	switch k := (heldKey{workspace, key}); {
	case err != nil && attempt != "" && away(err):
		s.held.leave(k, attempt) // it may have been claimed nevertheless
		return "", nil, err
	case err != nil:
		return "", nil, err
	case state == domain.RequestNew:
		s.held.take(k, attempt)
	}
	return state, stored, nil
}

// limitKeys rejects a key, just claimed, that exceeds the limit of its owner.
func limitKeys(ctx context.Context, t *transaction.Tx, workspace string, r IdempotentRequest, now time.Time) error {
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
		return domain.Errorf(domain.CodeTooManyKeys, "The responses to %d of your requests with an Idempotency-Key are stored already, "+
			"each for 24 hours. Nothing was done. Wait, or omit the key from requests that are safe to repeat.", r.MaxKeys)
	}
	return nil
}

// knownKey reads an existing key, and claims it if its request was abandoned.
func knownKey(ctx context.Context, t *transaction.Tx, workspace string, r IdempotentRequest, now time.Time) (
	domain.RequestState, *StoredResponse, error,
) {
	var row idempotencyRow
	err := t.Get(ctx, &row, "SELECT key, request_hash, node, incarnation, applied, seq, created_id, status, headers, body, created_at, "+
		transaction.Alive(t.DB.Dialect, "idempotency.node", "idempotency.incarnation")+" AS alive "+
		"FROM idempotency WHERE workspace_id = $1 AND (key = $2 OR key = $3 AND owner = $4)"+t.DB.Dialect.Lock,
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
		mine := row.Node == t.DB.Node && row.Incarnation == t.DB.Incarnation
		if mine || row.Alive {
			return domain.RequestRunning, stored, nil
		}
	}
	_, err = t.Write(ctx, "UPDATE idempotency SET request_hash = $3, node = $4, incarnation = $5, attempt_id = $6, applied = FALSE, "+
		"seq = 0, created_id = '', status = 0, headers = '', body = '', created_at = $7 WHERE workspace_id = $1 AND key = $2",
		workspace, row.Key, r.Hash, t.DB.Node, t.DB.Incarnation, t.ChangeID, sqldb.At(now))
	if err != nil {
		return "", nil, fmt.Errorf("take the key over: %w", err)
	}
	return domain.RequestNew, stored, nil
}

// known derives the state of a request from its row; domain.RequestRunning if it has not ended.
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

// FinishIdempotent stores the response of a request, which repeats get for 24 hours. After a crash
// the rebuilt response is stored, so repeats stay identical even if the resource changes later.
func (s *RequestStore) FinishIdempotent(
	ctx context.Context, workspace, key string, status int, body []byte, headers map[string]string,
) error {
	kept, err := sqldb.EncodeJSON(&headers)
	if err != nil {
		return err
	}
	return s.endIdempotent(ctx, workspace, key, func(t *transaction.Tx) error {
		// A crash of the database loses only a response that can be built again.
		if err := t.Relax(ctx); err != nil {
			return err
		}
		_, err := t.Write(ctx, "UPDATE idempotency SET status = $5, headers = $6, body = $7 "+
			"WHERE workspace_id = $1 AND key = $2 AND status = 0 AND (applied OR (node = $3 AND incarnation = $4))",
			workspace, key, s.db.Node, s.db.Incarnation, status, kept, base64.StdEncoding.EncodeToString(body))
		return err
	})
}

// RefuseIdempotent ends a request that was rejected and frees its key, because a repeat is rejected
// again. If something was written under the key, the response is stored.
func (s *RequestStore) RefuseIdempotent(ctx context.Context, workspace, key string, status int, body []byte) error {
	return s.endIdempotent(ctx, workspace, key, func(t *transaction.Tx) error {
		n, err := freeKey(ctx, t, workspace, key)
		if err != nil || n > 0 {
			return err
		}
		_, err = t.Write(ctx, "UPDATE idempotency SET status = $5, body = $6 "+
			"WHERE workspace_id = $1 AND key = $2 AND status = 0 AND applied AND node = $3 AND incarnation = $4",
			workspace, key, s.db.Node, s.db.Incarnation, status, base64.StdEncoding.EncodeToString(body))
		return err
	})
}

// AbandonIdempotent frees the key of a request that wrote nothing. If something was written under
// the key, it stays claimed as applied.
func (s *RequestStore) AbandonIdempotent(ctx context.Context, workspace, key string) error {
	return s.endIdempotent(ctx, workspace, key, func(t *transaction.Tx) error {
		_, err := freeKey(ctx, t, workspace, key)
		return err
	})
}

// freeKey deletes a key of this process under which nothing was written.
func freeKey(ctx context.Context, t *transaction.Tx, workspace, key string) (int64, error) {
	return t.Write(ctx, "DELETE FROM idempotency WHERE workspace_id = $1 AND key = $2 AND node = $3 AND incarnation = $4 "+
		"AND NOT applied AND status = 0", workspace, key, t.DB.Node, t.DB.Incarnation)
}

// endIdempotent writes the outcome of a key durably. If a crash of the database lost it while this
// process survives, the key would appear to be in use until the process ends.
func (s *RequestStore) endIdempotent(ctx context.Context, workspace, key string, do func(*transaction.Tx) error) error {
	err := s.db.WriteUnseen(transaction.WithoutKey(ctx), workspace, do)
	s.held.end(heldKey{workspace, key}, err != nil)
	if err != nil {
		return fmt.Errorf("end the request of a key: %w", err)
	}
	return nil
}

// PruneIdempotency deletes keys that are older than 24 hours, and obsolete markers of transactions.
func (s *RequestStore) PruneIdempotency(ctx context.Context, now time.Time) error {
	err := s.db.Write(ctx, "", func(t *transaction.Tx) error {
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

// WithIdempotencyKey makes the next transaction under the context, in this workspace, record that
// the key's request was applied, atomically with its writes.
func WithIdempotencyKey(ctx context.Context, workspace, key string) context.Context {
	return transaction.WithKey(ctx, workspace, key)
}
