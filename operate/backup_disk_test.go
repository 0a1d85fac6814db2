//go:build linux || darwin

package operate_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/operate"
	"github.com/fermata-dev/fermata/repository"
)

// TestABackupOntoAFullDisk: it says so, as an archive does, and leaves nothing. The child process may write no
// file longer than 200 KB.
func TestABackupOntoAFullDisk(t *testing.T) {
	if path := os.Getenv("FERMATA_TEST_BACKUP"); path != "" {
		signal.Ignore(syscall.SIGXFSZ) // a full disk sends no signal
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 200_000, Max: 200_000}); err != nil {
			t.Fatal(err)
		}
		target := os.Getenv("FERMATA_TEST_BACKUP_TO")
		_, err := operate.BackupSQLite(t.Context(), path, target)
		fmt.Println("it said:", err)
		_, err = operate.ExportWorkspace(t.Context(), operate.Place{Path: path}, "first", target, "test", clock.System())
		fmt.Println("the archive said:", err)
		return
	}
	dir := t.TempDir()
	path, target := filepath.Join(dir, "live.db"), filepath.Join(t.TempDir(), "backup.db")
	large := &domain.Workspace{ID: "first", Name: strings.Repeat("long ", 60_000), Settings: domain.DefaultSettings(), CreatedAt: clock.System()}
	if err := opened(t, repository.Config{Path: path}).Workspaces.CreateWorkspace(t.Context(), large); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestABackupOntoAFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), "FERMATA_TEST_BACKUP="+path, "FERMATA_TEST_BACKUP_TO="+target)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "is the disk full? Nothing was left there") != 2 {
		t.Errorf("%v, it printed %s", err, out)
	}
	if left, err := os.ReadDir(filepath.Dir(target)); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
