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

// series is the actions of an answer, being carried out.
type series struct {
	*driver
	work outsideWork
}

// run runs the answer's actions. Their data changes, their outcomes and the transition commit in one
// transaction: after any crash, each was done exactly once or not at all. The session's lock is held
// meanwhile, so nothing external can come between an action and its record. An action that another server
// carries out divides the series: its start is stored with what ended before it, then it is sent, and its
// outcome is stored with what follows.
func (d *series) run(ctx context.Context) (domain.Effect, error) {
	sent := d.interrupted(ctx)
	for attempt := 0; ; {
		done, err := d.act(ctx, sent)
		switch {
		case err == nil:
			if done.change != nil {
				d.session, d.change = done.step.Session, done.change
				d.remember(done.change)
				d.committed()
			}
			if sent, attempt = nil, 0; done.next != nil {
				sent = d.send(ctx, done.next)
			} else if !done.held {
				return done.step.Effect, nil
			}
			if err := d.between(ctx, sent); err != nil {
				return domain.DoNothing, err
			}
		case errors.Is(err, domain.ErrStale):
			d.loop.cfg.Observer.Fenced()
			d.work.asks.take() // no person is asked: the outcome is the one without an answer
			d.late(ctx, sent)
			return domain.DoNothing, errLetGo
		case transient(err) && (ctx.Err() == nil || sent != nil):
			if attempt++; d.pause(context.WithoutCancel(ctx), attempt-1) != nil {
				return domain.DoNothing, errLetGo
			}
		default:
			return domain.DoNothing, err
		}
	}
}

// acted is what one transaction of a series came to.
type acted struct {
	step   *domain.Step
	change *domain.Change    // nil: there was nothing to store
	next   *domain.Execution // to be sent
	held   bool
}

// act is one attempt: it has no effect unless the transaction commits. sent is the outcome of the action
// that was sent since the last one.
func (d *series) act(ctx context.Context, sent *domain.Execution) (acted, error) {
	hold := ctx.Err() != nil || d.yields.Load() && sent != nil
	// A cut must not tear an action: it is let finish. Its own timeouts bound it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	offered, err := d.loop.envToPlan(ctx, d.view, named(d.view.Planned))
	if err != nil {
		return acted{}, err
	}
	var done acted
	ask := d.work.asks.peek()
	done.change, err = d.loop.cfg.Store.Act(ctx, d.session.WorkspaceID, d.session.ID,
		func(ctx context.Context, view *domain.View, data ActData) (*domain.Change, error) {
			if view.Session.RunEpoch != d.session.RunEpoch || view.Session.Phase != domain.ExecutingActions {
				return nil, domain.ErrStale
			}
			view.Grants = view.GrantsFor(view.Session.State.AnswerID)
			if ask != nil {
				return d.askPerson(view, &done, ask)
			}
			actions := withOutcome(copies(ofKind(view.Planned, domain.KindAction)), sent)
			env := d.loop.env(view)
			env.Outside, env.Call, env.Unsettled, env.Hold = offered.Outside, offered.Call, offered.Unsettled, hold
			made := []*domain.Change{}
			env.Made = &made
			outcome, err := d.loop.cfg.Commands.RunActions(ctx, data, env, actions, data.Savepoint)
			if err != nil {
				return nil, fmt.Errorf("run actions: %w", err)
			}
			taken, waitsFor := d.loop.taken(view, &d.work, actions, offered.Outside)
			if done.step, err = machine.Run(view.Session, actionsEvent(actions, outcome, waitsFor), d.loop.policy(view)); err != nil {
				return nil, fmt.Errorf("decide about the actions: %w", err)
			}
			if d.work.next = nil; outcome.Next != nil {
				d.work.next = d.loop.begin(view, outcome.Next, offered.Outside)
			}
			addTasks(done.step.Change, append(taken, d.work.next)...)
			addAutomations(done.step.Change, made)
			d.view, done.next, done.held = view, outcome.Next, outcome.Held
			return done.step.Change, nil
		})
	if err == nil && ask != nil {
		d.work.asks.take()
	}
	return done, err
}

// askPerson stops the series before a call that wants something of a person first.
func (d *series) askPerson(view *domain.View, done *acted, ask *domain.OutsideAsk) (*domain.Change, error) {
	actions := copies(ofKind(view.Planned, domain.KindAction))
	step, err := machine.Run(view.Session, domain.OutsideAsked{Executions: actions, Ask: *ask}, d.loop.policy(view))
	if err != nil {
		return nil, fmt.Errorf("ask a person first: %w", err)
	}
	done.step, d.view = step, view
	return step.Change, nil
}

// actionsEvent is the event for the outcome of the actions.
func actionsEvent(actions []*domain.Execution, outcome commands.ActionOutcome, tasks []string) domain.Event {
	switch {
	case outcome.Stale != nil:
		return domain.ApprovalStale{Commands: *outcome.Stale}
	case outcome.Next != nil || outcome.Held:
		return domain.ActionStarted{Executions: actions, Changes: outcome.Changes}
	case outcome.Failed:
		return domain.ActionFailureOccurred{Executions: actions, Changes: outcome.Changes}
	case len(tasks) > 0:
		return domain.ExternalTasksStarted{Executions: actions, Changes: outcome.Changes, Tasks: tasks}
	default:
		return domain.ActionsExecuted{Executions: actions, Changes: outcome.Changes}
	}
}

// addAutomations writes the automations that actions made with a change that was decided.
func addAutomations(change *domain.Change, made []*domain.Change) {
	for _, m := range made {
		for _, e := range m.Events {
			e.At = change.At
		}
		change.Merge(m)
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

// env is the commands' environment of the session.
func (l *Loop) env(view *domain.View) commands.Env {
	env := commands.EnvOf(view, l.cfg.Clock(), l.cfg.NewID)
	env.Clock = l.cfg.Clock
	return env
}
