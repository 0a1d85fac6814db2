package auth

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/clock"
)

const (
	// usesEvery is how often the keys that were used are written: what a process that is
	// killed loses of it.
	usesEvery = time.Minute
	// writeUsesWithin bounds one write.
	writeUsesWithin = 10 * time.Second
	maxUses         = 10_000 // that are noted before they are written
)

// UseStore keeps when keys and sign-ins were used last, and when people were last seen.
type UseStore interface {
	KeysUsed(ctx context.Context, uses []people.KeyUse) error
	SignInsUsed(ctx context.Context, uses []people.SignInUse) error
	PeopleSeen(ctx context.Context, seen []people.PersonSeen) error
}

// Uses remembers when keys and sign-ins were used and people seen, and writes it in the background: no request waits
// for it. It is a lifecycle.Service.
type Uses struct {
	store UseStore
	clock clock.Clock
	log   zerolog.Logger

	mu   sync.Mutex
	used map[useName]time.Time

	life context.Context // of the background; ended by end
	end  context.CancelFunc
	done chan struct{}
}

// useName names a key, a sign-in or a person.
type useName struct {
	workspace, id string
	kind          useKind
}

// useKind is what was used.
type useKind int

const (
	usedKey useKind = iota
	usedSignIn
	usedPerson
)

// NewUses makes one that remembers from the start, and writes once it is started.
func NewUses(store UseStore, c clock.Clock, log zerolog.Logger) *Uses {
	life, end := context.WithCancel(context.Background())
	return &Uses{store: store, clock: c, log: log, used: map[useName]time.Time{}, life: life, end: end, done: make(chan struct{})}
}

// note records a use. A nil Uses records nothing.
func (u *Uses) note(name useName) {
	if u == nil {
		return
	}
	now := u.clock()
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.used) < maxUses || !u.used[name].IsZero() {
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
	u.used = make(map[useName]time.Time, len(used))
	u.mu.Unlock()
	if len(used) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, writeUsesWithin)
	defer cancel()
	if err := u.writeAll(ctx, used); err != nil {
		u.log.Warn().Err(err).Int("keys", len(used)).Msg("when keys and sign-ins were used last could not be written yet")
		u.mu.Lock()
		defer u.mu.Unlock()
		for name, at := range used {
			if u.used[name].IsZero() {
				u.used[name] = at
			}
		}
	}
}

// writeAll writes in an order that is the same on every node, so that two nodes never wait for
// each other.
func (u *Uses) writeAll(ctx context.Context, used map[useName]time.Time) error {
	names := slices.SortedFunc(maps.Keys(used), func(a, b useName) int {
		return cmp.Or(cmp.Compare(a.workspace, b.workspace), cmp.Compare(a.id, b.id))
	})
	var keys []people.KeyUse
	var signIns []people.SignInUse
	var seen []people.PersonSeen
	for _, name := range names {
		switch at := used[name]; name.kind {
		case usedSignIn:
			signIns = append(signIns, people.SignInUse{WorkspaceID: name.workspace, SignInID: name.id, At: at})
		case usedPerson:
			seen = append(seen, people.PersonSeen{WorkspaceID: name.workspace, PersonID: name.id, At: at})
		default:
			keys = append(keys, people.KeyUse{WorkspaceID: name.workspace, KeyID: name.id, At: at})
		}
	}
	if len(keys) > 0 {
		if err := u.store.KeysUsed(ctx, keys); err != nil {
			return fmt.Errorf("keys: %w", err)
		}
	}
	if len(signIns) > 0 {
		if err := u.store.SignInsUsed(ctx, signIns); err != nil {
			return fmt.Errorf("sign-ins: %w", err)
		}
	}
	if len(seen) > 0 {
		if err := u.store.PeopleSeen(ctx, seen); err != nil {
			return fmt.Errorf("people: %w", err)
		}
	}
	return nil
}
