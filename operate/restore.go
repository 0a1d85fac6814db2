package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fermata-dev/fermata/repository/maintenance"
)

// Restored says what a restore did.
type Restored struct {
	Contents
	Revoked
	// Aside is where what was there before lies now; "" when there was nothing.
	Aside string `json:"kept_aside,omitempty"`
}

// RestoreSQLite puts the backup at file in the place of the database at path, which no
// server may use. What was there is kept beside it, under a name with the time. At every
// instant there is a whole database at path: a restore that is killed has happened, or not.
// With revoke, no API key and no sign-in of the backup is valid afterwards.
func RestoreSQLite(ctx context.Context, file, path string, newest int64, now time.Time, revoke bool) (*Restored, error) {
	held, err := inspectSQLite(ctx, file)
	if err != nil && isArchive(file) {
		return nil, fmt.Errorf("%s is an archive and no SQLite database: put it in with fermata import. Nothing was changed", file)
	}
	if err != nil {
		return nil, fmt.Errorf("this backup is not restored: %w. Nothing was changed", err)
	}
	if held.Schema > newest {
		return nil, newer(held.Schema, newest)
	}
	release, err := maintenance.LockSQLite(path)
	if err != nil {
		return nil, fmt.Errorf("a server runs on it; nothing was changed: %w", err)
	}
	defer func() { _ = release() }() // the process ends next, and the lock with it
	part := path + ".restoring"
	if err := copyBytes(file, part); err != nil {
		return nil, errors.Join(fmt.Errorf("copy the backup beside the database: %w. Nothing was changed", err), os.Remove(part))
	}
	// What was copied is looked at, and not only what it was copied from.
	if _, err := inspectSQLite(ctx, part); err != nil {
		return nil, errors.Join(fmt.Errorf("the copied backup: %w. Nothing was changed", err), os.Remove(part))
	}
	done := &Restored{Contents: *held}
	if revoke {
		if done.Revoked, err = revokeIn(ctx, part, held.Schema, now); err != nil {
			return nil, errors.Join(fmt.Errorf("revoke the keys of the backup: %w. Nothing was changed", err), os.Remove(part))
		}
	}
	if done.Aside, err = setAside(ctx, path, now); err != nil {
		return nil, errors.Join(err, os.Remove(part))
	}
	if err := maintenance.Publish(part, path); err != nil {
		return nil, err
	}
	done.File = file
	return done, nil
}

// newer is said of what a later version of Fermata made.
func newer(schema, newest int64) error {
	return fmt.Errorf("it was made by a newer Fermata (schema %d; this one knows up to %d): use that version or a later one. Nothing was changed",
		schema, newest)
}

// setAside gives the database a second name and empties its journal, whose lines must not be
// read as those of the database that comes into its place.
func setAside(ctx context.Context, path string, now time.Time) (string, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	aside := path + ".before-restore-" + now.UTC().Format("20060102T150405Z")
	if err := free(aside); err != nil {
		return "", err
	}
	// What cannot be read any more, which is why people restore, is kept as it is, with its
	// journal: SQLite would throw that away.
	if _, err := inspectSQLite(ctx, path); err == nil {
		if err := maintenance.FoldJournal(ctx, path); err != nil {
			return "", fmt.Errorf("fold the journal of what is there into it: %w. Nothing was changed", err)
		}
	}
	for _, ending := range []string{"", "-wal"} {
		if err := secondName(path+ending, aside+ending); err != nil {
			return "", fmt.Errorf("keep what is there: %w. Nothing was changed", err)
		}
	}
	for _, ending := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + ending); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("take the journal away: %w", err)
		}
	}
	return aside, nil
}

// secondName links a file, or copies it where the file system knows no links. One that is
// missing or empty needs none.
func secondName(from, to string) error {
	info, err := os.Stat(from)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err := os.Link(from, to); err == nil {
		return nil
	}
	return copyBytes(from, to)
}

// copyBytes copies a file for its owner alone, on the disk before it returns.
func copyBytes(from, to string) (err error) {
	in, err := os.Open(filepath.Clean(from))
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	out, err := os.OpenFile(filepath.Clean(to), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}
