package requests

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// keysHeld are the idempotency keys of requests that this process is carrying out. A request can
// end while the database is unavailable, so that its key is not freed; no other process could
// distinguish such a key from one in use, because this process is alive. Such keys are marked as
// left and freed when the database is available again.
type keysHeld struct {
	mu sync.Mutex
	// attempts maps a key to the attempt that claimed it: if the key was claimed again, it is
	// another attempt's.
	attempts map[heldKey]string
	left     map[heldKey]string
}

type heldKey struct{ workspace, key string }

func newKeysHeld() *keysHeld {
	return &keysHeld{attempts: map[heldKey]string{}, left: map[heldKey]string{}}
}

func (h *keysHeld) take(k heldKey, attempt string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.attempts[k] = attempt
}

// end removes a key whose request has ended; if failed is set, the database still has it as
// claimed.
func (h *keysHeld) end(k heldKey, failed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if attempt, held := h.attempts[k]; held && failed {
		h.left[k] = attempt
	}
	delete(h.attempts, k)
}

func (h *keysHeld) leave(k heldKey, attempt string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left[k] = attempt
}

// all returns the keys that were left.
func (h *keysHeld) all() map[heldKey]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.left)
}

func (h *keysHeld) gone(k heldKey, attempt string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left[k] == attempt {
		delete(h.left, k)
	}
}

// away reports whether a statement may not have reached the database.
func away(err error) bool {
	switch domain.ErrorCode(err) {
	case domain.CodeUnavailable, domain.CodeDatabaseBusy, domain.CodeStorageFull, domain.CodeOutcomeUnknown:
		return true
	}
	return false
}

// ReleaseLeft frees the keys of requests that ended while the database was unavailable. A key under
// which something was written stays.
func (s *RequestStore) ReleaseLeft(ctx context.Context) error {
	for k, attempt := range s.held.all() {
		err := s.db.WriteUnseen(transaction.WithoutKey(ctx), k.workspace, func(t *transaction.Tx) error {
			_, err := t.Write(ctx, "DELETE FROM idempotency WHERE workspace_id = $1 AND key = $2 AND attempt_id = $3 "+
				"AND NOT applied AND status = 0", k.workspace, k.key, attempt)
			return err
		})
		if err != nil {
			return fmt.Errorf("give a key free that a request left: %w", err)
		}
		s.held.gone(k, attempt)
	}
	return nil
}
