package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/orchestrator/machine"
)

// series is the progress of an answer's actions between their transactions.
type series struct {
	// sent is the outcome of the external action that was sent last, until it is stored.
	sent *domain.Execution
	// ask is what that action needs of a person before it can continue; nil: nothing.
	ask *domain.OutsideAsk
	// handles are what services returned for the work that they have taken on, by execution.
	handles map[string]outside.TaskHandle
}

// send sends the action that a transaction of the series has begun.
func (s *series) send(ctx context.Context, to *external, done acted) {
	var came commands.Sent
	s.sent, came = to.send(ctx, done.next, done.task)
	s.ask = came.Ask
	if came.Task != nil {
		s.handles[done.next.ID] = *came.Task
	}
}

// runActions runs the answer's actions. Their data changes, their outcomes and the transition commit in one
// transaction: after any crash, each was done exactly once or not at all. The session's lock is held
// meanwhile, so nothing external can come between an action and its record. An action that another server
// carries out divides the series: its start is stored with what ended before it, then it is sent, and its
// outcome is stored with what follows.
func (d *driver) runActions(ctx context.Context) (result, error) {
	s := &series{sent: d.external().interrupted(ctx), handles: map[string]outside.TaskHandle{}}
	for attempt := 0; ; {
		done, err := d.act(ctx, s)
		switch {
		case err == nil:
			d.acted(done)
			if s.sent, s.ask, attempt = nil, nil, 0; done.next != nil {
				s.send(ctx, d.external(), done)
			} else if !done.held {
				return result{committed: true, next: done.step.Effect}, nil
			}
			if s.sent != nil {
				continue
			}
			// Nothing is in hand: a waiting session may take the slot.
			if d.safePoint(ctx); ctx.Err() != nil {
				return result{}, errLetGo
			}
			if err := d.awaitLease(ctx, domain.DoRunActions); err != nil {
				return result{}, err
			}
		case errors.Is(err, domain.ErrStale):
			d.loop.cfg.Observer.Fenced()
			d.storeLate(ctx, s.sent) // no person is asked: the outcome is the one without an answer
			return result{}, errLetGo
		case transient(err) && (ctx.Err() == nil || s.sent != nil):
			if attempt++; d.pause(context.WithoutCancel(ctx), attempt-1) != nil {
				return result{}, errLetGo
			}
		default:
			return result{}, err
		}
	}
}

// acted is what one transaction of a series came to.
type acted struct {
	view   *domain.View // that it was decided on
	step   *domain.Step
	change *domain.Change    // as it is stored; nil: there was nothing to store
	next   *domain.Execution // begun, to be sent
	task   *domain.Task      // its own, if it is long-running
	held   bool              // the next action is external, and was not begun
}

// acted takes over what a transaction of the series has stored.
func (d *driver) acted(done acted) {
	d.view = done.view
	if done.change == nil {
		return
	}
	d.session, d.change = done.step.Session, done.change
	d.remember(done.change)
	d.committed()
}

// act is one transaction of a series: it has no effect unless it commits.
func (d *driver) act(ctx context.Context, s *series) (acted, error) {
	hold := ctx.Err() != nil || d.yields.Load() && s.sent != nil
	// A cut must not tear an action: it is let finish. Its own timeouts bound it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	outside, err := d.loop.callable(ctx, d.view, named(d.view.Planned))
	if err != nil {
		return acted{}, err
	}
	var done acted
	change, err := d.loop.cfg.Store.Act(ctx, d.session.WorkspaceID, d.session.ID,
		func(ctx context.Context, view *domain.View, data ActData) (*domain.Change, error) {
			if view.Session.RunEpoch != d.session.RunEpoch || view.Session.Phase != domain.ExecutingActions {
				return nil, domain.ErrStale
			}
			var err error
			if s.ask != nil {
				done, err = d.loop.askFirst(view, s.ask)
			} else {
				done, err = d.loop.act(ctx, view, data, s, outside, hold)
			}
			if err != nil {
				return nil, err
			}
			return done.step.Change, nil
		})
	done.change = change
	return done, err
}

// act runs the actions on the data of a transaction, up to the next external one, which it begins unless they hold
// there, and decides about their outcome.
func (l *Loop) act(
	ctx context.Context, view *domain.View, data ActData, s *series, outside callable, hold bool,
) (acted, error) {
	view.Grants = view.GrantsFor(view.Session.State.AnswerID)
	actions := withOutcome(copies(ofKind(view.Planned, domain.KindAction)), s.sent)
	outcome, err := l.cfg.Commands.RunActions(ctx, data, l.env(view, outside), actions, data.Savepoint)
	if err != nil {
		return acted{}, fmt.Errorf("run actions: %w", err)
	}
	done := acted{view: view, held: outcome.Next != nil && hold}
	if outcome.Next != nil && !hold {
		done.next = outcome.Next
		commands.Begin(done.next, l.cfg.Clock())
	}
	taken, waitsFor := l.taken(view, s.handles, actions, outside.specs)
	if done.step, err = machine.Run(view.Session, actionsEvent(actions, outcome, waitsFor), l.policy(view)); err != nil {
		return acted{}, fmt.Errorf("decide about the actions: %w", err)
	}
	if done.next != nil {
		done.task = l.beginTask(view, done.next, outside.specs)
	}
	addTasks(done.step.Change, append(taken, done.task)...)
	addAutomations(done.step.Change, outcome.Made)
	return done, nil
}

// askFirst stops the series before a call that needs something of a person first.
func (l *Loop) askFirst(view *domain.View, ask *domain.OutsideAsk) (acted, error) {
	view.Grants = view.GrantsFor(view.Session.State.AnswerID)
	actions := copies(ofKind(view.Planned, domain.KindAction))
	step, err := machine.Run(view.Session, domain.OutsideAsked{Executions: actions, Ask: *ask}, l.policy(view))
	if err != nil {
		return acted{}, fmt.Errorf("ask a person first: %w", err)
	}
	return acted{view: view, step: step}, nil
}

// actionsEvent is the event for the outcome of the actions.
func actionsEvent(actions []*domain.Execution, outcome commands.ActionOutcome, tasks []string) domain.Event {
	switch {
	case outcome.Stale != nil:
		return domain.ApprovalStale{Commands: *outcome.Stale}
	case outcome.Next != nil:
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
