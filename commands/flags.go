package commands

import (
	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/domain"
)

// flags are those that a call of the command may carry.
func (c *command) flags() []string {
	switch {
	case c.spec.Kind != domain.KindAction:
		return nil
	case c.external():
		return definitions.Taken(c.own)
	}
	return definitions.Flags
}
