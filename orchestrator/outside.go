package orchestrator

import (
	"context"
	"slices"
	"sync"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/traces"
)

// offers caches the latest external offers of each workspace: estimates are made under locks, without
// calls.
type offers struct {
	mu    sync.Mutex
	known map[string]offer
}

// offer is what a workspace is offered, with where the words come from that describe it.
type offer struct {
	specs     []domain.CommandSpec
	described []domain.Provenance
}

// maxOffers bounds the workspaces that are remembered.
const maxOffers = 4096

func (o *offers) keep(workspace string, specs []domain.CommandSpec) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil || len(o.known) >= maxOffers {
		o.known = map[string]offer{}
	}
	o.known[workspace] = offer{specs, domain.DescribedOutside(specs)}
}

func (o *offers) of(workspace string) []domain.CommandSpec {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known[workspace].specs
}

func (o *offers) describedIn(workspace string) []domain.Provenance {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known[workspace].described
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

// envWithOutside is the commands' environment of the session, with its external offers.
func (l *Loop) envWithOutside(ctx context.Context, view *domain.View) commands.Env {
	env := l.env(view)
	env.Outside = l.offered(ctx, view)
	if l.cfg.Outside == nil {
		return env
	}
	s := view.Session
	env.Call = func(ctx context.Context, call domain.OutsideCall) (domain.OutsideResult, error) {
		call.ExternalID, call.RunEpoch, call.TraceParent = s.ExternalID, s.RunEpoch, traceParent(s, call.ExecutionID)
		return l.cfg.Outside.Call(ctx, call)
	}
	return env
}

// traceParent names what a session asks of another server: a call or an execution is a span of
// the trace of its round.
func traceParent(s *domain.Session, id string) string {
	return traces.Parent(traces.OfRound(s.State.RoundTrace, s.State.RoundID), traces.Span(id))
}

// envToPlan adds the actions with unknown outcomes. They are read only if one of these could be sent
// again.
func (l *Loop) envToPlan(ctx context.Context, view *domain.View, actions []string) (commands.Env, error) {
	env := l.envWithOutside(ctx, view)
	if !acts(env.Outside, actions) {
		return env, nil
	}
	ids, err := l.cfg.Store.UnsettledCommands(ctx, view.Workspace.ID)
	if err != nil {
		return env, err
	}
	env.Unsettled = make(map[string]bool, len(ids))
	for _, id := range ids {
		env.Unsettled[id] = true
	}
	return env, nil
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
