package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/migrations"
)

func opened(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), Config{
		Path: filepath.Join(t.TempDir(), "f.db"), Clock: clock.System, NewID: ids.New,
		Migrations: Migrations{SQLite: migrations.SQLite(), Postgres: migrations.Postgres()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestFailuresHaveNames verifies that errors of the driver are translated into those that clients see, with nothing
// written.
func TestFailuresHaveNames(t *testing.T) {
	post := &Dialect{classify: classifyPostgres}
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
		{&pq.Error{Code: pqerror.ReadOnlySQLTransaction}, domain.CodeUnavailable}, // a primary that has become a standby
		{errStandby, domain.CodeUnavailable},
		{driver.ErrBadConn, domain.CodeUnavailable},
		{io.ErrUnexpectedEOF, domain.CodeUnavailable},
		{&pq.Error{Code: "42601"}, domain.CodeInternal}, // a mistake in a statement
		{&pq.Error{Code: pqerror.QueryCanceled}, domain.CodeInternal},
	} {
		translated := post.translate(t.Context(), fmt.Errorf("write: %w", c.err))
		if domain.ErrorCode(translated) != c.want {
			t.Errorf("%v is reported as %s, want %s", c.err, domain.ErrorCode(translated), c.want)
		}
		var e *domain.Error
		if errors.As(translated, &e) && e.Outcome != domain.NotApplied {
			t.Errorf("%v: outcome %s", c.err, e.Outcome)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if translated := post.translate(cancelled, &pq.Error{Code: pqerror.QueryCanceled}); !errors.Is(translated, context.Canceled) {
		t.Errorf("a cancelled statement is reported as %v", translated)
	}
}

// TestLostRacesAreRunAgain: a transaction that lost against another one runs again
// from its start, a few times; what it did before is gone.
func TestLostRacesAreRunAgain(t *testing.T) {
	db := opened(t)
	lost := &domain.Error{Code: domain.CodeDatabaseBusy, Outcome: domain.NotApplied, Err: &pq.Error{Code: pqerror.TRSerializationFailure}}
	db.Dialect.classify = classifyPostgres
	for _, c := range []struct{ losses, runs, rows int }{{0, 1, 1}, {2, 3, 1}, {9, Attempts, 0}} {
		runs, id := 0, ids.New("ws")
		err := db.Write(t.Context(), id, func(tx *Tx) error {
			runs++
			if _, err := tx.Write(t.Context(), "INSERT INTO workspaces (id, name, settings, created_at) VALUES ($1, '', '{}', 1)", id); err != nil {
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
		var rows int
		err = db.Get(t.Context(), &rows, "SELECT COUNT(*) FROM workspaces WHERE id = $1", id)
		if err != nil || rows != c.rows {
			t.Errorf("after %d losses there are %d rows (%v)", c.losses, rows, err)
		}
	}
}

var _ sql.Scanner = (*Stamp)(nil)
