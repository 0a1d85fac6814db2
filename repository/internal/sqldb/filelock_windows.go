package sqldb

import (
	"errors"
	"fmt"
	"syscall"
)

// fileLock excludes other processes from a SQLite file: a handle without sharing. The system closes
// it when the process ends, even after a crash.
type fileLock struct{ h syscall.Handle }

const sharingViolation = syscall.Errno(32)

func lockFile(path string) (*fileLock, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, fmt.Errorf("open the lock file beside the database: %w", err)
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, &HeldError{path}
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &fileLock{h}, nil
}

// lockDatabase does nothing on Windows: a lock on the database file itself would exclude SQLite,
// and a lock file in use cannot be deleted.
func lockDatabase(string) (*fileLock, error) { return nil, nil }

func (l *fileLock) release() error { return syscall.CloseHandle(l.h) }
