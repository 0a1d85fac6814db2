package auth

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

const (
	// usesEvery is how often the keys that were used are written: what a process that is
	// killed loses of it.
	usesEvery = time.Minute
	// writeUsesWithin bounds one write.
	writeUsesWithin = 10 * time.Second
)

// UseStore keeps when keys were used last.
type UseStore interface {
	KeysUsed(ctx context.Context, uses []domain.KeyUse) error
}

// Uses remembers when keys were used and writes it in the background: no request waits
// for it. It is a lifecycle.Service.
type Uses struct {
	store UseStore
	clock clock.Clock
	log   zerolog.Logger

	mu   sync.Mutex
	used map[keyName]time.Time

	life context.Context // of the background; ended by end
	end  context.CancelFunc
	done chan struct{}
}

type keyName struct{ workspace, id string }

// NewUses makes one that remembers from the start, and writes once it is started.
func NewUses(store UseStore, c clock.Clock, log zerolog.Logger) *Uses {
	life, end := context.WithCancel(context.Background())
	return &Uses{store: store, clock: c, log: log, used: map[keyName]time.Time{}, life: life, end: end, done: make(chan struct{})}
}

// note is told of each use. A nil Uses remembers nothing.
func (u *Uses) note(k *domain.Key) {
	if u == nil {
		return
	}
	now := u.clock()
	u.mu.Lock()
	defer u.mu.Unlock()
	if name := (keyName{k.WorkspaceID, k.ID}); len(u.used) < maxEntries || !u.used[name].IsZero() {
		u.used[name] = now
	}
}

// Start begins to write once a minute.
func (u *Uses) Start(context.Context) error {
	go func() {
		defer close(u.done)
		ticker := time.NewTicker(usesEvery)
		defer ticker.Stop()
		for {
			select {
			case <-u.life.Done():
				return
			case <-ticker.C:
				u.write(u.life)
			}
		}
	}()
	return nil
}

// Stop writes what is left.
func (u *Uses) Stop(ctx context.Context) error {
	u.end()
	<-u.done
	u.write(ctx)
	return nil
}

// write fails nothing: what could not be written is kept for the next time.
func (u *Uses) write(ctx context.Context) {
	u.mu.Lock()
	used := u.used
	u.used = make(map[keyName]time.Time, len(used))
	u.mu.Unlock()
	if len(used) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, writeUsesWithin)
	defer cancel()
	if err := u.store.KeysUsed(ctx, inOrder(used)); err != nil {
		u.log.Warn().Err(err).Int("keys", len(used)).Msg("when keys were used last could not be written yet")
		u.mu.Lock()
		defer u.mu.Unlock()
		for name, at := range used {
			if u.used[name].IsZero() {
				u.used[name] = at
			}
		}
	}
}

// inOrder is the same on every node, so that two nodes never wait for each other.
func inOrder(used map[keyName]time.Time) []domain.KeyUse {
	uses := make([]domain.KeyUse, 0, len(used))
	for name, at := range used {
		uses = append(uses, domain.KeyUse{WorkspaceID: name.workspace, KeyID: name.id, At: at})
	}
	slices.SortFunc(uses, func(a, b domain.KeyUse) int {
		return cmp.Or(cmp.Compare(a.WorkspaceID, b.WorkspaceID), cmp.Compare(a.KeyID, b.KeyID))
	})
	return uses
}
