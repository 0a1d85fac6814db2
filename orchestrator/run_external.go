package orchestrator

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/orchestrator/machine"
)

// external sends a session's actions to the servers that carry them out, and determines their outcomes.
type external struct {
	loop *Loop
	view *domain.View
}

func (d *driver) external() *external { return &external{loop: d.loop, view: d.present()} }

// send carries out an action that was stored as started. Only the end of the process interrupts it: its
// external effect cannot be taken back. nil: the outcome is not known yet, and the next process finds it
// out: it sends it again with the same key, or asks its server.
//
// task is the stored one of an action that is long-running.
func (e *external) send(ctx context.Context, started *domain.Execution, task *domain.Task) (*domain.Execution, commands.Sent) {
	own, env := *started, e.env(ctx)
	sending, end := e.uncut(ctx)
	defer end()
	sent := e.loop.cfg.Commands.Send(sending, e.loop.caller(e.view.Session, task), env, &own)
	switch {
	case own.Status == domain.ExecUnknown && hasProbe(env.Outside, own.Command):
		return e.findOut(sending, &env, started, own.Error.Message), sent
	case sending.Err() != nil && own.Status == domain.ExecFailed && own.Effect != domain.EffectNonIdempotent:
		return nil, sent
	}
	return &own, sent
}

func (e *external) env(ctx context.Context) commands.Env {
	return e.loop.env(e.view, callable{specs: e.loop.offered(ctx, e.view)})
}

// uncut is a context that a cut of the session does not end, but the end of the process does.
func (e *external) uncut(ctx context.Context) (context.Context, func()) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(e.loop.base, cancel)
	return own, func() { stop(); cancel() }
}

// interrupted is the outcome of an action that another process began to send and did not finish: its
// server may have it. nil: there is none, or it may be sent again.
func (e *external) interrupted(ctx context.Context) *domain.Execution {
	for _, x := range ofKind(e.view.Planned, domain.KindAction) {
		if x.Status == domain.ExecStarted && x.Effect == domain.EffectNonIdempotent {
			asking, end := e.uncut(ctx)
			defer end()
			env := e.env(ctx)
			return e.findOut(asking, &env, x, "The server stopped while it was being sent.")
		}
	}
	return nil
}

const (
	// probeTimeout bounds one question about an earlier call, and probingTime all of them.
	probeTimeout = 15 * time.Second
	probingTime  = 30 * time.Second
)

// probeWaits come before each question about an earlier call. A server that was only slow may
// still be at work on it, so that one "no" is not enough.
var probeWaits = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}

// findOut asks the server of an action with an unknown outcome whether it was carried out, and stores the
// answer; why describes why it is unknown. Until then the journal has the action as started, so that a
// process that takes over asks too. A person is asked only if this fails. nil: the process ends, and the
// next one asks.
func (e *external) findOut(ctx context.Context, env *commands.Env, x *domain.Execution, why string) *domain.Execution {
	within, cancel := context.WithTimeout(ctx, probingTime)
	defer cancel()
	var result outside.Result
	done, err := false, outside.ErrNoProbe
	if hasProbe(env.Outside, x.Command) {
		for _, wait := range probeWaits {
			if !sleep(within, wait) {
				break
			}
			if done, result, err = e.probe(within, env, x); done || errors.Is(err, outside.ErrNoProbe) {
				break
			}
		}
		if ctx.Err() != nil && !done {
			return nil
		}
	}
	own := *x
	commands.Probed(env, &own, why, done, result, err)
	return &own
}

// hasProbe reports whether the server of a command can be asked about an earlier call.
func hasProbe(offered []domain.CommandSpec, command string) bool {
	return slices.ContainsFunc(offered, func(s domain.CommandSpec) bool { return s.Name == command && s.Probed })
}

// sleep waits; false: the context ended first.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// errProbeFailed: the question about an earlier call did not come to an answer.
var errProbeFailed = errors.New("the probe failed")

func (e *external) probe(ctx context.Context, env *commands.Env, x *domain.Execution) (done bool, r outside.Result, err error) {
	defer func() {
		if recover() != nil {
			done, err = false, errProbeFailed
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return e.loop.cfg.Outside.Probe(ctx, callOf(e.view.Session, env.CallOf(x)))
}

// withOutcome replaces the started execution of the action that was sent by its outcome.
func withOutcome(actions []*domain.Execution, sent *domain.Execution) []*domain.Execution {
	for i, x := range actions {
		if sent != nil && x.ID == sent.ID && x.Status == domain.ExecStarted {
			own := *sent
			actions[i] = &own
		}
	}
	return actions
}

func named(actions []*domain.Execution) []string {
	names := make([]string, len(actions))
	for i, x := range actions {
		names[i] = x.Command
	}
	return names
}

// storeLate stores the outcome of an action whose session continued without it: it was interrupted, stopped or
// suspended meanwhile. A process that lost its lease in the meantime writes nothing: the action has
// another owner by now.
func (d *driver) storeLate(ctx context.Context, sent *domain.Execution) {
	if sent == nil || !d.loop.holds() || d.lapses != d.loop.lapses.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	for attempt := 0; ; attempt++ {
		_, err := d.loop.cfg.Store.Act(ctx, d.session.WorkspaceID, d.session.ID,
			func(_ context.Context, view *domain.View, _ ActData) (*domain.Change, error) {
				return d.loop.lateChange(view, sent)
			})
		if err == nil || errors.Is(err, domain.ErrStale) {
			return
		}
		if !transient(err) || d.pause(ctx, attempt) != nil {
			d.loop.cfg.Log.Error().Err(err).Str("session", d.session.ID).Str("execution", sent.ID).
				Msg("the late outcome of an action could not be stored")
			return
		}
	}
}

// lateChange is the change for a late outcome; none if another process carries out the action.
func (l *Loop) lateChange(view *domain.View, sent *domain.Execution) (*domain.Change, error) {
	s := view.Session
	if s.Phase == domain.ExecutingActions && s.State.AnswerID == sent.MessageID && !s.State.Suspended {
		return nil, nil
	}
	asked := false
	for _, a := range view.Open {
		asked = asked || a.Kind == domain.ApprovalOutcome && len(a.Actions) > 0 && a.Actions[0].ID == sent.ID
	}
	inHand := false
	for _, x := range view.Planned {
		inHand = inHand || x.ID == sent.ID && x.Status == domain.ExecStarted
	}
	if s.Phase != domain.Completed && !asked && !inHand || sent.Status == domain.ExecUnknown {
		return nil, nil // it is settled, or there is nothing to store
	}
	step, err := machine.Run(s, domain.ExternalResultReceived{
		Result: domain.ResultOf(sent, view.Workspace.Settings.Language), Execution: sent, Quiet: true,
	}, l.policy(view))
	if err != nil {
		return nil, err
	}
	return step.Change, nil
}
