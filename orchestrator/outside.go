package orchestrator

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/traces"
)

// offers caches the latest external offers of each workspace: estimates are made under locks, without
// calls.
type offers struct {
	known cache.Map[string, offer] // by workspace
}

// offer is what a workspace is offered, with where the words come from that describe it.
type offer struct {
	specs     []domain.CommandSpec
	described []domain.Provenance
}

func (o *offers) keep(workspace string, specs []domain.CommandSpec) {
	o.known.Set(workspace, offer{specs, trust.Described(specs)})
}

func (o *offers) of(workspace string) []domain.CommandSpec {
	latest, _ := o.known.Get(workspace)
	return latest.specs
}

func (o *offers) describedIn(workspace string) []domain.Provenance {
	latest, _ := o.known.Get(workspace)
	return latest.described
}

// offered are the commands from outside that a session is offered now, agents among them.
func (l *Loop) offered(ctx context.Context, view *domain.View) []domain.CommandSpec {
	all, err := l.agents.of(ctx, view)
	if err != nil {
		l.cfg.Log.Warn().Err(err).Str("workspace", view.Workspace.ID).Msg("the agents cannot be read")
	}
	outside := l.offeredTo(ctx, view.Workspace.ID)
	if view.Session.Type == domain.Agent {
		outside = withoutLongWork(outside)
	}
	return offersIn(view, outside, all)
}

// offeredTo are the commands from outside that a workspace has now. If that cannot be found
// out, they are those of the last time: a session does not fail for it.
func (l *Loop) offeredTo(ctx context.Context, workspace string) []domain.CommandSpec {
	if l.cfg.Outside == nil {
		return nil
	}
	specs, err := l.cfg.Outside.Offers(ctx, workspace)
	if err != nil {
		l.cfg.Log.Warn().Err(err).Str("workspace", workspace).Msg("what is offered from outside cannot be read")
		return l.offers.of(workspace)
	}
	l.offers.keep(workspace, specs)
	return specs
}

// callable is what a session can call at other servers, as it is known before a decision about it.
type callable struct {
	specs []domain.CommandSpec
	// unsettled are the ids of commands (domain.Execution.CommandID) that were sent and have an unknown outcome.
	unsettled map[string]bool
}

// env is the commands' environment of the session of a view, with what it can call outside.
func (l *Loop) env(view *domain.View, outside callable) commands.Env {
	env := commands.EnvOf(view, l.cfg.Clock(), l.cfg.NewID)
	env.Clock, env.Outside, env.Unsettled = l.cfg.Clock, outside.specs, outside.unsettled
	env.Uses = l.levels.uses(view.Workspace.ID)
	env.Uses.Added = view.Session.State.AddedCommands
	return env
}

// caller carries out the calls of a session at other servers; task is the one that was stored for a call, if it is
// long-running. nil: this server has no others to call.
func (l *Loop) caller(s *domain.Session, task *domain.Task) commands.Caller {
	if l.cfg.Outside == nil {
		return nil
	}
	return func(ctx context.Context, call outside.Call) (outside.Result, error) {
		if task != nil {
			call.TaskID, call.Deadline = task.ID, task.Deadline
		}
		return l.cfg.Outside.Call(ctx, callOf(s, call))
	}
}

// callOf adds to a call what identifies the session and its round.
func callOf(s *domain.Session, call outside.Call) outside.Call {
	call.ExternalID, call.RunEpoch, call.TraceParent = s.ExternalID, s.RunEpoch, traceParent(s, call.ExecutionID)
	return call
}

// traceParent names what a session asks of another server: a call or an execution is a span of
// the trace of its round.
func traceParent(s *domain.Session, id string) string {
	return traces.Parent(traces.OfRound(s.State.RoundTrace, s.State.RoundID), traces.Span(id))
}

// callable is what the session can call outside, for a plan of these actions. The actions with unknown outcomes are read
// only if one of the planned ones could be sent again.
func (l *Loop) callable(ctx context.Context, view *domain.View, actions []string) (callable, error) {
	outside := callable{specs: l.offered(ctx, view)}
	if !acts(outside.specs, actions) {
		return outside, nil
	}
	ids, err := l.cfg.Store.UnsettledCommands(ctx, view.Workspace.ID)
	if err != nil {
		return callable{}, err
	}
	outside.unsettled = make(map[string]bool, len(ids))
	for _, id := range ids {
		outside.unsettled[id] = true
	}
	return outside, nil
}

// acts reports whether one of the actions is sent to another server and must not be repeated.
func acts(outside []domain.CommandSpec, actions []string) bool {
	for i := range outside {
		if outside[i].Effect != domain.EffectNonIdempotent {
			continue
		}
		if slices.Contains(actions, outside[i].Name) {
			return true
		}
	}
	return false
}
