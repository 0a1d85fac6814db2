package repository_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository"
)

// latest is the workspace's latest change.
func (w *cutWorld) latest() string {
	db, err := sql.Open("postgres", w.url)
	w.must(err)
	defer func() { _ = db.Close() }()
	var id string
	w.must(db.QueryRowContext(w.t.Context(), "SELECT last_change_id FROM workspaces WHERE id = $1", ws).Scan(&id))
	return id
}

// arrive lets what was held back arrive, and waits until the server has done with it.
func (w *cutWorld) arrive(atLeast int) {
	w.t.Helper()
	held := w.proxy.LetGo()
	if held < atLeast {
		w.t.Fatalf("%d requests were held back, not %d", held, atLeast)
	}
	testkit.Until(w.t, "what was held back is answered", func() bool { return w.proxy.Replies() >= held })
}

// narrow is a store through the proxy with one connection that writes, warm.
func (w *cutWorld) narrow(change ...func(*repository.Config)) *repository.Store {
	cfg := plainConfig()
	cfg.URL, cfg.Node, cfg.Connections = w.proxy.URL(w.t, w.url), "narrow", 2
	for _, fn := range change {
		fn(&cfg)
	}
	store := opened(w.t, cfg)
	s := w.fresh()
	for range 2 {
		_, err := store.Decide(w.t.Context(), ws, s.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
			return w.plain(v.Session, true), nil
		})
		w.must(err)
	}
	return store
}

// TestLateArrival verifies that a fenced write whose connection was lost, and which arrives only after its outcome
// was settled, changes nothing, whatever outcome was reported.
func TestLateArrival(t *testing.T) {
	w := newCutWorld(t)
	store := w.narrow()
	refusal := errors.New("not under these circumstances")
	for name, second := range map[string]func(*domain.View) (*domain.Change, error){
		"decided again":        func(v *domain.View) (*domain.Change, error) { return w.plain(v.Session, true), nil },
		"refused":              func(*domain.View) (*domain.Change, error) { return nil, refusal },
		"nothing to do by now": func(*domain.View) (*domain.Change, error) { return nil, nil },
	} {
		s, before, asked := w.fresh(), w.lastSeq(), 0
		w.proxy.HoldBack(w.latest())
		_, err := store.Decide(t.Context(), ws, s.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
			if asked++; asked == 1 {
				return w.plain(v.Session, true), nil
			}
			*s = *v.Session
			c, err := second(v)
			if c != nil {
				s = c.Sessions[0].Session
			}
			return c, err
		})
		want := 0
		switch name {
		case "refused":
			if !errors.Is(err, refusal) {
				t.Errorf("%s: error %v", name, err)
			}
		case "decided again":
			want = 1
			fallthrough
		default:
			w.must(err)
		}
		if asked != 2 {
			t.Errorf("%s: decided %d times", name, asked)
		}
		w.arrive(1)
		if n := w.countPlain(s, before); n != want {
			t.Errorf("%s: written %d times, not %d", name, n, want)
		}
	}
}

// TestLateCommit is the same for the end of a round, which is not decided a second time.
func TestLateCommit(t *testing.T) {
	w := newCutWorld(t)
	store := w.narrow()
	s := w.fresh()
	_, err := store.View(t.Context(), ws, s.ID)
	w.must(err)
	before := w.lastSeq()
	w.proxy.HoldBack(w.latest())
	c := w.plain(s, true)
	w.must(store.Commit(t.Context(), c))
	w.arrive(1)
	if n := w.countPlain(s, before); n != 1 {
		t.Errorf("written %d times", n)
	}
}

// TestAnAnswerIsLost verifies that if a fenced write was carried out, its reply was lost and it was sent again, it
// is reported as done, with its numbers, even if it cannot be sent again.
func TestAnAnswerIsLost(t *testing.T) {
	w := newCutWorld(t)
	store := w.narrow()
	confirmed := 0
	for n := 1; n < 20; n++ {
		s := w.fresh()
		_, err := store.View(t.Context(), ws, s.ID)
		w.must(err)
		before := w.lastSeq()
		w.proxy.LoseReply(n)
		w.must(store.Commit(t.Context(), w.plain(s, true)))
		cut := w.proxy.Cut()
		w.proxy.LoseReply(0)
		if times := w.countPlain(s, before); times != 1 {
			t.Fatalf("reply %d (%s) lost: written %d times", n, cut, times)
		}
		if cut == "" {
			break
		}
		confirmed++
	}
	if confirmed == 0 {
		t.Error("nothing was cut")
	}
}

