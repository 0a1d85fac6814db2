package orchestrator

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
)

// runQueries runs the answer's queries: reads only, so they need no commit before,
// and after a crash they run again. They run on copies: if the commit finds that
// something came in, the same answer is decided again from its plan.
func (d *driver) runQueries(ctx context.Context) (domain.Event, error) {
	queries := copies(ofKind(d.view.Planned, domain.KindQuery))
	plain, agents := withoutAgents(queries)
	if len(agents) > 0 {
		if event, err := (&calling{caller: d}).runAgents(ctx, agents); event != nil || err != nil {
			return event, err
		}
	}
	env := d.loop.env(d.view, callable{specs: d.loop.offered(ctx, d.view)})
	call := d.loop.caller(d.view.Session, nil)
	outcome := d.loop.cfg.Commands.RunQueries(ctx, d.loop.cfg.Data(d.session.WorkspaceID), call, env, plain)
	if ctx.Err() != nil {
		return nil, errLetGo
	}
	if outcome.Ask != nil {
		return domain.OutsideAsked{Ask: *outcome.Ask}, nil // they all run again once it is answered: they only read
	}
	event := domain.DataQueriesExecuted{
		Executions: queries, CancelTasks: outcome.CancelTasks, AddedCommands: append(outcome.Added, firstCalled(&env, agents)...),
		Formatted: strings.TrimSpace(outcome.Text + "\n\n" + formattedAgents(agents)),
	}
	if actions := ofKind(d.view.Planned, domain.KindAction); len(actions) > 0 {
		pending := d.session.State.Pending // it outlives the process that planned the answer
		if err := d.renewGrants(ctx, d.session.State.AnswerID); err != nil {
			return nil, err
		}
		outside, err := d.loop.callable(ctx, d.view, named(actions))
		if err != nil {
			return nil, fmt.Errorf("look for unsettled actions: %w", err)
		}
		if event.Actions, err = d.loop.cfg.Commands.Replan(
			ctx,
			d.loop.cfg.Data(d.session.WorkspaceID),
			d.loop.env(d.view, outside),
			copies(actions),
			pending != nil && pending.AIAsked,
		); err != nil {
			return nil, fmt.Errorf("plan the actions behind the queries: %w", err)
		}
	}
	return event, nil
}

// firstCalled are the called agents of a workspace that is offered none: it has a use for them from now on.
func firstCalled(env *commands.Env, agents []*domain.Execution) (names []string) {
	if env.Uses.Agents(env.Outside) {
		return nil
	}
	for _, call := range agents {
		names = append(names, call.Command)
	}
	return names
}

// withoutAgents parts the queries from those that call agents.
func withoutAgents(queries []*domain.Execution) (plain, agents []*domain.Execution) {
	for _, q := range queries {
		if domain.CallsAgent(q.Command) {
			agents = append(agents, q)
		} else {
			plain = append(plain, q)
		}
	}
	return plain, agents
}
