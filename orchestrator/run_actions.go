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

// series is the progress of an answer's actions between their transactions.
type series struct {
	// sent is the outcome of the external action that was sent last, until it is stored.
	sent *domain.Execution
	work outsideWork
}

// runActions runs the answer's actions. Their data changes, their outcomes and the transition commit in one
// transaction: after any crash, each was done exactly once or not at all. The session's lock is held
// meanwhile, so nothing external can come between an action and its record. An action that another server
// carries out divides the series: its start is stored with what ended before it, then it is sent, and its
// outcome is stored with what follows.
func (d *driver) runActions(ctx context.Context) (result, error) {
	s := &series{sent: d.external().interrupted(ctx)}
	for attempt := 0; ; {
		done, err := d.act(ctx, s)
		switch {
		case err == nil:
			d.acted(done)
			if s.sent, attempt = nil, 0; done.next != nil {
				s.sent = d.external().send(ctx, done.next, &s.work)
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
			s.work.asks.take() // no person is asked: the outcome is the one without an answer
			d.storeLate(ctx, s.sent)
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
	task   *domain.Task      // of the next action, if it is long-running
	next   *domain.Execution // to be sent
	held   bool
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
	offered, err := d.loop.envToPlan(ctx, d.view, named(d.view.Planned))
	if err != nil {
		return acted{}, err
	}
	offered.Hold = hold
	var done acted
	change, err := d.loop.cfg.Store.Act(ctx, d.session.WorkspaceID, d.session.ID,
		func(ctx context.Context, view *domain.View, data ActData) (*domain.Change, error) {
			if view.Session.RunEpoch != d.session.RunEpoch || view.Session.Phase != domain.ExecutingActions {
				return nil, domain.ErrStale
			}
			var err error
			if ask := s.work.asks.peek(); ask != nil {
				done, err = d.loop.askFirst(view, ask)
			} else {
				done, err = d.loop.act(ctx, view, data, s, &offered)
			}
			if err != nil {
				return nil, err
			}
			return done.step.Change, nil
		})
	if err != nil {
		return acted{}, err
	}
	s.work.asks.take()
	s.work.next, done.change = done.task, change
	return done, nil
}

// act runs the actions on the data of a transaction, up to the next external one, and decides about their outcome.
func (l *Loop) act(ctx context.Context, view *domain.View, data ActData, s *series, offered *commands.Env) (acted, error) {
	view.Grants = view.GrantsFor(view.Session.State.AnswerID)
	actions := withOutcome(copies(ofKind(view.Planned, domain.KindAction)), s.sent)
	env := l.env(view)
	env.Outside, env.Call, env.Unsettled, env.Hold = offered.Outside, offered.Call, offered.Unsettled, offered.Hold
	made := []*domain.Change{}
	env.Made = &made
	outcome, err := l.cfg.Commands.RunActions(ctx, data, env, actions, data.Savepoint)
	if err != nil {
		return acted{}, fmt.Errorf("run actions: %w", err)
	}
	taken, waitsFor := l.taken(view, &s.work, actions, offered.Outside)
	done := acted{view: view, next: outcome.Next, held: outcome.Held}
	if done.step, err = machine.Run(view.Session, actionsEvent(actions, outcome, waitsFor), l.policy(view)); err != nil {
		return acted{}, fmt.Errorf("decide about the actions: %w", err)
	}
	if outcome.Next != nil {
		done.task = l.begin(view, outcome.Next, offered.Outside)
	}
	addTasks(done.step.Change, append(taken, done.task)...)
	addAutomations(done.step.Change, made)
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
