package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestOneCommitForAll verifies that waiting transactions run in order of arrival, in one group, and that all of
// them return after the single COMMIT.
func TestOneCommitForAll(t *testing.T) {
	w := newGroupWorld(t)
	a, release := w.hold("a")
	all := []*outcome{a}
	for _, id := range []string{"b", "c", "d", "e"} {
		all = append(all, w.behind(t.Context(), id))
	}
	commit, committing := make(chan struct{}), make(chan struct{})
	w.aroundCommit(func(carryOut func() error) error {
		close(committing)
		<-commit
		return carryOut()
	})
	before := w.commits.Load()
	release()
	<-committing
	for _, o := range all {
		select {
		case <-o.done:
			t.Error("a member returned before the COMMIT")
		default:
		}
	}
	close(commit)
	for _, o := range all {
		w.wantError(o, "")
	}
	if n := w.commits.Load() - before; n != 1 {
		t.Errorf("%d commits, want 1", n)
	}
	w.wantStored("a b c d e")
}

// TestOneAloneNeedsNoSavepoint verifies that a group of one member sends the same statements as a plain
// transaction.
func TestOneAloneNeedsNoSavepoint(t *testing.T) {
	w := newGroupWorld(t)
	if err := w.put(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	have := w.db.writer.line.stmts
	for _, text := range []string{"SAVEPOINT member", "RELEASE SAVEPOINT member"} {
		if have.find(text) != nil {
			t.Errorf("%s was sent", text)
		}
	}
	if have.find("BEGIN IMMEDIATE") == nil || have.find("COMMIT") == nil {
		t.Error("the test looks in the wrong place")
	}
}

// TestAGroupIsBounded: so many share a COMMIT, and no more; nor does anybody join once
// the first has waited for long.
func TestAGroupIsBounded(t *testing.T) {
	t.Run("by members", func(t *testing.T) {
		w := newGroupWorld(t)
		before := w.commits.Load()
		a, release := w.hold("a")
		all := []*outcome{a}
		for i := range maxMembers {
			all = append(all, w.behind(t.Context(), fmt.Sprint(i)))
		}
		release()
		for _, o := range all {
			w.wantError(o, "")
		}
		if n := w.commits.Load() - before; n != 2 {
			t.Errorf("%d commits for one more than %d, want 2", n, maxMembers)
		}
	})
	t.Run("by time", func(t *testing.T) {
		w := newGroupWorld(t)
		before := w.commits.Load()
		a, release := w.hold("a")
		b := w.behind(t.Context(), "b", func(*Tx) error {
			w.now.Add(maxGathered.Milliseconds())
			return nil
		})
		c := w.behind(t.Context(), "c")
		release()
		for _, o := range []*outcome{a, b, c} {
			w.wantError(o, "")
		}
		if n := w.commits.Load() - before; n != 2 {
			t.Errorf("%d commits, want 2", n)
		}
	})
}

// TestAFailureIsOnesOwn verifies that if a member fails before the COMMIT for any reason and at any position,
// nothing of it is stored, it gets its error, and the other members are not affected.
func TestAFailureIsOnesOwn(t *testing.T) {
	refused := &domain.Error{Code: domain.CodeSlotTaken, Outcome: domain.NotApplied}
	for _, c := range []struct {
		name string
		then func(ctx context.Context, cancel context.CancelFunc, t *Tx) error
		want func(error) bool
	}{
		{"it refuses", func(context.Context, context.CancelFunc, *Tx) error { return refused },
			func(err error) bool { return errors.Is(err, refused) }},
		{"it is there already", func(ctx context.Context, _ context.CancelFunc, t *Tx) error { return insert(ctx, t, "x") },
			func(err error) bool { return domain.ErrorCode(err) == domain.CodeConflict }},
		{"it panics", func(context.Context, context.CancelFunc, *Tx) error { panic("boom") },
			func(err error) bool { return strings.Contains(err.Error(), "panicked: boom") }},
		{"it panics within a savepoint", func(ctx context.Context, _ context.CancelFunc, t *Tx) error {
			return t.Savepoint(ctx, func() error { return errors.Join(insert(ctx, t, "y"), boom()) })
		}, func(err error) bool { return strings.Contains(err.Error(), "panicked: boom") }},
		{"its goroutine ends", func(context.Context, context.CancelFunc, *Tx) error { runtime.Goexit(); return nil },
			func(err error) bool { return err == nil }}, // there is no caller left to get an error
		{"it is cancelled between two statements", func(ctx context.Context, cancel context.CancelFunc, t *Tx) error {
			cancel()
			return insert(ctx, t, "y")
		}, func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"it is cancelled, and does not look", func(_ context.Context, cancel context.CancelFunc, t *Tx) error {
			cancel()
			return nil
		}, func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"it is cancelled after its last statement", func(_ context.Context, cancel context.CancelFunc, t *Tx) error {
			t.Seq = 1 // its mark is on its events, and no further statement follows
			cancel()
			return nil
		}, func(err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		for at := range 3 {
			t.Run(fmt.Sprintf("%s, as number %d", c.name, at+1), func(t *testing.T) {
				w := newGroupWorld(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				fails := func(tx *Tx) error { return c.then(ctx, cancel, tx) }
				_, release := w.hold("before")
				var all []*outcome
				var failing *outcome
				for i, id := range []string{"a", "b", "c"} {
					if i == at {
						failing = w.behind(ctx, "x", fails)
					} else {
						all = append(all, w.behind(t.Context(), id))
					}
				}
				release()
				for _, o := range all {
					w.wantError(o, "")
				}
				if err := failing.wait(); !c.want(err) {
					t.Errorf("error %v", err)
				}
				have := w.stored()
				if strings.Contains(have, "x") || strings.Contains(have, "y") || len(strings.Fields(have)) != 3 {
					t.Errorf("stored are %q", have)
				}
				w.wantError(w.start(func() error { return w.put(t.Context(), "after") }), "")
			})
		}
	}
}

func boom() error { panic("boom") }

// TestAFailureOfTheFirst verifies that the first member, which has none before it, rolls the transaction back, and
// that the next member begins another one.
func TestAFailureOfTheFirst(t *testing.T) {
	w := newGroupWorld(t)
	a, release := w.hold("a", func(*Tx) error { return domain.NotFound("session") })
	b, c := w.behind(t.Context(), "b"), w.behind(t.Context(), "c")
	release()
	w.wantError(a, domain.CodeNotFound)
	w.wantError(b, "")
	w.wantError(c, "")
	w.wantStored("b c")
}

// TestWhoWaitsCanLeave verifies that a member whose context ends while it waits returns immediately although the
// connection is in use, and that none of its statements run.
func TestWhoWaitsCanLeave(t *testing.T) {
	w := newGroupWorld(t)
	a, release := w.hold("a")
	ctx, cancel := context.WithCancel(t.Context())
	leaving := w.behind(ctx, "x", func(*Tx) error { t.Error("it ran"); return nil })
	b := w.behind(t.Context(), "b")
	cancel()
	if err := leaving.wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	release()
	w.wantError(a, "")
	w.wantError(b, "")
	w.wantStored("a b")
}

// TestAnErrorOfCommitIsLookedUp: each member finds out for itself what became of it.
func TestAnErrorOfCommitIsLookedUp(t *testing.T) {
	broken := errors.New("an unknown failure")
	for _, c := range []struct {
		name   string
		around func(n int64, commit func() error) error
		want   domain.Code
		stored string
	}{
		{"it was carried out", func(_ int64, commit func() error) error { return errors.Join(commit(), broken) }, "", "a b c"},
		{"it was not, and is the next time", func(n int64, commit func() error) error {
			if n == 1 {
				return broken
			}
			return commit()
		}, "", "a b c"},
		{"it never is", func(int64, func() error) error { return broken }, domain.CodeInternal, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newGroupWorld(t)
			before := w.commits.Load()
			w.aroundCommit(func(commit func() error) error { return c.around(w.commits.Load()-before, commit) })
			a, release := w.hold("a")
			all := []*outcome{a, w.behind(t.Context(), "b"), w.behind(t.Context(), "c")}
			release()
			for _, o := range all {
				if err := o.wait(); domain.ErrorCode(err) != c.want && err != nil || (err == nil) != (c.want == "") {
					t.Errorf("error %v, want %q", err, c.want)
				}
			}
			have := strings.Fields(w.stored())
			slices.Sort(have)
			if got := strings.Join(have, " "); got != c.stored {
				t.Errorf("stored are %q, want %q", got, c.stored)
			}
		})
	}
}

// TestTheDatabaseGoesAway covers a lost connection in the middle of a group, whose earlier members run again, and
// during COMMIT, when the outcome cannot be looked up and is unknown for all.
func TestTheDatabaseGoesAway(t *testing.T) {
	t.Run("in the middle of a group", func(t *testing.T) {
		w := newGroupWorld(t)
		gone := 0
		a, release := w.hold("a")
		b := w.behind(t.Context(), "b")
		c := w.behind(t.Context(), "c", func(tx *Tx) error {
			if gone++; gone == 1 {
				w.db.writer.line.stmts.close()
				_ = w.db.writer.line.Raw(func(any) error { return driver.ErrBadConn })
			}
			return insert(t.Context(), tx, "c2")
		})
		d := w.behind(t.Context(), "d")
		release()
		for _, o := range []*outcome{a, b, c, d} {
			w.wantError(o, "")
		}
		if have := strings.Fields(w.stored()); len(have) != 5 {
			t.Errorf("stored are %v", have)
		}
	})
	t.Run("during the commit", func(t *testing.T) {
		w := newGroupWorld(t)
		w.aroundCommit(func(func() error) error { return errors.Join(w.db.Close(), errors.New("it is gone")) })
		a, release := w.hold("a")
		all := []*outcome{a, w.behind(t.Context(), "b")}
		release()
		for _, o := range all {
			err := o.wait()
			var e *domain.Error
			if !errors.As(err, &e) || e.Code != domain.CodeOutcomeUnknown || e.Outcome != domain.OutcomeUnknown {
				t.Errorf("error %v", err)
			}
		}
		if err := w.put(t.Context(), "z"); err == nil {
			t.Error("a closed database was written to")
		}
	})
}

// TestTheWholeIsRolledBack verifies that when SQLite rolls the whole transaction back because of one member's
// error, the other members run again without seeing an error.
func TestTheWholeIsRolledBack(t *testing.T) {
	for name, then := range map[string]func(err error) error{
		"and the member fails":         func(err error) error { return errors.Join(err, domain.NotFound("session")) },
		"and the member takes no note": func(error) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			w := newGroupWorld(t)
			runs := map[string]int{}
			counted := func(id string) func(*Tx) error { return func(*Tx) error { runs[id]++; return nil } }
			a, release := w.hold("a", counted("a"))
			b := w.behind(t.Context(), "b", counted("b"))
			x := w.behind(t.Context(), "x", func(tx *Tx) error {
				_, err := tx.Write(t.Context(), "ROLLBACK")
				return then(err)
			})
			c := w.behind(t.Context(), "c", counted("c"))
			release()
			for _, o := range []*outcome{a, b, c} {
				w.wantError(o, "")
			}
			if err := x.wait(); err == nil {
				t.Error("the member that failed got a success")
			}
			have := strings.Fields(w.stored())
			slices.Sort(have)
			if got := strings.Join(have, " "); got != "a b c" {
				t.Errorf("stored are %q", got)
			}
			if runs["a"] != 2 || runs["b"] != 2 || runs["c"] != 1 {
				t.Errorf("they ran %v times: once too many, or too few", runs)
			}
		})
	}
}

// TestAFullDiskInAGroup verifies that a member that needs more space than is left gets the error for a full disk,
// and that the others are stored.
func TestAFullDiskInAGroup(t *testing.T) {
	w := newGroupWorld(t)
	var pages int
	limit := func(pragma string) {
		t.Helper()
		if err := w.db.Write(t.Context(), "", func(tx *Tx) error { return tx.Get(t.Context(), &pages, pragma) }); err != nil {
			t.Fatal(err)
		}
	}
	limit("PRAGMA page_count")
	limit(fmt.Sprintf("PRAGMA max_page_count = %d", pages+20))
	a, release := w.hold("a")
	b := w.behind(t.Context(), "b")
	large := func(id string) *outcome {
		return w.behind(t.Context(), id, func(tx *Tx) error {
			_, err := tx.Write(t.Context(), "UPDATE workspaces SET name = $1 WHERE id = $2", strings.Repeat("x", 1<<20), id)
			return err
		})
	}
	all := []*outcome{a, b}
	x, y := large("x"), large("y")
	all = append(all, w.behind(t.Context(), "c"))
	swallows := w.behind(t.Context(), "z", func(tx *Tx) error {
		_, _ = tx.Write(t.Context(), "UPDATE workspaces SET name = $1 WHERE id = 'z'", strings.Repeat("x", 1<<20))
		return nil
	})
	all = append(all, w.behind(t.Context(), "d"))
	release()
	for _, o := range all {
		w.wantError(o, "")
	}
	for _, o := range []*outcome{x, y, swallows} {
		w.wantError(o, domain.CodeStorageFull)
	}
	limit("PRAGMA max_page_count = 1000000")
	w.wantError(w.start(func() error { return w.put(t.Context(), "after") }), "")
	have := strings.Fields(w.stored())
	slices.Sort(have)
	if got := strings.Join(have, " "); got != "a after b c d" {
		t.Errorf("stored are %q", got)
	}
}

// TestNothingRunsInATransactionThatIsGone: after an error that may have ended it, only
// going back to a savepoint shows that it stands.
func TestNothingRunsInATransactionThatIsGone(t *testing.T) {
	w := newGroupWorld(t)
	full := errors.New("full")
	err := w.put(t.Context(), "a", func(tx *Tx) error {
		failed := tx.Savepoint(t.Context(), func() error {
			tx.lose(full)
			if err := insert(t.Context(), tx, "x"); !errors.Is(err, full) {
				t.Errorf("error %v", err)
			}
			return full
		})
		if !errors.Is(failed, full) {
			t.Errorf("error %v", failed)
		}
		return insert(t.Context(), tx, "b")
	})
	if err != nil {
		t.Fatal(err)
	}
	w.wantStored("a b")
}

// TestReportedInTheOrderOfTheNumbers verifies that transactions of one workspace that are committed together report
// their events one after the other.
func TestReportedInTheOrderOfTheNumbers(t *testing.T) {
	w := newGroupWorld(t)
	for range 20 {
		var mu sync.Mutex
		reported := map[string][]int{}
		numbered := func(workspace string, n int) func() error {
			return func() error {
				return w.db.Write(t.Context(), workspace, func(tx *Tx) error {
					tx.Seq = int64(n)
					tx.OnCommit(func() {
						runtime.Gosched()
						mu.Lock()
						defer mu.Unlock()
						reported[workspace] = append(reported[workspace], n)
					})
					return nil
				})
			}
		}
		inside, free := make(chan struct{}), make(chan struct{})
		all := []*outcome{w.start(func() error {
			return w.db.Write(t.Context(), "", func(*Tx) error { close(inside); <-free; return nil })
		})}
		<-inside
		for n := 1; n <= 20; n++ {
			for _, workspace := range []string{"one", "two"} {
				before := w.waiting()
				all = append(all, w.start(numbered(workspace, n)))
				for w.waiting() == before {
					runtime.Gosched()
				}
			}
		}
		close(free)
		for _, o := range all {
			w.wantError(o, "")
		}
		for workspace, order := range reported {
			if len(order) != 20 || !slices.IsSorted(order) {
				t.Fatalf("%s was reported in the order %v", workspace, order)
			}
		}
	}
}

// unless refuses where a row is there.
func unless(ctx context.Context, there string) func(t *Tx) error {
	return func(t *Tx) error {
		var n int
		if err := t.Get(ctx, &n, "SELECT COUNT(*) FROM workspaces WHERE id = $1", there); err != nil {
			return err
		}
		if n > 0 {
			return domain.Errorf(domain.CodeConflict, "%s is there", there)
		}
		return nil
	}
}

// TestARefusalLeavesAfterWhatItRestsOn verifies that a member rejected because of rows of its own group returns
// only when those rows are on disk, so that a read after the error agrees with it.
func TestARefusalLeavesAfterWhatItRestsOn(t *testing.T) {
	for name, refuse := range map[string]func(t *Tx) error{
		"by its own rule": unless(t.Context(), "b"),
		"by the database": func(tx *Tx) error { return insert(t.Context(), tx, "b") },
		"within a savepoint": func(tx *Tx) error {
			return tx.Savepoint(t.Context(), func() error { return insert(t.Context(), tx, "b") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newGroupWorld(t)
			_, release := w.hold("a")
			b := w.behind(t.Context(), "b")
			refused := w.behind(t.Context(), "x", refuse)
			commit, committing := make(chan struct{}), make(chan struct{})
			w.aroundCommit(func(carryOut func() error) error {
				close(committing)
				<-commit
				return carryOut()
			})
			release()
			<-committing
			testkit.Until(t, "all have had the connection", func() bool { return w.waiting() == 0 })
			select {
			case <-refused.done:
				t.Error("a refusal left before the COMMIT that it rests on")
			default:
			}
			close(commit)
			w.wantError(refused, domain.CodeConflict)
			w.wantError(b, "")
			w.wantStored("a b")
		})
	}
}

// TestARefusalWithoutItsRowsIsNoRefusal: where the rows that it rests on were never stored, the
// transaction runs again, and comes to what is there.
func TestARefusalWithoutItsRowsIsNoRefusal(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		around func(first bool, commit func() error) error
		spoils bool // a later member undoes the group
	}{
		"the commit fails":             {around: func(first bool, commit func() error) error { return failsOnce(first, commit, broken) }},
		"a later member undoes it all": {around: func(_ bool, commit func() error) error { return commit() }, spoils: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newGroupWorld(t)
			var commits atomic.Int64
			w.aroundCommit(func(commit func() error) error { return c.around(commits.Add(1) == 1, commit) })
			runs := 0
			a, release := w.hold("a")
			b := w.behind(t.Context(), "b", func(*Tx) error {
				if runs++; runs > 1 {
					return domain.NotFound("session") // it does not come to its row a second time
				}
				return nil
			})
			x := w.behind(t.Context(), "x", unless(t.Context(), "b"))
			all := []*outcome{a}
			if c.spoils {
				spoiled := false
				all = append(all, w.behind(t.Context(), "y", func(tx *Tx) error {
					if spoiled {
						return nil
					}
					spoiled = true
					_, err := tx.Write(t.Context(), "ROLLBACK")
					return errors.Join(err, domain.NotFound("session"))
				}))
			}
			release()
			w.wantError(b, domain.CodeNotFound)
			w.wantError(x, "")
			for _, o := range all {
				w.wantError(o, "")
			}
			if have := strings.Fields(w.stored()); slices.Contains(have, "b") || !slices.Contains(have, "x") {
				t.Errorf("stored are %v", have)
			}
		})
	}
}

func failsOnce(first bool, commit func() error, err error) error {
	if first {
		return err
	}
	return commit()
}
