package repository

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

func memoryStore(t *testing.T, change ...func(*Config)) *Store {
	t.Helper()
	cfg := Config{
		Path: filepath.Join(t.TempDir(), "f.db"), Node: "n", Incarnation: "i", Clock: clock.System, NewID: ids.New,
		Encode: func(*domain.LogEvent) ([]byte, error) { return []byte("{}"), nil },
	}
	for _, fn := range change {
		fn(&cfg)
	}
	s, err := Open(t.Context(), cfg)
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

// TestAQueueThatEmptiedBetweenTwoAttempts verifies that a change that is retried after a failed attempt reports the
// queue as it is at the retry.
func TestAQueueThatEmptiedBetweenTwoAttempts(t *testing.T) {
	s := memoryStore(t)
	w := &domain.Workspace{ID: "w", Settings: domain.DefaultSettings(), CreatedAt: time.Now()}
	if err := s.Workspaces.CreateWorkspace(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	c := &domain.Change{WorkspaceID: "w", At: w.CreatedAt}
	// As the attempt before has left it.
	c.Emit(domain.LogEvent{Type: domain.LogQueueChanged, QueueLength: 1, Queue: []domain.QueueRow{{SessionID: "ses_1"}}})
	if err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if e := c.Events[0]; e.QueueLength != 0 || len(e.Queue) != 0 {
		t.Errorf("an empty queue is reported as %d: %v", e.QueueLength, e.Queue)
	}
}

// TestAFullDisk: the change is refused by its name, nothing of it stays, reading goes
// on, and so does writing once there is room again.
func TestAFullDisk(t *testing.T) {
	s := memoryStore(t)
	ctx := t.Context()
	w := &domain.Workspace{ID: "w", Settings: domain.DefaultSettings(), CreatedAt: time.Now()}
	if err := s.Workspaces.CreateWorkspace(ctx, w); err != nil {
		t.Fatal(err)
	}
	size(t, s, "PRAGMA max_page_count = 1") // SQLite takes the present size instead
	put := func(id string) error {
		_, err := s.WriteData(ctx, "w", func(ctx context.Context, d *Data) ([]domain.DataChange, error) {
			body := fmt.Sprintf("%0500000d", 1)
			return []domain.DataChange{{Noun: "document", ID: id}}, d.PutDocument(ctx, &userdata.Document{ID: id, Key: id, DocumentFields: userdata.DocumentFields{Body: body}, CreatedAt: w.CreatedAt, UpdatedAt: w.CreatedAt})
		})
		return err
	}
	if err := put("doc_1"); domain.ErrorCode(err) != domain.CodeStorageFull {
		t.Fatalf("a full disk is reported as %v", err)
	}
	docs, err := s.ReadData("w").Documents(ctx)
	if err != nil || len(docs) != 0 {
		t.Fatalf("after it there are %d documents (%v)", len(docs), err)
	}
	size(t, s, "PRAGMA max_page_count = 1000000")
	if err := put("doc_2"); err != nil {
		t.Fatal(err)
	}
	if _, newest, err := s.Events.EventBounds(ctx, "w"); err != nil || newest != 1 {
		t.Fatalf("the log stands at %d (%v)", newest, err)
	}
}

func size(t *testing.T, s *Store, pragma string) {
	t.Helper()
	var pages int
	err := s.db.Write(t.Context(), "", func(tx *transaction.Tx) error { return tx.Get(t.Context(), &pages, pragma) })
	if err != nil {
		t.Fatal(err)
	}
}

// TestACommitThatFails verifies that after an error of COMMIT the outcome is looked up in the database, and that
// the caller gets the true outcome.
func TestACommitThatFails(t *testing.T) {
	var around func(func() error) error
	s := memoryStore(t, func(cfg *Config) {
		cfg.AroundCommit = func(commit func() error) error {
			if around == nil {
				return commit()
			}
			return around(commit)
		}
	})
	broken := errors.New("an unknown failure")
	for _, c := range []struct {
		name   string
		commit func(func() error) error
	}{
		{"it was carried out", func(commit func() error) error { return errors.Join(commit(), broken) }},
		{"it was not, the first time", notYet(1, broken)},
	} {
		id := ids.New("ws")
		around = c.commit
		err := s.Workspaces.CreateWorkspace(t.Context(), &domain.Workspace{ID: id, Settings: domain.DefaultSettings(), CreatedAt: time.Now()})
		around = nil
		if err != nil {
			t.Errorf("%s: error %v", c.name, err)
		}
		if _, err := s.Workspaces.Workspace(t.Context(), id); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	around = notYet(sqldb.Attempts, broken)
	id := ids.New("ws")
	err := s.Workspaces.CreateWorkspace(t.Context(), &domain.Workspace{ID: id, Settings: domain.DefaultSettings(), CreatedAt: time.Now()})
	if !errors.Is(err, broken) {
		t.Errorf("a commit that never happens is reported as %v", err)
	}
	if _, err := s.Workspaces.Workspace(t.Context(), id); domain.ErrorCode(err) != domain.CodeNotFound {
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
		_ = s.db.Write(t.Context(), "w", func(*transaction.Tx) error { panic("boom") })
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := s.Workspaces.CreateWorkspace(ctx, &domain.Workspace{ID: "w", Settings: domain.DefaultSettings(), CreatedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
}
