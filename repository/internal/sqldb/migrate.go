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

// Migrate brings the schema up to date. Nodes that start together wait for each other. A
// SQLite file is copied aside before it is changed, and a schema that is newer than all
// migrations is left alone.
func (db *DB) Migrate(ctx context.Context) error {
	// A pool of its own: the migrator needs more than one connection, and its
	// statements are not the store's.
	d := db.Dialect
	if db.cfg.Path == "" { // the lock under which nodes migrate belongs to a connection
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
	// lockWait is how long a step waits for a table that others use: as long as it waits, all
	// who come after it wait too.
	lockWait = 2 * time.Second
	// maxLockWaits bounds how often it is tried again; the pause between two lets the others go on.
	maxLockWaits = 60
	lockPause    = time.Second
)

// up carries the steps out. Older nodes may be at work on the same tables: a step that lost against
// them was undone as a whole, and is tried again.
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

// NewerError says that a later version of Fermata changed the schema.
type NewerError struct{ Schema, Newest int64 }

func (e *NewerError) Error() string {
	return fmt.Sprintf("this database was made by a newer Fermata (its schema is %d; this version knows up to %d): "+
		"start that version again, or restore a backup from before the upgrade. Nothing was changed", e.Schema, e.Newest)
}

// prepare looks at what is to be migrated, and copies a SQLite file that has data.
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
		return fmt.Errorf("keep the database as it is, before it is migrated: %w. It was not migrated", err)
	}
	return nil
}

// BeforeUpgrade is where the copy of a SQLite file of that schema lies once it was migrated.
func BeforeUpgrade(file string, schema int64) string {
	return fmt.Sprintf("%s.schema-%d", file, schema)
}

// Newest is the version that migrations lead to.
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

// After are the steps that lead on from a version, in their order.
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

// Until are the migrations that lead to a version, and none after it.
func (m Migrations) Until(version int64) (Migrations, error) {
	older := Migrations{SQLite: until{m.SQLite, version}, Postgres: until{m.Postgres, version}}
	newest, err := older.Newest(false)
	if err == nil && newest != version {
		err = fmt.Errorf("no migration leads to the schema %d", version)
	}
	return older, err
}

// until is a folder of migrations without those after a version.
type until struct {
	fs.FS
	version int64
}

// Glob finds files as fs.Glob does.
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
