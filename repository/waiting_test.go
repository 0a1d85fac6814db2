package repository_test

import (
	"database/sql"
	"testing"
	"testing/fstest"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// TestAMigrationLetsOthersPass covers a migration that needs a lock on a table that a long reader (a backup) uses.
// Transactions that arrive after the migration do not have to wait for the reader too, and the migration is carried
// out when the reader has finished.
func TestAMigrationLetsOthersPass(t *testing.T) {
	url := testkit.Postgres(t)
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE used (n int)"); err != nil {
		t.Fatal(err)
	}
	reader, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Rollback() }()
	if _, err := reader.ExecContext(t.Context(), "SELECT n FROM used"); err != nil {
		t.Fatal(err)
	}
	step := fstest.MapFS{"00001_step.sql": {Data: []byte("-- +goose Up\nALTER TABLE used ADD COLUMN more int;\n")}}
	store, err := sqldb.Open(t.Context(), sqldb.Config{URL: url, Migrations: sqldb.Migrations{Postgres: step}, Clock: clock.System, NewID: ids.New})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	done := make(chan error, 1)
	go func() { done <- store.Migrate(t.Context()) }()
	testkit.Until(t, "the step waits for the reader", func() bool {
		var n int
		return db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE NOT granted AND datname = current_database()").Scan(&n) == nil && n == 1
	})
	// It waits for the step that waits for the reader, who does not go.
	if _, err := db.ExecContext(t.Context(), "INSERT INTO used VALUES (1)"); err != nil {
		t.Error(err)
	}
	select {
	case err := <-done:
		t.Fatalf("the step did not wait: %v", err)
	default:
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := db.ExecContext(t.Context(), "UPDATE used SET more = n"); err != nil {
		t.Error(err)
	}
}
