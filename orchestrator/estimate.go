package orchestrator

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// Estimate says what is known of the model that a session calls, from memory alone:
// decisions are made under locks. It says no when nothing is known yet.
func (l *Loop) Estimate(view *domain.View) (domain.CallEstimate, bool) {
	s := view.Session
	model := l.cfg.Models.Known(s.WorkspaceID, s.Calls())
	described := l.offers.describedIn(s.WorkspaceID)
	if model == nil {
		return domain.CallEstimate{Described: described}, false
	}
	settings := &view.Workspace.Settings
	all := []*providers.Model{model}
	for _, id := range settings.FallbackProviders { // one of them may answer in its place
		if other := l.cfg.Models.Known(s.WorkspaceID, id); other != nil {
			all = append(all, other)
		}
	}
	estimate := domain.CallEstimate{Described: described, ProviderID: model.ID, ProviderKind: model.Kind, Model: model.Name}
	estimate.Price = func(u domain.Usage) *float64 { return dearest(settings, all, u) }
	for _, m := range all {
		estimate.MaxTokens = max(estimate.MaxTokens, m.MaxTokens)
	}
	estimate.Before = func() int { return l.beforeHistory(view, model) }
	// A first prompt has not been measured by any call: its levels must be known.
	return estimate, s.State.TotalRoundtrips > 0 || l.levels.knows(s.WorkspaceID)
}

// dearest is the most that the call may cost, whoever answers; nil when no price is
// known.
func dearest(settings *domain.Settings, models []*providers.Model, u domain.Usage) (most *float64) {
	for _, m := range models {
		if cost := settings.CostOf(u, m.Name); cost != nil && (most == nil || *cost > *most) {
			most = cost
		}
	}
	return most
}

// Learn finds the model of a session, and what stands before its history, so that the
// next Estimate knows them. What cannot be found is told when it is called.
func (l *Loop) Learn(ctx context.Context, workspace, provider string) {
	_, err := l.cfg.Models.For(ctx, workspace, provider)
	if err == nil {
		_, err = l.levels.read(ctx, workspace, l.cfg.Data(workspace), l.cfg.Clock())
	}
	if err != nil {
		l.cfg.Log.Debug().Err(err).Str("workspace", workspace).Msg("the model of a session is not known")
	}
}

// beforeHistory estimates what stands before the history in a prompt: the rules,
// the commands that are offered, and what of the workspace is sent with every call.
func (l *Loop) beforeHistory(view *domain.View, model *providers.Model) int {
	specs := onTheWire(l.knownSpecs(view))
	system, err := l.levels.first(view, model.Protocol, specs)
	if err != nil {
		return 0
	}
	ask := &domain.Prompt{System: system.text, UserData: l.levels.peek(view, system)}
	if model.Protocol == domain.ProtocolNative {
		ask.Commands = specs
	}
	return prompt.Size(ask, 0)
}
