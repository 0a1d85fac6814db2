package operate

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/repository/maintenance"
)

// Backup writes the whole installation to a file while the server runs.
type Backup struct {
	Database `embed:""`
	Printed  `embed:""`
	Version  string `kong:"-"` // of this program, recorded in the backup
	Target   string `arg:"" name:"file" help:"File to write, or a directory for a file named by the current time." type:"path"`
}

// taken is a finished backup.
type taken struct {
	*Contents
	SecretKey string `json:"secret_key"`
	Newer     bool   `json:"newer,omitempty"` // than this program, which cannot restore it
}

// Run creates the backup.
func (c *Backup) Run(ctx context.Context, out io.Writer) error {
	if err := c.ReadSecretFiles(); err != nil {
		return err
	}
	secret := "It does not contain the secret key: keep a copy of FERMATA_SECRET_KEY in another place. "
	if c.DatabaseURL == "" {
		secret = "It does not contain the secret key: keep a copy of " + c.KeyFile() + " (or of FERMATA_SECRET_KEY) in another place. "
	}
	secret += "Without it, stored provider keys and webhook URLs cannot be decrypted."
	held, err := c.take(ctx, "fermata "+c.Version)
	if err != nil {
		return err
	}
	if err := c.markBackup(held, clock.System()); err != nil {
		secret += fmt.Sprintf("\nThe backup could not be recorded for `fermata doctor`: %v", err)
	}
	newest, err := maintenance.Newest(c.DatabaseURL != "")
	if err != nil {
		return err
	}
	newer := held.Schema > newest
	if newer {
		secret += fmt.Sprintf("\nThe database belongs to a newer version of Fermata (schema %d; this program supports up to %d): "+
			"only that version or a later one can restore the backup.", held.Schema, newest)
	}
	return c.Say(out, taken{held, secret, newer}, fmt.Sprintf("%s: %s (%s, schema %d), read back and verified.\n%s",
		held.File, amounts(held.Workspaces, held.Sessions, held.Messages), size(held.Bytes), held.Schema, secret))
}

// amounts summarises the content of a backup.
func amounts(workspaces, sessions, messages int64) string {
	return domain.Many(workspaces, "workspace") + ", " + domain.Many(sessions, "session") + ", " + domain.Many(messages, "message")
}

func (c *Backup) take(ctx context.Context, version string) (*Contents, error) {
	now := clock.System()
	if c.DatabaseURL == "" {
		return BackupSQLite(ctx, c.SQLitePath(), backupFile(c.Target, ".db", now))
	}
	done, err := BackupPostgres(ctx, c.DatabaseURL, backupFile(c.Target, ".jsonl", now), version, now)
	if err != nil {
		return nil, err
	}
	return &Contents{File: done.File, Bytes: done.Bytes, Schema: done.Schema,
		Workspaces: done.Rows["workspaces"], Sessions: done.Rows["sessions"], Messages: done.Rows["messages"]}, nil
}

// backupFile returns the file to write for a target.
func backupFile(target, ending string, now time.Time) string {
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return filepath.Join(target, "fermata-"+now.UTC().Format("20060102T150405Z")+ending)
	}
	return target
}

// size formats a number of bytes for people.
func size(bytes int64) string {
	const mib = 1 << 20
	if bytes < mib {
		return fmt.Sprintf("%d KiB", (bytes+1023)/1024)
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/mib)
}

// Restore replaces the database by a backup and keeps the previous database.
type Restore struct {
	Database `embed:""`
	Printed  `embed:""`
	File     string `arg:"" help:"The backup file." type:"path"`
	// A backup restores credentials that were revoked after it.
	RevokeKeys bool `help:"Revoke all API keys and end all sign-ins of the backup; those that were revoked after it would be valid again."`
}

// Run restores the backup.
func (c *Restore) Run(ctx context.Context, out io.Writer) error {
	if err := c.ReadSecretFiles(); err != nil {
		return err
	}
	if c.DatabaseURL != "" {
		return c.load(ctx, out)
	}
	if err := c.makeDataDir(); err != nil {
		return err
	}
	if holdsInstallation(c.File) {
		return c.load(ctx, out)
	}
	newest, err := maintenance.Newest(false)
	if err != nil {
		return err
	}
	done, err := RestoreSQLite(ctx, c.File, c.SQLitePath(), newest, clock.System(), c.RevokeKeys)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s is now the database: %s.", c.SQLitePath(), amounts(done.Workspaces, done.Sessions, done.Messages))
	if done.Aside != "" {
		text += "\nThe previous database was moved to " + done.Aside + "."
	}
	text += "\nStart the server with the secret key that belongs to this backup (" + c.KeyFile() + ", or FERMATA_SECRET_KEY). " +
		"The restored database has no record of what happened after the backup: check external actions before running them again." +
		c.access(done.Revoked)
	return c.Say(out, done, text)
}
