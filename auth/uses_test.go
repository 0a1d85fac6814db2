package auth

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain/people"
)

// usesKept notes each write of uses.
type usesKept struct {
	mu     sync.Mutex
	writes [][]people.KeyUse
	fault  error

	signIns []people.SignInUse
	seen    []people.PersonSeen
}

func (u *usesKept) PeopleSeen(_ context.Context, seen []people.PersonSeen) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen = append(u.seen, seen...)
	return u.fault
}

func (u *usesKept) SignInsUsed(_ context.Context, uses []people.SignInUse) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.signIns = append(u.signIns, uses...)
	return u.fault
}

func (u *usesKept) KeysUsed(_ context.Context, uses []people.KeyUse) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.writes = append(u.writes, uses)
	return u.fault
}

func (u *usesKept) fail(fault error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.fault = fault
}

// What was used is written once a minute, whatever happens in it; what could not be
// written, with the next; what is left, at the end.
func TestUses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &usesKept{}
		u := NewUses(store, time.Now, zerolog.Nop())
		if err := u.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		one, two := useName{"a", "key_1", usedKey}, useName{"a", "key_2", usedKey}
		browser, person := useName{"a", "sgn_1", usedSignIn}, useName{"a", "per_1", usedPerson}
		for range 30 {
			u.note(two)
			u.note(one)
			u.note(browser)
			u.note(person)
			time.Sleep(time.Second)
		}
		last := time.Now().Add(-time.Second)
		pass := func(d time.Duration) { time.Sleep(d); synctest.Wait() }
		want := func(writes ...[]people.KeyUse) {
			t.Helper()
			store.mu.Lock()
			defer store.mu.Unlock()
			if !slices.EqualFunc(store.writes, writes, slices.Equal[[]people.KeyUse]) {
				t.Fatalf("written: %v, want %v", store.writes, writes)
			}
		}
		want()
		pass(30 * time.Second)
		both := []people.KeyUse{{WorkspaceID: "a", KeyID: "key_1", At: last}, {WorkspaceID: "a", KeyID: "key_2", At: last}}
		want(both)
		if used := []people.SignInUse{{WorkspaceID: "a", SignInID: "sgn_1", At: last}}; !slices.Equal(store.signIns, used) {
			t.Errorf("sign-ins that were used: %v, want %v", store.signIns, used)
		}
		if seen := []people.PersonSeen{{WorkspaceID: "a", PersonID: "per_1", At: last}}; !slices.Equal(store.seen, seen) {
			t.Errorf("people who were seen: %v, want %v", store.seen, seen)
		}
		pass(time.Minute) // nothing was used
		want(both)

		store.fail(errors.New("no database"))
		u.note(one)
		again := []people.KeyUse{{WorkspaceID: "a", KeyID: "key_1", At: time.Now()}}
		pass(time.Minute)
		store.fail(nil)
		pass(time.Minute)
		want(both, again, again)
		u.note(two)
		rest := []people.KeyUse{{WorkspaceID: "a", KeyID: "key_2", At: time.Now()}}
		if err := u.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		want(both, again, again, rest)
	})
}
