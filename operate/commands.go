package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/fermata-dev/fermata/repository"
)

// Commands work directly on the database, on a machine with the server's configuration.
type Commands struct {
	Migrate Migrate       `group:"Server" cmd:"" help:"Bring the database up to date and exit."`
	Backup  Backup        `group:"Keep" cmd:"" help:"Back up the whole installation to a file, while the server runs."`
	Restore Restore       `group:"Keep" cmd:"" help:"Replace the database by a backup; the previous database is kept."`
	Export  exportCommand `group:"Keep" cmd:"" help:"Export a workspace with its complete history to a file of JSON lines, while the server runs."`
	Import  importCommand `group:"Keep" cmd:"" help:"Create a workspace from an export, in either kind of database."`
	Check   upgradeCheck  `group:"Keep" cmd:"" name:"upgrade-check" help:"Show what the next start of this version changes in the database, and what blocks it."`
}

// CommandsOf are the commands of a version of this program.
func CommandsOf(version string) Commands {
	return Commands{Backup: Backup{Version: version}, Export: exportCommand{Version: version}}
}

// Printed defines the output format of the commands.
type Printed struct {
	Output string `help:"Output format: text or json." short:"o" enum:"text,json" default:"text"`
}

// Say writes the result of a command: value as JSON, or text.
func (p Printed) Say(out io.Writer, value any, text string) error {
	if p.Output != "json" {
		_, err := fmt.Fprintln(out, text)
		return err
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// Migrate brings the database up to date.
type Migrate struct {
	Database `embed:""`
	Printed  `embed:""`
}

// Run migrates the database and reports it.
func (c *Migrate) Run(ctx context.Context, out io.Writer) (err error) {
	if err := c.ReadSecretFiles(); err != nil {
		return err
	}
	store, err := c.OpenStore(ctx, repository.Config{Node: "migrate", Incarnation: "migrate"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := store.Migrate(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return c.Say(out, map[string]bool{"up_to_date": true}, "The database is up to date.")
}
