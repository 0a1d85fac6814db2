package orchestrator

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// runQueries runs the answer's queries: reads only, so they need no commit before,
// and after a crash they run again. They run on copies: if the commit finds that
// something came in, the same answer is decided again from its plan.
func (d *driver) runQueries(ctx context.Context) (domain.Event, error) {
	queries := copies(ofKind(d.view.Planned, domain.KindQuery))
	formatted := d.loop.cfg.Commands.RunQueries(ctx, d.loop.cfg.Data(d.session.WorkspaceID), d.loop.env(d.view), queries)
	if ctx.Err() != nil {
		return nil, errLetGo
	}
	return domain.DataQueriesExecuted{Executions: queries, Formatted: formatted, Actions: domain.PlannedCommands{
		Actions: ofKind(d.view.Planned, domain.KindAction), Reasons: d.plan.Reasons, Cards: d.plan.Cards,
	}}, nil
}
