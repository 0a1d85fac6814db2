package operate_test

import (
	"database/sql"
	"fmt"
	"os"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := testkit.StopPostgres(); err != nil {
		fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// opened is a migrated store; it is closed at the end of the test.
func opened(t *testing.T, cfg repository.Config) *repository.Store {
	t.Helper()
	cfg.Node, cfg.Incarnation, cfg.Clock, cfg.NewID = "n", "i", clock.System, ids.New
	cfg.Encode = func(*domain.LogEvent) ([]byte, error) { return []byte("{}"), nil }
	s, err := repository.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func addWorkspace(t *testing.T, s *repository.Store, id string) {
	t.Helper()
	err := s.Workspaces.CreateWorkspace(t.Context(), &domain.Workspace{ID: id, Name: id, Settings: domain.DefaultSettings(), CreatedAt: clock.System()})
	if err != nil {
		t.Fatal(err)
	}
}

func workspaces(t *testing.T, s *repository.Store) int {
	t.Helper()
	all, err := s.Workspaces.Workspaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// query reads one column of a SQLite file.
func query(t *testing.T, path, text string) (all []string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
