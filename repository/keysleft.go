package repository

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/fermata-dev/fermata/domain"
)

// keysHeld are the idempotency keys under which this process carries requests out. While the
// database is away a request can end without its key being given free: nobody else could tell
// such a key from one that is in use, because this process lives. So it is remembered as left,
// and given free when the database is back.
type keysHeld struct {
	mu sync.Mutex
	// attempts are the marks under which they were taken: a key that was taken anew is another's.
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

// end forgets a key whose request has ended; failed: the database does not know of it.
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

// all are those that are left.
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

// away says whether the database may not have heard what it was asked.
func away(err error) bool {
	switch domain.ErrorCode(err) {
	case domain.CodeUnavailable, domain.CodeDatabaseBusy, domain.CodeStorageFull, domain.CodeOutcomeUnknown:
		return true
	}
	return false
}

// ReleaseLeft gives the keys free that requests left behind while the database was away. What was
// written under one stays.
func (s *RequestStore) ReleaseLeft(ctx context.Context) error {
	for k, attempt := range s.held.all() {
		err := s.writeUnseen(withoutKey(ctx), k.workspace, func(t *tx) error {
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
