//go:build !windows

package sqldb

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// fileLock excludes other processes from a SQLite file. The system releases it when the process
// ends, even after a crash.
type fileLock struct{ f *os.File }

func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock file beside the database: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close() // nothing was written
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &HeldError{path}
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &fileLock{f}, nil
}

// lockDatabase locks the database file itself in addition to its lock file: if that is deleted, a
// second server would lock a new one. SQLite uses another kind of lock (fcntl), so readers and
// backups are not affected.
func lockDatabase(path string) (*fileLock, error) { return lockFile(path) }

// release unlocks. The file stays: deleting it would let two processes lock two different files of
// the same name.
func (l *fileLock) release() error { return l.f.Close() }
