package repository

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
)

func memoryStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{
		Path: filepath.Join(t.TempDir(), "f.db"), Node: "n", Incarnation: "i", Clock: clock.System, NewID: ids.New,
		Encode: func(*domain.LogEvent) ([]byte, error) { return []byte("{}"), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFailuresHaveNames: what the driver says becomes what the client is told, and
// nothing was written.
func TestFailuresHaveNames(t *testing.T) {
	post := &dialect{classify: classifyPostgres}
	for _, c := range []struct {
		err  error
		want domain.Code
	}{
		{&pq.Error{Code: pqerror.TRSerializationFailure}, domain.CodeDatabaseBusy},
		{&pq.Error{Code: pqerror.TRDeadlockDetected}, domain.CodeDatabaseBusy},
		{&pq.Error{Code: pqerror.UniqueViolation}, domain.CodeConflict},
		{&pq.Error{Code: pqerror.ForeignKeyViolation}, domain.CodeConflict},
		{&pq.Error{Code: pqerror.DiskFull}, domain.CodeStorageFull},
		{&pq.Error{Code: pqerror.TooManyConnections}, domain.CodeUnavailable},
		{&pq.Error{Code: pqerror.AdminShutdown}, domain.CodeUnavailable},
		{&pq.Error{Code: "25P03"}, domain.CodeUnavailable},
		{driver.ErrBadConn, domain.CodeUnavailable},
		{io.ErrUnexpectedEOF, domain.CodeUnavailable},
		{&pq.Error{Code: "42601"}, domain.CodeInternal}, // a mistake in a statement
		{&pq.Error{Code: pqerror.QueryCanceled}, domain.CodeInternal},
	} {
		told := post.told(t.Context(), fmt.Errorf("write: %w", c.err))
		if domain.ErrorCode(told) != c.want {
			t.Errorf("%v is told as %s, want %s", c.err, domain.ErrorCode(told), c.want)
		}
		var e *domain.Error
		if errors.As(told, &e) && e.Outcome != domain.NotApplied {
			t.Errorf("%v: outcome %s", c.err, e.Outcome)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if told := post.told(cancelled, &pq.Error{Code: pqerror.QueryCanceled}); !errors.Is(told, context.Canceled) {
		t.Errorf("a cancelled statement is told as %v", told)
	}
}

// TestAFullDisk: the change is refused by its name, nothing of it stays, reading goes
// on, and so does writing once there is room again.
func TestAFullDisk(t *testing.T) {
	s := memoryStore(t)
	ctx := t.Context()
	w := &domain.Workspace{ID: "w", Settings: domain.DefaultSettings(), CreatedAt: time.Now()}
	if err := s.CreateWorkspace(ctx, w); err != nil {
		t.Fatal(err)
	}
	size(t, s, "PRAGMA max_page_count = 1") // SQLite takes the present size instead
	put := func(id string) error {
		_, err := s.WriteData(ctx, "w", func(ctx context.Context, d *Data) ([]domain.DataChange, error) {
			body := fmt.Sprintf("%0500000d", 1)
			return []domain.DataChange{{Noun: "document", ID: id}}, d.PutDocument(ctx, &domain.Document{ID: id, Key: id, Body: body, CreatedAt: w.CreatedAt, UpdatedAt: w.CreatedAt})
		})
		return err
	}
	if err := put("doc_1"); domain.ErrorCode(err) != domain.CodeStorageFull {
		t.Fatalf("a full disk is told as %v", err)
	}
	docs, err := s.ReadData("w").Documents(ctx)
	if err != nil || len(docs) != 0 {
		t.Fatalf("after it there are %d documents (%v)", len(docs), err)
	}
	size(t, s, "PRAGMA max_page_count = 1000000")
	if err := put("doc_2"); err != nil {
		t.Fatal(err)
	}
	if _, newest, err := s.EventBounds(ctx, "w"); err != nil || newest != 1 {
		t.Fatalf("the log stands at %d (%v)", newest, err)
	}
}

func size(t *testing.T, s *Store, pragma string) {
	t.Helper()
	var pages int
	if err := s.writes.GetContext(t.Context(), &pages, pragma); err != nil {
		t.Fatal(err)
	}
}

// TestLostRacesAreRunAgain: a transaction that lost against another one runs again
// from its start, a few times; what it did before is gone.
func TestLostRacesAreRunAgain(t *testing.T) {
	s := memoryStore(t)
	lost := &domain.Error{Code: domain.CodeDatabaseBusy, Outcome: domain.NotApplied, Err: &pq.Error{Code: pqerror.TRSerializationFailure}}
	s.dialect.classify = classifyPostgres
	for _, c := range []struct{ losses, runs, rows int }{{0, 1, 1}, {2, 3, 1}, {9, attempts, 0}} {
		runs, id := 0, ids.New("ws")
		_, err := s.write(t.Context(), id, func(tx *tx) error {
			runs++
			if _, err := tx.exec(t.Context(), "INSERT INTO workspaces (id, name, settings, created_at) VALUES ($1, '', '{}', 1)", id); err != nil {
				return err
			}
			if runs <= c.losses {
				return lost
			}
			return nil
		})
		if (err == nil) != (c.rows == 1) || runs != c.runs {
			t.Errorf("after %d losses: %d runs, %v", c.losses, runs, err)
		}
		_, err = s.Workspace(t.Context(), id)
		if (err == nil) != (c.rows == 1) {
			t.Errorf("after %d losses the row is %v", c.losses, err)
		}
	}
}

// TestACommitThatFails: an error from COMMIT is looked up, not believed: applied or
// not, the caller is told the truth.
func TestACommitThatFails(t *testing.T) {
	s := memoryStore(t)
	broken := errors.New("nobody knows")
	for _, c := range []struct {
		name   string
		commit func(func() error) error
	}{
		{"it was carried out", func(commit func() error) error { return errors.Join(commit(), broken) }},
		{"it was not, the first time", notYet(1, broken)},
	} {
		id := ids.New("ws")
		s.cfg.AroundCommit = c.commit
		err := s.CreateWorkspace(t.Context(), &domain.Workspace{ID: id, Settings: domain.DefaultSettings(), CreatedAt: time.Now()})
		s.cfg.AroundCommit = nil
		if err != nil {
			t.Errorf("%s: told %v", c.name, err)
		}
		if _, err := s.Workspace(t.Context(), id); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	s.cfg.AroundCommit = notYet(attempts, broken)
	id := ids.New("ws")
	err := s.CreateWorkspace(t.Context(), &domain.Workspace{ID: id, Settings: domain.DefaultSettings(), CreatedAt: time.Now()})
	if !errors.Is(err, broken) {
		t.Errorf("a commit that never happens is told as %v", err)
	}
	if _, err := s.Workspace(t.Context(), id); domain.ErrorCode(err) != domain.CodeNotFound {
		t.Errorf("after it: %v", err)
	}
}

func notYet(times int, err error) func(func() error) error {
	return func(commit func() error) error {
		if times > 0 {
			times--
			return err
		}
		return commit()
	}
}

// TestAPanicLeavesNothingLocked: whatever happens within a transaction, the next one
// finds the database free.
func TestAPanicLeavesNothingLocked(t *testing.T) {
	s := memoryStore(t)
	func() {
		defer func() { _ = recover() }()
		_, _ = s.write(t.Context(), "w", func(*tx) error { panic("boom") })
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := s.CreateWorkspace(ctx, &domain.Workspace{ID: "w", Settings: domain.DefaultSettings(), CreatedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
}

var _ sql.Scanner = (*stamp)(nil)
