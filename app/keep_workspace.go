package app

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/repository/keep"
)

// place is the location of the data.
func (f *Database) place() keep.Place {
	if f.DatabaseURL != "" {
		return keep.Place{URL: f.DatabaseURL}
	}
	return keep.Place{Path: f.SQLitePath()}
}

// Export writes a workspace with its complete history to a file while the server runs.
type Export struct {
	Database  `embed:""`
	printed   `embed:""`
	Workspace string `help:"The workspace to export." short:"w" default:"default" env:"FERMATA_WORKSPACE"`
	Target    string `arg:"" name:"file" help:"File to write." type:"path"`
}

// Do exports the workspace; version is recorded in the file.
func (c *Export) Do(ctx context.Context, version string, out io.Writer) error {
	if err := c.resolve(); err != nil {
		return err
	}
	done, err := keep.ExportWorkspace(ctx, c.place(), c.Workspace, c.Target, "fermata "+version, clock.System())
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s: the workspace %s, %s (%s, schema %d).\nHash of its content: %s",
		done.File, c.Workspace, domain.Many(total(done.Rows), "row"), size(done.Bytes), done.Schema, done.Content)
	if done.AtWork > 0 {
		text += fmt.Sprintf("\n%s active: their work continues here, and would continue again where the file is imported. "+
			"To move a workspace, stop the server first.", domain.Plural(int(done.AtWork), "session was", "sessions were"))
	}
	return c.say(out, done, text+leftOut(done.LeftOut))
}

// Import creates a workspace from an export, in either kind of database.
type Import struct {
	Database `embed:""`
	printed  `embed:""`
	File     string `arg:"" help:"The exported file." type:"path"`
	Trust    bool   `help:"Import connectors, automations, agents and grants enabled, as they were exported: only for a file that you exported yourself." aliases:"trusted"`
}

// Do imports the file.
func (c *Import) Do(ctx context.Context, out io.Writer) error {
	if err := c.resolve(); err != nil {
		return err
	}
	if err := c.makeDataDir(); err != nil {
		return err
	}
	done, err := keep.Load(ctx, c.place(), c.File, keep.Options{Trust: c.Trust, Now: clock.System()})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Imported %s: %s.", strings.Join(done.Workspaces, ", "), domain.Many(total(done.Rows), "row"))
	return c.say(out, done, text+switchedOff(done)+leftOut(done.LeftOut))
}

// switchedOff lists what an import disabled, with the commands and addresses that it would use once
// enabled, so that the person who enables it can decide.
func switchedOff(done *keep.Imported) string {
	var b strings.Builder
	if len(done.Disabled) > 0 {
		var counts []string
		for _, table := range slices.Sorted(maps.Keys(done.Disabled)) {
			counts = append(counts, fmt.Sprintf("%s %d", table, done.Disabled[table]))
		}
		fmt.Fprintf(&b, "\nDisabled, because the file is not trusted (--trust imports a file of your own as it is): %s. Review and enable them.",
			strings.Join(counts, ", "))
	}
	for _, p := range done.Programs {
		switch {
		case p.Command != "":
			fmt.Fprintf(&b, "\nThe %s %q would start: %s", p.Kind, p.Name, domain.VisibleLine(p.Command))
		case p.URL != "":
			fmt.Fprintf(&b, "\nThe %s %q would call: %s", p.Kind, p.Name, domain.VisibleLine(p.URL))
		}
	}
	return b.String()
}

// load restores an archive of an installation into an empty database.
func (c *Restore) load(ctx context.Context, out io.Writer) error {
	done, err := keep.Load(ctx, c.place(), c.File, keep.Options{Installation: true, Revoke: c.RevokeKeys, Now: clock.System()})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("The database now contains: %s.", amounts(int64(len(done.Workspaces)), done.Rows["sessions"], done.Rows["messages"]))
	return c.say(out, done, text+"\nStart the servers with the FERMATA_SECRET_KEY that belongs to this backup."+c.access(done.Revoked))
}

// access explains which API keys are valid in the restored database.
func (c *Restore) access(r keep.Revoked) string {
	if !c.RevokeKeys {
		return "\nAPI keys and sign-ins that were revoked after the backup are valid again: revoke them, or restore with --revoke-keys."
	}
	return fmt.Sprintf("\n%s and %s revoked: start the server with FERMATA_ROOT_KEY and create new keys.",
		domain.Many(r.Keys, "API key"), domain.Plural(int(r.SignIns), "sign-in was", "sign-ins were"))
}

func total(rows map[string]int64) (n int64) {
	for _, of := range rows {
		n += of
	}
	return n
}

// leftOut lists what an archive does not contain.
func leftOut(all map[string]string) string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "\nNot included: %s (%s)", what, all[what])
	}
	return b.String()
}
