package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/repository/keep"
)

// backupMark is what the data directory knows of the newest backup; `fermata backup` leaves it
// there, so that somebody notices when a timer has stopped making them.
type backupMark struct {
	At    time.Time `json:"at"`
	File  string    `json:"file"`
	Bytes int64     `json:"bytes"`
}

func (f *Database) backupMarkFile() string { return filepath.Join(f.DataDir, "last-backup.json") }

// markBackup notes a backup. With PostgreSQL the machine may have no data directory; then
// nothing is noted.
func (f *Database) markBackup(held *keep.Contents, now time.Time) error {
	if _, err := os.Stat(f.DataDir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	text, err := json.Marshal(backupMark{At: now.UTC(), File: held.File, Bytes: held.Bytes})
	if err != nil {
		return fmt.Errorf("note the backup: %w", err)
	}
	aside, err := os.CreateTemp(f.DataDir, ".last-backup-*")
	if err != nil {
		return fmt.Errorf("note the backup: %w", err)
	}
	_, err = aside.Write(text)
	if err = errors.Join(err, aside.Close()); err == nil {
		err = os.Rename(aside.Name(), f.backupMarkFile())
	}
	if err != nil {
		_ = os.Remove(aside.Name())
		return fmt.Errorf("note the backup: %w", err)
	}
	return nil
}

// DiagnoseBackup looks how old the newest backup is that `fermata backup` made of the server
// of this machine.
func DiagnoseBackup(flags Config, address string, within time.Duration) []diagnosis.Finding {
	if elsewhere(address) || flags.resolve() != nil {
		return nil // as Diagnose says
	}
	return flags.checkBackup(within, clock.System())
}

func (f *Database) checkBackup(within time.Duration, now time.Time) []diagnosis.Finding {
	const check, mend = "backup", "Make one: fermata backup FILE, better by a timer (docs/keeping.md)."
	text, err := os.ReadFile(f.backupMarkFile())
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.DatabaseURL != "":
		return []diagnosis.Finding{diagnosis.Skipped(check,
			"`fermata backup` made none with this data directory; those of PostgreSQL's own tools are not known here")}
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(f.SQLitePath()); err != nil {
			return nil // there is nothing to copy yet
		}
		return []diagnosis.Finding{diagnosis.Warning(check, "`fermata backup` never made one of this data directory", mend)}
	}
	var mark backupMark
	if err == nil {
		err = json.Unmarshal(text, &mark)
	}
	if err != nil || mark.At.IsZero() {
		return []diagnosis.Finding{diagnosis.Warning(check, "what is noted of the newest one cannot be read: "+f.backupMarkFile(), mend)}
	}
	said := fmt.Sprintf("the newest is of %s (%s, %s)", mark.At.UTC().Format("2006-01-02 15:04 UTC"), mark.File, size(mark.Bytes))
	if age := now.Sub(mark.At); age > within {
		return []diagnosis.Finding{diagnosis.Warning(check, fmt.Sprintf("%s, %s ago", said, domain.Many(int(age.Hours()/24), "day")), mend)}
	}
	return []diagnosis.Finding{diagnosis.OK(check, said)}
}
