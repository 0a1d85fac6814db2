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

// CopySQLite writes a consistent snapshot of the SQLite database at from to the file to, readable
// by its owner only. Other processes can read and write meanwhile. check verifies the copy before
// it gets its final name; after an error the previous file of that name, if any, is unchanged.
func CopySQLite(ctx context.Context, from, to string, check func(path string) error) (err error) {
	if _, err := os.Stat(from); err != nil {
		return fmt.Errorf("there is no SQLite database to copy: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+".*.part") // with mode 0600
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
			return fmt.Errorf("the copy is invalid and was deleted: %w", err)
		}
	}
	return Publish(part, to)
}

// remove deletes a file if it exists.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove an unfinished file: %w", err)
	}
	return nil
}

func vacuumInto(ctx context.Context, from, to string) error {
	db, err := OpenSQLiteToRead(from)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // it was only read
	_, err = db.ExecContext(ctx, "VACUUM INTO $1", to)
	return err
}

// roomHint adds a hint about free space to the error of a copy.
func roomHint(err error) string {
	if kind := classifySQLite(err); kind == full || kind == gone {
		return " (is the disk full? Nothing was left there; free some room, or write to another disk)"
	}
	return ""
}

// OpenSQLiteToRead opens a SQLite file read-only, while other processes may write to it.
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

// OpenPostgresToRead connects to a PostgreSQL server, read-only.
func OpenPostgresToRead(address string) (*sql.DB, error) {
	d, err := postgresDialect(address, 1, 1)
	if err != nil {
		return nil, err
	}
	return d.open(true)
}

// Sync flushes a file to disk.
func Sync(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Publish renames a finished file to its final name, and flushes the name to disk.
func Publish(part, name string) error {
	if err := os.Rename(part, name); err != nil {
		return fmt.Errorf("rename to %s: %w", name, err)
	}
	return syncFolder(filepath.Dir(name))
}

// HoldSQLite locks the database at path against every other process until release is called.
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

// FoldJournal writes the journal of a SQLite file into the file itself. The caller must hold its
// lock.
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
