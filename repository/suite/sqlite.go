package suite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository"
)

// migrated is a SQLite file with an empty workspace "default", made once for a test
// binary.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fermata-suite")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "template.db")
	s, err := repository.Open(context.Background(), sqliteConfig(path))
	if err != nil {
		return nil, err
	}
	if err := s.Migrate(context.Background()); err != nil {
		return nil, err
	}
	workspace := &domain.Workspace{ID: domain.DefaultWorkspace, Name: "Default", Settings: domain.DefaultSettings(), CreatedAt: T0}
	if err := errors.Join(s.Workspaces.CreateWorkspace(context.Background(), workspace), s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func sqliteConfig(path string) repository.Config {
	return repository.Config{Path: path, Node: "node-1", Incarnation: "first", Clock: clock.System, NewID: ids.New, Encode: encode}
}

// SQLite opens a database of the test's own, in a file, with the workspace "default": for
// the tests of packages whose rules need a store.
func SQLite(t testing.TB) *repository.Store {
	t.Helper()
	file, err := migrated()
	if err != nil {
		t.Fatalf("make the template: %v", err)
	}
	path := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := repository.Open(t.Context(), sqliteConfig(path))
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// errEnded rolls the transaction of a test back.
var errEnded = errors.New("the test has ended")

// InTransaction gives the data of the workspace "default" in a transaction that is open
// for as long as the test runs, and rolled back then.
func InTransaction(t testing.TB, s *repository.Store) *repository.Data {
	t.Helper()
	begun, end, ended := make(chan *repository.Data), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := s.WriteData(context.WithoutCancel(t.Context()), domain.DefaultWorkspace,
			func(_ context.Context, d *repository.Data) ([]domain.DataChange, error) {
				begun <- d
				<-end
				return nil, errEnded
			})
		ended <- err
	}()
	select {
	case d := <-begun:
		t.Cleanup(func() {
			close(end)
			if err := <-ended; !errors.Is(err, errEnded) {
				t.Errorf("end the transaction: %v", err)
			}
		})
		return d
	case err := <-ended:
		t.Fatalf("begin: %v", err)
		return nil
	}
}
