package operate

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// upgradeCheck reports what the next start of this version changes in the database, and what blocks
// it. It changes nothing.
type upgradeCheck struct {
	Database `embed:""`
	Printed  `embed:""`
}

// Run returns an error if something blocks the upgrade.
func (c *upgradeCheck) Run(ctx context.Context, out io.Writer) error {
	if err := c.ReadSecretFiles(); err != nil {
		return err
	}
	u, err := CheckUpgrade(ctx, c.Place())
	if err != nil {
		return err
	}
	text := fmt.Sprintf("The database has schema %d, this version has schema %d: ", u.Schema, u.Newest)
	switch {
	case u.Schema > u.Newest:
		text += "the database is newer."
	case len(u.Steps) == 0:
		text += "no migration is needed."
	default:
		text += "the next start runs " + strings.Join(u.Steps, ", ") + "."
	}
	if u.CopiedTo != "" {
		text += fmt.Sprintf("\nFirst it copies the database file (%s) to %s.", size(u.Bytes), u.CopiedTo)
		if u.Free >= 0 {
			text += fmt.Sprintf(" The disk has %s free.", size(u.Free))
		}
	} else if len(u.Steps) > 0 {
		text += "\nCreate a backup first: PostgreSQL databases are not copied. Nodes of both versions must not run at the same time unless the migrations only add."
	}
	if len(u.Blocks) > 0 {
		text += "\nBlocked: " + strings.Join(u.Blocks, "\nBlocked: ")
	}
	if err := c.Say(out, u, text); err != nil {
		return err
	}
	if len(u.Blocks) > 0 {
		return fmt.Errorf("the upgrade is blocked by %s", domain.Plural(len(u.Blocks), "problem", "problems"))
	}
	return nil
}
