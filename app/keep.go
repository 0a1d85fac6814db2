package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/repository/keep"
)

// Keeping are the commands that take the data of an installation out and put it back. They
// work on the database itself, on the machine where the server's configuration is.
type Keeping struct {
	Backup  backupCommand  `cmd:"" help:"Copy the whole installation to a file, while the server runs."`
	Restore restoreCommand `cmd:"" help:"Put a backup in the place of the database; what was there is kept."`
}

// printed is how a command that keeps things says what it did.
type printed struct {
	Output string `help:"text, or json for programs." short:"o" enum:"text,json" default:"text"`
}

func (p printed) say(out io.Writer, value any, text string) error {
	if p.Output != "json" {
		_, err := fmt.Fprintln(out, text)
		return err
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

type backupCommand struct {
	Database `embed:""`
	printed  `embed:""`
	Target   string `arg:"" name:"file" help:"File to write, or a directory for one that is named by the time." type:"path"`
}

// taken is a backup that was made.
type taken struct {
	*keep.Contents
	SecretKey string `json:"secret_key"`
}

func (c *backupCommand) Run(ctx context.Context, out io.Writer) error {
	if err := c.resolve(); err != nil {
		return err
	}
	if c.DatabaseURL != "" {
		return errors.New("FERMATA_DATABASE_URL is set: PostgreSQL is backed up with pg_dump or its own tools (docs/keeping.md)")
	}
	target := backupFile(c.Target, clock.System())
	held, err := keep.BackupSQLite(ctx, c.SQLitePath(), target)
	if err != nil {
		return err
	}
	secret := "The secret key is not in it: keep a copy of " + c.keyFile() + " (or of FERMATA_SECRET_KEY) in another place. " +
		"Without it, stored provider keys and webhook URLs cannot be read again."
	return c.say(out, taken{held, secret}, fmt.Sprintf("%s: %d workspaces, %d sessions, %d messages (%s, schema %d), read from end to end.\n%s",
		held.File, held.Workspaces, held.Sessions, held.Messages, size(held.Bytes), held.Schema, secret))
}

// backupFile is the file that a target means.
func backupFile(target string, now time.Time) string {
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return filepath.Join(target, "fermata-"+now.UTC().Format("20060102T150405Z")+".db")
	}
	return target
}

// size is a number of bytes for people.
func size(bytes int64) string {
	const mib = 1 << 20
	if bytes < mib {
		return fmt.Sprintf("%d KiB", (bytes+1023)/1024)
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/mib)
}

type restoreCommand struct {
	Database `embed:""`
	printed  `embed:""`
	File     string `arg:"" help:"The backup." type:"path"`
}

func (c *restoreCommand) Run(ctx context.Context, out io.Writer) error {
	if err := c.resolve(); err != nil {
		return err
	}
	if c.DatabaseURL != "" {
		return errors.New("FERMATA_DATABASE_URL is set: PostgreSQL is restored with pg_restore or its own tools (docs/keeping.md)")
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	newest, err := keep.Newest(false)
	if err != nil {
		return err
	}
	done, err := keep.RestoreSQLite(ctx, c.File, c.SQLitePath(), newest, clock.System())
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s is the database now: %d workspaces, %d sessions, %d messages.", c.SQLitePath(), done.Workspaces, done.Sessions, done.Messages)
	if done.Aside != "" {
		text += "\nWhat was there before is kept as " + done.Aside + "."
	}
	text += "\nStart the server with the secret key that belongs to this backup (" + c.keyFile() + ", or FERMATA_SECRET_KEY). " +
		"What was said or done after the backup is unknown to it: look at actions outside before you let them run again."
	return c.say(out, done, text)
}
