package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

// CopySQLite writes what the SQLite database at from holds at one instant to the file to,
// which its owner alone may read. Other processes go on reading and writing meanwhile. check
// looks at the copy before it gets its name: until then, and after any failure, there is no
// file of that name, but the one that was there before.
func CopySQLite(ctx context.Context, from, to string, check func(path string) error) (err error) {
	if _, err := os.Stat(from); err != nil {
		return fmt.Errorf("there is no SQLite database to copy: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+".*.part") // of mode 0600
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s to write to: make it first", filepath.Dir(to))
	}
	if err != nil {
		return fmt.Errorf("make the copy's file: %w", err)
	}
	part := f.Name()
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(part), remove(part+"-journal"))
		}
	}()
	if err := f.Close(); err != nil {
		return fmt.Errorf("make the copy's file: %w", err)
	}
	if err := vacuumInto(ctx, from, part); err != nil {
		return fmt.Errorf("copy the database to %s: %w%s", filepath.Dir(to), err, roomHint(err))
	}
	if err := Sync(part); err != nil {
		return fmt.Errorf("write the copy to the disk: %w", err)
	}
	if check != nil {
		if err := check(part); err != nil {
			return fmt.Errorf("the copy is not good, and was thrown away: %w", err)
		}
	}
	return Publish(part, to)
}

// remove takes a file away that may be there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove what was left half done: %w", err)
	}
	return nil
}

func vacuumInto(ctx context.Context, from, to string) error {
	db, err := OpenSQLiteToRead(from)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // it only read
	_, err = db.ExecContext(ctx, "VACUUM INTO $1", to)
	return err
}

// roomHint says what an error of the disk usually means.
func roomHint(err error) string {
	if kind := classifySQLite(err); kind == full || kind == gone {
		return " (is the disk full? Nothing was left there; free some room, or write to another disk)"
	}
	return ""
}

// OpenSQLiteToRead opens a SQLite file beside whoever writes to it.
func OpenSQLiteToRead(path string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the database file %s: %w", path, err)
	}
	q := url.Values{"mode": {"ro"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds())}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(absolute)}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// OpenPostgresToRead connects to a PostgreSQL server, for reading alone.
func OpenPostgresToRead(address string) (*sql.DB, error) {
	d, err := postgresDialect(address, 1, 1)
	if err != nil {
		return nil, err
	}
	return d.open(true)
}

// Sync waits until a file is on the disk.
func Sync(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Publish gives a finished file its name, on the disk too.
func Publish(part, name string) error {
	if err := os.Rename(part, name); err != nil {
		return fmt.Errorf("give %s its name: %w", name, err)
	}
	return syncFolder(filepath.Dir(name))
}

// HoldSQLite keeps every other process from using the database at path, until release.
func HoldSQLite(path string) (release func() error, err error) {
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return lock.release, nil
	}
	own, err := lockDatabase(path)
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return func() error {
		if own == nil {
			return lock.release()
		}
		return errors.Join(own.release(), lock.release())
	}, nil
}

// FoldJournal writes what stands in the journal of a SQLite file into the file itself.
// Whoever asks holds it.
func FoldJournal(ctx context.Context, path string) (err error) {
	d, err := sqliteDialect(path, 1)
	if err != nil {
		return err
	}
	db, err := d.open(false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var busy, inLog, done int
	if err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &inLog, &done); err != nil {
		return fmt.Errorf("fold the journal into the database: %w", err)
	}
	if busy != 0 {
		return errors.New("something reads the database (a backup?): try again when it is done")
	}
	return nil
}
