//go:build !windows

package sqldb

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
)

// The lock file of a running server may be deleted: the database is locked all the same.
func TestADatabaseIsLockedWithoutItsLockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	cfg := Config{Path: path, Clock: clock.System, NewID: ids.New}
	first, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	var held *HeldError
	if second, err := Open(t.Context(), cfg); !errors.As(err, &held) {
		t.Errorf("a second process got it: %v, %v", second, err)
	}
	if _, err := HoldSQLite(path); !errors.As(err, &held) {
		t.Errorf("a restore got it: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}
