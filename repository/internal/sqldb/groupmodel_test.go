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

// TestASlowCommit: who waits behind a COMMIT of ten seconds is told when its own time is
// over; of whom the COMMIT is, is told how that ended, though its time is over too.
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
					t.Errorf("%s was told %v, want %v", id, err, want)
				}
				if took := clock.System().Sub(begun); took < after || took > after+time.Second {
					t.Errorf("%s was told after %s, want %s", id, took, after)
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
	failsWithin // a savepoint, and goes on
	endsTheWhole
	fates
)

// TestWhatIsThereIsWhatWasTold: transactions that end in every way, beside each other and
// with COMMITs that fail on either side of being carried out: what is in the database is
// what its writers were told, no more and no less.
func TestWhatIsThereIsWhatWasTold(t *testing.T) {
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
						told, hooked := w.suffer(id, fate(roll(int(fates))), roll)
						if (told == nil) != hooked {
							return fmt.Errorf("%s was told %w, its hook: %v", id, told, hooked)
						}
						if domain.ErrorCode(told) == domain.CodeOutcomeUnknown {
							return fmt.Errorf("%s: %w", id, told)
						}
						if told == nil {
							mu.Lock()
							want = append(want, id)
							mu.Unlock()
						}
					}
					return nil
				}))
			}
			for _, o := range all {
				w.wantTold(o, "")
			}
			w.around.Store(nil)
			have := strings.Fields(w.stored())
			slices.Sort(have)
			slices.Sort(want)
			if !slices.Equal(have, want) || len(want) < 50 {
				t.Errorf("stored are\n%v, told were\n%v", have, want)
			}
		})
	}
}

// suffer writes one row with that fate. hooked says whether its hook heard of a commit.
func (w *groupWorld) suffer(id string, f fate, roll func(int) int) (told error, hooked bool) {
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
			told = fmt.Errorf("panicked: %v", p)
		}
		if committed > 1 || committed == 1 && told != nil {
			w.Errorf("%s: told %v after %d commits and %d failures", id, told, committed, failed)
		}
		hooked = committed == 1
	}()
	told = w.db.Write(ctx, id, func(t *Tx) error {
		t.OnCommit(func() { committed++ })
		t.OnFailure(func() { failed++ })
		if err := insert(ctx, t, id); err != nil {
			return err
		}
		return w.end(ctx, cancel, t, id, f)
	})
	return told, hooked
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
