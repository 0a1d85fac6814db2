package operate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/operate"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/maintenance"
)

// TestTheWrongFileIsNamed verifies that if a backup and an archive, or a folder and a workspace, are confused, the
// error names the right command or name, and nothing is created.
func TestTheWrongFileIsNamed(t *testing.T) {
	dir := t.TempDir()
	at := operate.Place{Path: filepath.Join(dir, "fermata.db")}
	addWorkspace(t, opened(t, repository.Config{Path: at.Path}), "home")
	backup, archive := filepath.Join(dir, "backup.db"), filepath.Join(dir, "w.jsonl")
	if _, err := operate.BackupSQLite(t.Context(), at.Path, backup); err != nil {
		t.Fatal(err)
	}
	if _, err := operate.ExportWorkspace(t.Context(), at, "home", archive, "test", restoredAt); err != nil {
		t.Fatal(err)
	}
	into := operate.Place{Path: filepath.Join(dir, "into.db")}
	newest, err := maintenance.Newest(false)
	if err != nil {
		t.Fatal(err)
	}
	_, restored := operate.RestoreSQLite(t.Context(), archive, into.Path, newest, restoredAt, false)
	_, loaded := operate.Load(t.Context(), into, backup, trusted)
	_, exported := operate.ExportWorkspace(t.Context(), at, "nowhere", filepath.Join(dir, "x"), "test", restoredAt)
	_, copied := operate.BackupSQLite(t.Context(), at.Path, filepath.Join(dir, "no", "x.db"))
	for want, err := range map[string]error{
		"put it in with fermata import":           restored,
		"put in place by fermata restore":         loaded,
		`no workspace "nowhere"; there are: home`: exported,
		filepath.Join(dir, "no") + " to write to": copied,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, none := range []string{"x", "no"} {
		if _, err := os.Stat(filepath.Join(dir, none)); err == nil {
			t.Errorf("%s was made", none)
		}
	}
}
