package orchestrator

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

// enrich runs the queries of the enrichments in the user's message.
func (d *driver) enrich(ctx context.Context) (domain.Event, error) {
	s := d.session
	message, err := d.loop.cfg.Store.Message(ctx, s.WorkspaceID, s.ID, s.State.RoundMessageID)
	if err != nil {
		return nil, fmt.Errorf("read the round's message: %w", err)
	}
	env := d.loop.env(d.view, callable{}) // enrichments read the workspace only
	queries := d.loop.cfg.Commands.PlanEnrichments(env, message)
	for _, q := range queries {
		q.RoundID = s.State.RoundID
	}
	outcome := d.loop.cfg.Commands.RunQueries(ctx, d.loop.cfg.Data(s.WorkspaceID), nil, env, queries)
	if ctx.Err() != nil {
		return nil, errLetGo
	}
	return domain.EnrichmentsExecuted{Executions: queries, Formatted: outcome.Text}, nil
}
