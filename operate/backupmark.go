package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

// backupMark records the newest backup. `fermata backup` writes it to the data directory, so that
// `fermata doctor` can warn when scheduled backups stop.
type backupMark struct {
	At    time.Time `json:"at"`
	File  string    `json:"file"`
	Bytes int64     `json:"bytes"`
}

func (f *Database) backupMarkFile() string { return filepath.Join(f.DataDir, "last-backup.json") }

// markBackup records a backup. On a machine without a data directory (PostgreSQL) it does nothing.
func (f *Database) markBackup(held *Contents, now time.Time) error {
	if _, err := os.Stat(f.DataDir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	text, err := json.Marshal(backupMark{At: now.UTC(), File: held.File, Bytes: held.Bytes})
	if err != nil {
		return fmt.Errorf("record the backup: %w", err)
	}
	aside, err := os.CreateTemp(f.DataDir, ".last-backup-*")
	if err != nil {
		return fmt.Errorf("record the backup: %w", err)
	}
	_, err = aside.Write(text)
	if err = errors.Join(err, aside.Close()); err == nil {
		err = os.Rename(aside.Name(), f.backupMarkFile())
	}
	if err != nil {
		_ = os.Remove(aside.Name())
		return fmt.Errorf("record the backup: %w", err)
	}
	return nil
}

// DiagnoseBackup checks the age of the newest backup that `fermata backup` made of the server on this machine.
func (f *Database) DiagnoseBackup(within time.Duration, now time.Time) []diagnosis.Finding {
	const check, fix = "backup", "Create one: fermata backup FILE, preferably on a schedule (docs/keeping.md)."
	text, err := os.ReadFile(f.backupMarkFile())
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.DatabaseURL != "":
		return []diagnosis.Finding{diagnosis.Skipped(check,
			"`fermata backup` has not been run with this data directory; backups by PostgreSQL's own tools are not detected")}
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(f.SQLitePath()); err != nil {
			return nil // nothing to back up yet
		}
		return []diagnosis.Finding{diagnosis.Warning(check, "`fermata backup` has never been run for this data directory", fix)}
	}
	var mark backupMark
	if err == nil {
		err = exactjson.Unmarshal(text, &mark)
	}
	if err != nil || mark.At.IsZero() {
		return []diagnosis.Finding{diagnosis.Warning(check, "the record of the newest backup cannot be read: "+f.backupMarkFile(), fix)}
	}
	newest := fmt.Sprintf("the newest is of %s (%s, %s)", mark.At.UTC().Format("2006-01-02 15:04 UTC"), mark.File, size(mark.Bytes))
	if age := now.Sub(mark.At); age > within {
		return []diagnosis.Finding{diagnosis.Warning(check, fmt.Sprintf("%s, %s ago", newest, domain.Many(int(age.Hours()/24), "day")), fix)}
	}
	return []diagnosis.Finding{diagnosis.OK(check, newest)}
}
