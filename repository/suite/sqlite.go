package suite

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
)

// SQLite opens a database of the test's own, in a file, with the workspace "default": for
// the tests of packages whose rules need a store.
func SQLite(t testing.TB) *repository.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	MigratedSQLite(t, path)
	s, err := repository.Open(t.Context(), templateConfig(path, ""))
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	workspace := &domain.Workspace{ID: domain.DefaultWorkspace, Name: "Default", Settings: domain.DefaultSettings(), CreatedAt: T0}
	if err := s.Workspaces.CreateWorkspace(t.Context(), workspace); err != nil {
		t.Fatalf("create the workspace: %v", err)
	}
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
