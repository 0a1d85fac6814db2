package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/orchestrator/machine"
)

// runActions runs the answer's actions. Their data changes, their outcomes and the
// transition commit in one transaction: whatever crashes, each was done exactly once
// or not at all. The session's lock is held meanwhile, so nothing from outside can
// come between an action and its record.
func (d *driver) runActions(ctx context.Context) (domain.Effect, error) {
	for attempt := 0; ; attempt++ {
		step, change, err := d.act(ctx)
		switch {
		case err == nil:
			d.session, d.change = step.Session, change
			d.remember(change)
			d.committed()
			return step.Effect, nil
		case errors.Is(err, domain.ErrStale):
			d.loop.cfg.Observer.Fenced()
			return domain.DoNothing, errLetGo
		case transient(err) && ctx.Err() == nil:
			if err := d.pause(ctx, attempt); err != nil {
				return domain.DoNothing, err
			}
		default:
			return domain.DoNothing, err
		}
	}
}

// act is one try: nothing of it lasts unless the transaction commits.
func (d *driver) act(ctx context.Context) (*domain.Step, *domain.Change, error) {
	// A cut must not tear an action: it is let finish. Its own timeouts bound it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var step *domain.Step
	change, err := d.loop.cfg.Store.Act(ctx, d.session.WorkspaceID, d.session.ID,
		func(ctx context.Context, view *domain.View, data ActData) (*domain.Change, error) {
			if view.Session.RunEpoch != d.session.RunEpoch || view.Session.Phase != domain.ExecutingActions {
				return nil, domain.ErrStale
			}
			view.Grants = view.GrantsFor(view.Session.State.AnswerID)
			actions := copies(ofKind(view.Planned, domain.KindAction))
			outcome, err := d.loop.cfg.Commands.RunActions(ctx, data, d.loop.env(view), actions, data.Savepoint)
			if err != nil {
				return nil, fmt.Errorf("run actions: %w", err)
			}
			if step, err = machine.Run(view.Session, actionsEvent(actions, outcome), d.loop.policy(view)); err != nil {
				return nil, fmt.Errorf("decide about the actions: %w", err)
			}
			d.view = view
			return step.Change, nil
		})
	return step, change, err
}

// actionsEvent says what became of the actions.
func actionsEvent(actions []*domain.Execution, outcome commands.ActionOutcome) domain.Event {
	switch {
	case outcome.Stale != nil:
		return domain.ApprovalStale{Commands: *outcome.Stale}
	case outcome.Failed:
		return domain.ActionFailureOccurred{Executions: actions, Formatted: outcome.Formatted, Changes: outcome.Changes}
	default:
		return domain.ActionsExecuted{Executions: actions, Formatted: outcome.Formatted, Changes: outcome.Changes}
	}
}

// ofKind picks the executions of one kind, in their order.
func ofKind(all []*domain.Execution, kind domain.CommandKind) []*domain.Execution {
	var some []*domain.Execution
	for _, e := range all {
		if e.Kind == kind {
			some = append(some, e)
		}
	}
	return some
}

// copies lets commands change executions while the machine still sees them as they
// were planned.
func copies(executions []*domain.Execution) []*domain.Execution {
	out := make([]*domain.Execution, len(executions))
	for i, e := range executions {
		c := *e
		out[i] = &c
	}
	return out
}

// env is what commands must know of the session they run for.
func (l *Loop) env(view *domain.View) commands.Env {
	env := commands.EnvOf(view, l.cfg.Clock(), l.cfg.NewID)
	env.Clock = l.cfg.Clock
	return env
}
