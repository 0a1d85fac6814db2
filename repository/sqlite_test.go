package repository_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

// sqlitePlaces gives every place a file of its own.
func sqlitePlaces(t *testing.T) suite.Open {
	dir := t.TempDir()
	return func(t testing.TB, place string, cfg repository.Config) *repository.Store {
		t.Helper()
		cfg.Path = filepath.Join(dir, filepath.Base(place)+".db")
		return opened(t, cfg)
	}
}

// opened opens a store whose schema is the newest. A file that does not exist yet is copied from a
// migrated one.
func opened(t testing.TB, cfg repository.Config) *repository.Store {
	t.Helper()
	if _, err := os.Stat(cfg.Path); cfg.Path != "" && errors.Is(err, fs.ErrNotExist) {
		suite.MigratedSQLite(t, cfg.Path)
	}
	s, err := repository.Open(t.Context(), cfg)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	return s
}

func TestSQLite(t *testing.T) {
	runSuite(t, sqlitePlaces(t), []string{"search/postgres.go", "internal/sqldb/fenced.go", "internal/sqldb/fencedsql.go"}, checkSQLite)
}
