package app

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/keep"
)

// UpgradeCheck says what the next start of this version does to the database, and what is in
// its way. It changes nothing.
type UpgradeCheck struct {
	Database `embed:""`
	printed  `embed:""`
}

// Do carries it out; an error, where something is in the way.
func (c *UpgradeCheck) Do(ctx context.Context, out io.Writer) error {
	if err := c.resolve(); err != nil {
		return err
	}
	u, err := keep.CheckUpgrade(ctx, c.place())
	if err != nil {
		return err
	}
	text := fmt.Sprintf("The database has the schema %d, this version %d: ", u.Schema, u.Newest)
	switch {
	case u.Schema > u.Newest:
		text += "it is newer."
	case len(u.Steps) == 0:
		text += "nothing is to be done."
	default:
		text += "the next start carries out " + strings.Join(u.Steps, ", ") + "."
	}
	if u.CopiedTo != "" {
		text += fmt.Sprintf("\nBefore that it copies the file (%s) to %s.", size(u.Bytes), u.CopiedTo)
		if u.Free >= 0 {
			text += fmt.Sprintf(" The disk has %s free.", size(u.Free))
		}
	} else if len(u.Steps) > 0 {
		text += "\nTake a backup first: PostgreSQL is not copied. Nodes of both versions may not run on it at a time unless the steps only add."
	}
	if len(u.Blocks) > 0 {
		text += "\nIn the way: " + strings.Join(u.Blocks, "\nIn the way: ")
	}
	if err := c.say(out, u, text); err != nil {
		return err
	}
	if len(u.Blocks) > 0 {
		return fmt.Errorf("%s in the way of the upgrade", domain.Plural(len(u.Blocks), "thing is", "things are"))
	}
	return nil
}
