package operate

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

func foundOne(t *testing.T, found []diagnosis.Finding, level diagnosis.Level, says string) {
	t.Helper()
	if len(found) != 1 || found[0].Level != level || !strings.Contains(found[0].Detail, says) {
		t.Errorf("found %+v, want %s and %q", found, level, says)
	}
}

// The doctor knows of a backup that `fermata backup` made, and how old it is.
func TestTheDoctorKnowsTheNewestBackup(t *testing.T) {
	const week = 7 * 24 * time.Hour
	db := Database{DataDir: t.TempDir()}
	if got := db.DiagnoseBackup(week, clock.System()); got != nil {
		t.Errorf("there is nothing to copy: %+v", got)
	}
	if err := (&Migrate{Database: db}).Run(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	foundOne(t, db.DiagnoseBackup(week, clock.System()), diagnosis.LevelWarning, "has never been run")
	file := filepath.Join(t.TempDir(), "monday.db")
	if err := (&Backup{Database: db, Target: file}).Run(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	foundOne(t, db.DiagnoseBackup(week, clock.System()), diagnosis.LevelOK, file)
	foundOne(t, db.DiagnoseBackup(week, clock.System().Add(9*24*time.Hour+time.Hour)), diagnosis.LevelWarning, "9 days ago")
	if err := (&Backup{Database: db, Target: file}).Run(t.Context(), io.Discard); err == nil {
		t.Fatal("a backup took the place of another one")
	}
	foundOne(t, db.DiagnoseBackup(week, clock.System()), diagnosis.LevelOK, file)
	if left, _ := filepath.Glob(filepath.Join(db.DataDir, ".last-backup-*")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
	if info, err := os.Stat(db.backupMarkFile()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if err := os.WriteFile(db.backupMarkFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	foundOne(t, db.DiagnoseBackup(week, clock.System()), diagnosis.LevelWarning, "cannot be read")
	elsewhere := Database{DataDir: filepath.Join(t.TempDir(), "none"), DatabaseURL: "postgres://x"}
	foundOne(t, elsewhere.DiagnoseBackup(week, clock.System()), diagnosis.LevelSkipped, "PostgreSQL's own tools")
}