// TestFencedOutcomeUnknown verifies that when the reply is lost and the server cannot be reached, the caller gets
// the error for an unknown outcome and the change in memory is unmodified.
func TestFencedOutcomeUnknown(t *testing.T) {
	w := newCutWorld(t)
	store := w.narrow()
	s := w.fresh()
	_, err := store.View(t.Context(), ws, s.ID)
	w.must(err)
	before, c := *s, w.plain(s, true)
	w.proxy.LoseReplyForGood(1)
	err = store.Commit(t.Context(), c)
	if cut := w.proxy.Cut(); cut != "SELECT 1" {
		t.Fatalf("cut %q", cut)
	}
	var e *domain.Error
	if !errors.As(err, &e) || e.Code != domain.CodeOutcomeUnknown || e.Outcome != domain.OutcomeUnknown {
		t.Errorf("error %v", err)
	}
	if s.Version != before.Version || s.RunEpoch != before.RunEpoch || s.LastSeq != before.LastSeq || c.Messages[0].Seq != 0 {
		t.Error("the change in hand kept its numbers")
	}
	if got := w.read(s.ID); got.Version != 2 {
		t.Errorf("it was carried out, and the version is %d", got.Version)
	}
}

// TestFailuresAroundAFencedCommit verifies that with any failure around the single statement that commits, the
// change is written once and reported as written.
func TestFailuresAroundAFencedCommit(t *testing.T) {
	w := newCutWorld(t)
	var around func(func() error) error
	store := w.narrow(func(cfg *repository.Config) {
		cfg.AroundCommit = func(commit func() error) error {
			if around == nil {
				return commit()
			}
			return around(commit)
		}
	})
	broken := errors.New("an unknown failure")
	for name, failure := range map[string]func(func() error) error{
		"it was carried out": func(commit func() error) error { return errors.Join(commit(), broken) },
		"it was never sent":  func(func() error) error { return broken },
	} {
		s := w.fresh()
		_, err := store.View(t.Context(), ws, s.ID)
		w.must(err)
		before, times := w.lastSeq(), 0
		around = func(commit func() error) error {
			if times++; times > 1 {
				return commit()
			}
			return failure(commit)
		}
		w.must(store.Commit(t.Context(), w.plain(s, true)))
		around = nil
		if n := w.countPlain(s, before); n != 1 || times == 0 {
			t.Errorf("%s: written %d times, after %d commits", name, n, times)
		}
	}
}

// TestSlowFencedCommit verifies that a slow commit is awaited however long it takes, and that a caller who cancels
// meanwhile gets the true outcome.
func TestSlowFencedCommit(t *testing.T) {
	w := newCutWorld(t)
	store := w.narrow()
	s := w.fresh()
	_, err := store.View(t.Context(), ws, s.ID)
	w.must(err)
	execute(t, w.url, `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(10); RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON transitions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()`)
	before := w.lastSeq()
	w.must(store.Commit(t.Context(), w.plain(s, true)))
	if n := w.countPlain(s, before); n != 1 {
		t.Errorf("written %d times", n)
	}
	gone := errors.New("gone")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, gone)
	defer cancel()
	again := *s
	if err := store.Commit(ctx, w.plain(&again, false)); !errors.Is(err, gone) {
		t.Errorf("the cancelled caller got %v", err)
	}
	if n := w.countPlain(s, before); n != 1 {
		t.Errorf("after it: written %d times", n)
	}
}

// TestWhoGoesWhileAViewIsRead: a caller who goes while his view waits, for the database or
// for a connection, is let go, and nothing is decided for him.
func TestWhoGoesWhileAViewIsRead(t *testing.T) {
	w := newCutWorld(t)
	store := w.narrow()
	s := w.fresh()
	db, err := sql.Open("postgres", w.url)
	w.must(err)
	defer func() { _ = db.Close() }()
	held, err := db.BeginTx(t.Context(), nil)
	w.must(err)
	defer func() { _ = held.Rollback() }()
	_, err = held.ExecContext(t.Context(), "LOCK TABLE workspaces IN ACCESS EXCLUSIVE MODE")
	w.must(err)
	gone := errors.New("gone")
	ctx, leave := context.WithCancelCause(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := store.Decide(ctx, ws, s.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
			t.Error("a cancelled caller decides")
			return w.plain(v.Session, true), nil
		})
		result <- err
	}()
	testkit.Until(t, "the view waits", func() bool {
		var waiting int
		w.must(db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()").Scan(&waiting))
		return waiting > 0
	})
	leave(gone)
	select {
	case err := <-result:
		if !errors.Is(err, gone) {
			t.Errorf("error %v", err)
		}
	case <-time.After(20 * time.Second):
		w.must(held.Rollback())
		t.Fatalf("the caller was blocked for as long as the database was: %v", <-result)
	}
}

// TestStaleFencedWrite: a write of a session that has moved on is refused, with the
// workspace's latest change in hand as without.
func TestStaleFencedWrite(t *testing.T) {
	w := newCutWorld(t)
	store := w.narrow()
	s := w.fresh()
	stale, older := *s, *s
	_, err := store.Decide(t.Context(), ws, s.ID, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
		*s = *v.Session
		return w.plain(s, true), nil
	})
	w.must(err)
	before := w.lastSeq()
	older.Version = s.Version // of an earlier claim
	for name, one := range map[string]*domain.Session{"version": &stale, "claim": &older} {
		if err := store.Commit(t.Context(), w.plain(one, false)); !errors.Is(err, domain.ErrStale) {
			t.Errorf("a stale %s is reported as %v", name, err)
		}
	}
	if w.lastSeq() != before {
		t.Error("a stale write left something")
	}
}

