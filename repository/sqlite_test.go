package repository_test

import (
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

func opened(t testing.TB, cfg repository.Config) *repository.Store {
	t.Helper()
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
