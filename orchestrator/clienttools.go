package orchestrator

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

// clientTools are those of the program that sent a message, as they were read of it.
type clientTools struct {
	message string
	list    *domain.ClientTools
	// formatInWords: a provider has refused a request with the schema of the answer's format.
	formatInWords bool
}

// clientTools are those that the present round is offered; nil: none.
func (d *driver) clientTools(ctx context.Context) (*domain.ClientTools, error) {
	s := d.session
	if s.State.RoundTools == "" {
		return nil, nil //nolint:nilnil // most rounds have none
	}
	if d.tools.message != s.State.RoundTools {
		m, err := d.loop.cfg.Store.Message(ctx, s.WorkspaceID, s.ID, s.State.RoundTools)
		if err != nil {
			return nil, fmt.Errorf("read the tools of the round: %w", err)
		}
		d.tools = clientTools{message: m.ID, list: m.Tools}
	}
	return d.tools.list, nil
}
