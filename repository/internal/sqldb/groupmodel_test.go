package sqldb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// TestASlowCommit verifies that a transaction that waits behind a COMMIT of ten seconds returns at its own
// deadline, while the one whose COMMIT it is returns with the result of the COMMIT, after its deadline.
func TestASlowCommit(t *testing.T) {
	w := newGroupWorld(t)
	cfg := w.db.cfg
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		cfg.Clock = clock.System
		slow := true
		cfg.AroundCommit = func(commit func() error) error {
			if slow {
				time.Sleep(10 * time.Second)
			}
			return commit()
		}
		db, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		begun := clock.System()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		var all sync.WaitGroup
		write := func(ctx context.Context, id string, want error, after time.Duration) {
			all.Go(func() {
				err := db.Write(ctx, id, func(t *Tx) error { return insert(ctx, t, id) })
				if !errors.Is(err, want) {
					t.Errorf("%s got %v, want %v", id, err, want)
				}
				if took := clock.System().Sub(begun); took < after || took > after+time.Second {
					t.Errorf("%s returned after %s, want %s", id, took, after)
				}
			})
			synctest.Wait()
		}
		write(ctx, "committing", nil, 10*time.Second)
		write(ctx, "in a hurry", context.DeadlineExceeded, 3*time.Second)
		write(t.Context(), "patient", nil, 20*time.Second)
		write(t.Context(), "behind it", nil, 20*time.Second)
		all.Wait()
		slow = false
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// fate is what a transaction of the random test does.
type fate int

const (
	succeeds fate = iota
	fails
	failsTwice // a row that is there already
	panics
	isCancelledBefore
	isCancelledWithin
	isCancelledSometime
	failsWithin // a savepoint, and continues
	endsTheWhole
	fates
)

// TestTheDatabaseHoldsWhatWasReported runs transactions that end in every way, concurrently and with COMMITs that
// fail before and after they are carried out: the database contains exactly the rows whose writers got success.
func TestTheDatabaseHoldsWhatWasReported(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newGroupWorld(t)
			random := rand.New(rand.NewPCG(seed, 1))
			var dice sync.Mutex
			roll := func(n int) int {
				dice.Lock()
				defer dice.Unlock()
				return random.IntN(n)
			}
			broken := errors.New("broken")
			w.aroundCommit(func(commit func() error) error {
				switch roll(12) {
				case 0:
					return errors.Join(commit(), broken)
				case 1:
					return broken
				}
				return commit()
			})
			var mu sync.Mutex
			var want []string
			var all []*outcome
			for writer := range 12 {
				all = append(all, w.start(func() error {
					for n := range 25 {
						id := fmt.Sprintf("%d-%d", writer, n)
						result, hooked := w.suffer(id, fate(roll(int(fates))), roll)
						if (result == nil) != hooked {
							return fmt.Errorf("%s got %w, its hook: %v", id, result, hooked)
						}
						if domain.ErrorCode(result) == domain.CodeOutcomeUnknown {
							return fmt.Errorf("%s: %w", id, result)
						}
						if result == nil {
							mu.Lock()
							want = append(want, id)
							mu.Unlock()
						}
					}
					return nil
				}))
			}
			for _, o := range all {
				w.wantError(o, "")
			}
			w.around.Store(nil)
			have := strings.Fields(w.stored())
			slices.Sort(have)
			slices.Sort(want)
			if !slices.Equal(have, want) || len(want) < 50 {
				t.Errorf("stored are\n%v, reported were\n%v", have, want)
			}
		})
	}
}

// suffer writes one row with that fate. hooked reports whether its hook was called after a commit.
func (w *groupWorld) suffer(id string, f fate, roll func(int) int) (result error, hooked bool) {
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	switch f {
	case isCancelledBefore:
		cancel()
	case isCancelledSometime:
		timer := time.AfterFunc(time.Duration(roll(2000))*time.Microsecond, cancel)
		defer timer.Stop()
	}
	committed, failed := 0, 0
	defer func() {
		if p := recover(); p != nil {
			result = fmt.Errorf("panicked: %v", p)
		}
		if committed > 1 || committed == 1 && result != nil {
			w.Errorf("%s: got %v after %d commits and %d failures", id, result, committed, failed)
		}
		hooked = committed == 1
	}()
	result = w.db.Write(ctx, id, func(t *Tx) error {
		t.OnCommit(func() { committed++ })
		t.OnFailure(func() { failed++ })
		if err := insert(ctx, t, id); err != nil {
			return err
		}
		return w.end(ctx, cancel, t, id, f)
	})
	return result, hooked
}

func (w *groupWorld) end(ctx context.Context, cancel context.CancelFunc, t *Tx, id string, f fate) error {
	switch f {
	case fails:
		return domain.NotFound("session")
	case failsTwice:
		return insert(ctx, t, id)
	case panics:
		panic("boom")
	case isCancelledWithin:
		cancel()
	case failsWithin:
		err := t.Savepoint(ctx, func() error { return errors.Join(insert(ctx, t, id+"-within"), insert(ctx, t, id)) })
		if domain.ErrorCode(err) != domain.CodeConflict {
			return fmt.Errorf("a failure within a savepoint: %w", err)
		}
	case endsTheWhole:
		_, err := t.Write(ctx, "ROLLBACK")
		return errors.Join(err, domain.NotFound("session"))
	}
	return nil
}
