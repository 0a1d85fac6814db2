package sqldb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

// Migrate updates the schema to the newest version. Nodes that start concurrently wait for each
// other. A SQLite file is copied before it is changed. A schema that is newer than all migrations
// is an error.
func (db *DB) Migrate(ctx context.Context) error {
	// A separate pool: the migrator needs more than one connection, and its statements must not be
	// kept prepared.
	d := db.Dialect
	if db.cfg.Path == "" { // the migration lock needs a dedicated connection
		var err error
		direct := cmp.Or(db.cfg.DirectURL, db.cfg.URL)
		if d, err = postgresDialect(direct, 4, 1, lockSetting, fmt.Sprint(lockWait.Milliseconds())); err != nil {
			return err
		}
	}
	pool, err := d.open(false)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }() // its work is committed or failed by now
	pool.SetMaxOpenConns(4)
	migrator, err := d.migrator(pool, db.cfg.Migrations)
	if err != nil {
		return err
	}
	if err := db.prepare(ctx, migrator); err != nil {
		return err
	}
	if err := db.up(ctx, migrator); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}

const (
	// lockWait is how long a migration waits for a table's lock. Meanwhile all later statements on
	// that table wait too.
	lockWait = 2 * time.Second
	// maxLockWaits limits the retries; the pause between them lets other statements proceed.
	maxLockWaits = 60
	lockPause    = time.Second
)

// up runs the migrations. Older nodes may be using the same tables: a migration that could not get
// its lock was rolled back and is retried.
func (db *DB) up(ctx context.Context, migrator *goose.Provider) error {
	for attempt := 1; ; attempt++ {
		_, err := migrator.Up(ctx)
		if kind := db.Dialect.classify(err); err == nil || attempt == maxLockWaits || kind != retryable && kind != busy {
			return err
		}
		pause := time.NewTimer(lockPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return err
		}
	}
}

// NewerError means that a later version of Fermata changed the schema.
type NewerError struct{ Schema, Newest int64 }

func (e *NewerError) Error() string {
	return fmt.Sprintf("this database was made by a newer Fermata (its schema is %d; this version knows up to %d): "+
		"start that version again, or restore a backup from before the upgrade. Nothing was changed", e.Schema, e.Newest)
}

// prepare checks the version, and copies a SQLite file with data.
func (db *DB) prepare(ctx context.Context, migrator *goose.Provider) error {
	current, err := migrator.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	sources := migrator.ListSources()
	newest := sources[len(sources)-1].Version
	switch {
	case current > newest:
		return &NewerError{current, newest}
	case db.cfg.Path == "" || current == 0 || current == newest:
		return nil
	}
	if err := CopySQLite(ctx, db.cfg.Path, BeforeUpgrade(db.cfg.Path, current), nil); err != nil {
		return fmt.Errorf("copy the database before the migration: %w. It was not migrated", err)
	}
	return nil
}

// BeforeUpgrade is the path of the copy of a SQLite file before it was migrated from that schema.
func BeforeUpgrade(file string, schema int64) string {
	return fmt.Sprintf("%s.schema-%d", file, schema)
}

// Newest returns the version of the last migration.
func (m Migrations) Newest(postgres bool) (int64, error) {
	steps, err := m.After(postgres, 0)
	if err != nil || len(steps) == 0 {
		return 0, errors.Join(err, errors.New("there are no migrations"))
	}
	return steps[len(steps)-1].Version, nil
}

// Step is one migration.
type Step struct {
	Version int64
	Name    string
	SQL     string
}

// After lists the migrations after a version, in order.
func (m Migrations) After(postgres bool, version int64) ([]Step, error) {
	files := m.SQLite
	if postgres {
		files = m.Postgres
	}
	names, err := fs.Glob(files, "*.sql") // sorted
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	var steps []Step
	for _, name := range names {
		v, rest, err := numbered(name)
		if err != nil {
			return nil, err
		}
		if v <= version {
			continue
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read the migration %s: %w", name, err)
		}
		steps = append(steps, Step{Version: v, Name: rest, SQL: string(text)})
	}
	return steps, nil
}

// Until returns the migrations up to and including a version.
func (m Migrations) Until(version int64) (Migrations, error) {
	older := Migrations{SQLite: until{m.SQLite, version}, Postgres: until{m.Postgres, version}}
	newest, err := older.Newest(false)
	if err == nil && newest != version {
		err = fmt.Errorf("no migration leads to the schema %d", version)
	}
	return older, err
}

// until hides the migrations after a version.
type until struct {
	fs.FS
	version int64
}

// Glob implements fs.GlobFS.
func (u until) Glob(pattern string) ([]string, error) {
	names, err := fs.Glob(u.FS, pattern)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(names, func(name string) bool {
		v, _, err := numbered(name)
		return err == nil && v > u.version
	}), nil
}

func numbered(name string) (version int64, rest string, err error) {
	number, rest, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".sql"), "_")
	if version, err = strconv.ParseInt(number, 10, 64); err != nil {
		return 0, "", fmt.Errorf("the migration %s has no number: %w", name, err)
	}
	return version, rest, nil
}
