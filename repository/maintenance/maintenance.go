package maintenance

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/migrations"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// Tx is a transaction that writes.
type Tx = sqldb.Tx

func steps() sqldb.Migrations {
	return sqldb.Migrations{SQLite: migrations.SQLite(), Postgres: migrations.Postgres()}
}

// Newest is the schema of this program.
func Newest(postgres bool) (int64, error) { return steps().Newest(postgres) }

// After lists the migrations after a schema, in order.
func After(postgres bool, schema int64) ([]sqldb.Step, error) { return steps().After(postgres, schema) }

// NewerError is the error of a start with a database that a newer version migrated.
func NewerError(schema, newest int64) error { return &sqldb.NewerError{Schema: schema, Newest: newest} }

// Place is a database: the URL of PostgreSQL, or the path of a SQLite file.
type Place struct{ URL, Path string }

// Open opens the database to read it, whether a server runs on it or not.
func (p Place) Open() (*sql.DB, error) {
	if p.URL != "" {
		return sqldb.OpenPostgresToRead(p.URL)
	}
	if _, err := os.Stat(p.Path); err != nil {
		return nil, fmt.Errorf("there is no database: %w", err)
	}
	return sqldb.OpenSQLiteToRead(p.Path)
}

// Begin begins to read all tables at one instant, with the time that a slow disk needs to write them.
func (p Place) Begin(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	options := &sql.TxOptions{}
	if p.URL != "" {
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	tx, err := db.BeginTx(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("begin to read: %w", err)
	}
	if p.URL == "" {
		return tx, nil
	}
	if _, err := tx.ExecContext(ctx, sqldb.Unhurried); err != nil {
		return nil, errors.Join(fmt.Errorf("begin to read: %w", err), tx.Rollback())
	}
	return tx, nil
}

// WriteSchema writes to the SQLite file at path with a schema of the past, which a new file gets first. No other process may
// use the file.
func WriteSchema(ctx context.Context, path string, schema int64, write func(*Tx) error) (err error) {
	past, err := steps().Until(schema)
	if err != nil {
		return err
	}
	db, err := sqldb.Open(ctx, sqldb.Config{Path: path, Migrations: past, Clock: clock.System, NewID: ids.New, Connections: 2})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Migrate(ctx); err != nil {
		return err
	}
	return db.Write(ctx, "", write)
}

// Placeholders are n placeholders of a statement, from $from on.
func Placeholders(from, n int) string { return sqldb.Placeholders(from, n) }

// CopySQLite copies a SQLite file while others write to it. check sees the copy before it has its name; it may be nil.
func CopySQLite(ctx context.Context, from, to string, check func(path string) error) error {
	return sqldb.CopySQLite(ctx, from, to, check)
}

// OpenSQLite opens a SQLite file to read it.
func OpenSQLite(path string) (*sql.DB, error) { return sqldb.OpenSQLiteToRead(path) }

// LockSQLite keeps servers from using a SQLite file until release.
func LockSQLite(path string) (release func() error, err error) { return sqldb.HoldSQLite(path) }

// FoldJournal writes the journal of a SQLite file into it.
func FoldJournal(ctx context.Context, path string) error { return sqldb.FoldJournal(ctx, path) }

// CopyBeforeUpgrade is where a server copies a SQLite file of a schema before it migrates it.
func CopyBeforeUpgrade(path string, schema int64) string { return sqldb.BeforeUpgrade(path, schema) }

// Publish gives a finished file its name, on the disk before it returns.
func Publish(part, name string) error { return sqldb.Publish(part, name) }
