//go:build linux || darwin

package keep_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/keep"
)

// TestABackupOntoAFullDisk: it says so, and leaves nothing. The child process may write no
// file longer than 200 KB.
func TestABackupOntoAFullDisk(t *testing.T) {
	if path := os.Getenv("FERMATA_TEST_BACKUP"); path != "" {
		signal.Ignore(syscall.SIGXFSZ) // a full disk sends no signal
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 200_000, Max: 200_000}); err != nil {
			t.Fatal(err)
		}
		_, err := keep.BackupSQLite(t.Context(), path, os.Getenv("FERMATA_TEST_BACKUP_TO"))
		fmt.Println("it said:", err)
		return
	}
	dir := t.TempDir()
	path, target := filepath.Join(dir, "live.db"), filepath.Join(t.TempDir(), "backup.db")
	addWorkspace(t, opened(t, repository.Config{Path: path}), "first")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestABackupOntoAFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), "FERMATA_TEST_BACKUP="+path, "FERMATA_TEST_BACKUP_TO="+target)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "is the disk full?") {
		t.Errorf("%v, it printed %s", err, out)
	}
	if left, err := os.ReadDir(filepath.Dir(target)); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
