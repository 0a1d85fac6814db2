package suite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository"
)

// The schema is migrated once per test binary and database; every test gets a copy. The migrations
// themselves have tests of their own, which begin with an empty or an older database.

// MigratedSQLite writes a database that has the newest schema and no rows to path.
func MigratedSQLite(t testing.TB, path string) {
	t.Helper()
	file, err := sqliteTemplate()
	if err != nil {
		t.Fatalf("make the template: %v", err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
}

// MigratedPostgres returns the URL of a database of the test's own that has the newest schema and
// no rows.
func MigratedPostgres(t testing.TB) (url string) {
	t.Helper()
	return testkit.PostgresCopy(t, "migrated", func(url string) {
		if err := migrate(templateConfig("", url)); err != nil {
			t.Fatalf("make the template: %v", err)
		}
	})
}

var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fermata-suite")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "template.db")
	if err := migrate(templateConfig(path, "")); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func migrate(cfg repository.Config) error {
	s, err := repository.Open(context.Background(), cfg)
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(context.Background()), s.Close())
}

func templateConfig(path, url string) repository.Config {
	return repository.Config{Path: path, URL: url, Node: "node-1", Incarnation: "first", Clock: clock.System, NewID: ids.New, Encode: encode}
}
