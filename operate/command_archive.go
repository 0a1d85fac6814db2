package operate

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/visible"
)

// exportCommand writes a workspace with its complete history to a file while the server runs.
type exportCommand struct {
	Database  `embed:""`
	Printed   `embed:""`
	Workspace string `help:"The workspace to export." short:"w" default:"default" env:"FERMATA_WORKSPACE"`
	Version   string `kong:"-"` // of this program, recorded in the file
	Target    string `arg:"" name:"file" help:"File to write." type:"path"`
}

// Run exports the workspace.
func (c *exportCommand) Run(ctx context.Context, out io.Writer) error {
	if err := c.ReadSecretFiles(); err != nil {
		return err
	}
	done, err := ExportWorkspace(ctx, c.Place(), c.Workspace, c.Target, "fermata "+c.Version, clock.System())
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s: the workspace %s, %s (%s, schema %d).\nHash of its content: %s",
		done.File, c.Workspace, domain.Many(total(done.Rows), "row"), size(done.Bytes), done.Schema, done.Content)
	if done.AtWork > 0 {
		text += fmt.Sprintf("\n%s active: their work continues here, and would continue again where the file is imported. "+
			"To move a workspace, stop the server first.", domain.Plural(int(done.AtWork), "session was", "sessions were"))
	}
	return c.Say(out, done, text+leftOut(done.LeftOut))
}

// importCommand creates a workspace from an export, in either kind of database.
type importCommand struct {
	Database `embed:""`
	Printed  `embed:""`
	File     string `arg:"" help:"The exported file." type:"path"`
	Trust    bool   `help:"Import connectors, automations, agents and grants enabled, as they were exported: only for a file that you exported yourself." aliases:"trusted"`
}

// Run imports the file.
func (c *importCommand) Run(ctx context.Context, out io.Writer) error {
	if err := c.ReadSecretFiles(); err != nil {
		return err
	}
	if err := c.makeDataDir(); err != nil {
		return err
	}
	done, err := Load(ctx, c.Place(), c.File, Options{Trust: c.Trust, Now: clock.System()})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Imported %s: %s.", strings.Join(done.Workspaces, ", "), domain.Many(total(done.Rows), "row"))
	return c.Say(out, done, text+switchedOff(done)+leftOut(done.LeftOut))
}

// switchedOff lists what an import disabled, with the commands and addresses that it would use once
// enabled, so that the person who enables it can decide.
func switchedOff(done *Imported) string {
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
			fmt.Fprintf(&b, "\nThe %s %q would start: %s", p.Kind, p.Name, visible.Line(p.Command))
		case p.URL != "":
			fmt.Fprintf(&b, "\nThe %s %q would call: %s", p.Kind, p.Name, visible.Line(p.URL))
		}
	}
	return b.String()
}

// load restores an archive of an installation into an empty database.
func (c *Restore) load(ctx context.Context, out io.Writer) error {
	done, err := Load(ctx, c.Place(), c.File, Options{Installation: true, Revoke: c.RevokeKeys, Now: clock.System()})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("The database now contains: %s.", amounts(int64(len(done.Workspaces)), done.Rows["sessions"], done.Rows["messages"]))
	return c.Say(out, done, text+"\nStart the servers with the FERMATA_SECRET_KEY that belongs to this backup."+c.access(done.Revoked))
}

// access explains which API keys are valid in the restored database.
func (c *Restore) access(r Revoked) string {
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