// TestWhatHasAResultIsNotStartedAgain: an execution that has ended is not on its way again,
// without a lock as with one, and what came with it in the same change is not written either.
func TestWhatHasAResultIsNotStartedAgain(t *testing.T) {
	w := newCutWorld(t)
	store := w.narrow()
	s := w.fresh()
	x := &domain.Execution{
		ID: ids.New("exe"), WorkspaceID: ws, SessionID: s.ID, Command: "GET_ZONES", Kind: domain.KindQuery, Status: domain.ExecPlanned, CreatedAt: w.at,
	}
	other := *x
	other.ID = ids.New("exe")
	write := func(status domain.ExecutionStatus, executions ...*domain.Execution) error {
		c := w.plain(s, false)
		for _, e := range executions {
			e.Status = status
		}
		c.Executions = executions
		return store.Commit(t.Context(), c)
	}
	w.must(write(domain.ExecPlanned, x))
	w.must(write(domain.ExecSuccess, x))
	before := w.lastSeq()
	if err := write(domain.ExecStarted, &other, x); err == nil || !strings.Contains(err.Error(), "1 of 2 have a result already") {
		t.Errorf("error %v", err)
	}
	if w.lastSeq() != before {
		t.Error("something of the change was left")
	}
	found, err := store.Records.Executions(t.Context(), ws, s.ID)
	w.must(err)
	if len(found) != 1 || found[0].Status != domain.ExecSuccess {
		t.Errorf("the journal has %d executions: %+v", len(found), found)
	}
	w.must(write(domain.ExecSuccess, x)) // the same result, reported again
}

// TestARowThatMovesBehindTheFence verifies that if another transaction writes to a session without making that the
// latest change, while the fenced write waits for the row, the whole fenced write is undone.
func TestARowThatMovesBehindTheFence(t *testing.T) {
	w := newCutWorld(t)
	store := w.narrow()
	s := w.fresh()
	_, err := store.View(t.Context(), ws, s.ID)
	w.must(err)
	execute(t, w.url, "DROP TRIGGER demand ON sessions")
	db, err := sql.Open("postgres", w.url)
	w.must(err)
	defer func() { _ = db.Close() }()
	by, err := db.BeginTx(t.Context(), nil)
	w.must(err)
	_, err = by.ExecContext(t.Context(), "UPDATE sessions SET version = version + 1 WHERE id = $1", s.ID)
	w.must(err)
	before, result := w.lastSeq(), make(chan error)
	go func() { result <- store.Commit(t.Context(), w.plain(s, false)) }()
	testkit.Until(t, "the write waits for the row", func() bool {
		var waiting int
		w.must(db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()").Scan(&waiting))
		return waiting > 0
	})
	w.must(by.Commit())
	if err := <-result; !errors.Is(err, domain.ErrStale) {
		t.Errorf("error %v", err)
	}
	if n := w.lastSeq() - before; n != 0 {
		t.Errorf("%d events were left", n)
	}
}

// TestRacingStores: two stores decide about the sessions of one workspace and end their
// rounds at the same time: each decision is applied once, and the log has no gap.
func TestRacingStores(t *testing.T) {
	w := newCutWorld(t)
	stores := []*repository.Store{w.direct, w.narrow(), w.store}
	sessions := []string{w.fresh().ID, w.fresh().ID, w.fresh().ID}
	before := w.lastSeq()
	const rounds = 30
	var group sync.WaitGroup
	for n := range 6 {
		random := rand.New(rand.NewPCG(uint64(n), 1))
		group.Go(func() {
			for range rounds {
				if err := w.race(stores[n%len(stores)], sessions[random.IntN(len(sessions))], random); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	decided := int64(0)
	for _, id := range sessions {
		s := w.read(id)
		decided += int64(s.State.TotalRoundtrips)
		if s.Version != int64(s.State.TotalRoundtrips)+1 || s.SessionSeq != 2*int64(s.State.TotalRoundtrips) {
			t.Errorf("session: %d decisions, version %d, %d events", s.State.TotalRoundtrips, s.Version, s.SessionSeq)
		}
	}
	if decided < 6*rounds || w.lastSeq()-before != 2*decided {
		t.Errorf("%d decisions (at least %d were made), %d events", decided, 6*rounds, w.lastSeq()-before)
	}
	for _, i := range w.invariants() {
		t.Errorf("invariant %s: %d", i.Name, i.Count)
	}
}

// race makes one decision, and ends its round unless another decision came between.
func (w *cutWorld) race(store *repository.Store, session string, random *rand.Rand) error {
	var mine *domain.Session
	step := func(s *domain.Session) *domain.Change {
		next := s.Clone()
		next.State.TotalRoundtrips++
		mine = next
		return w.plain(next, false)
	}
	_, err := store.Decide(w.t.Context(), ws, session, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
		return step(v.Session), nil
	})
	if err != nil {
		return fmt.Errorf("decide: %w", err)
	}
	if random.IntN(2) == 0 {
		return nil
	}
	if err := store.Commit(w.t.Context(), step(mine)); err != nil && !errors.Is(err, domain.ErrStale) {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
