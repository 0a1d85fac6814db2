package orchestrator

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// Estimate returns what is cached about the model that a session calls: decisions are made under locks.
// false if nothing is cached yet.
func (l *Loop) Estimate(view *domain.View) (domain.CallEstimate, bool) {
	s := view.Session
	model := l.cfg.Models.Known(s.WorkspaceID, s.Calls())
	described := slices.Concat(l.offers.describedIn(s.WorkspaceID), l.levels.storedIn(s.WorkspaceID))
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

// dearest is the maximum cost of the call over all providers; nil when no price is known.
func dearest(settings *domain.Settings, models []*providers.Model, u domain.Usage) (most *float64) {
	for _, m := range models {
		if cost := settings.CostOf(u, m.Name); cost != nil && (most == nil || *cost > *most) {
			most = cost
		}
	}
	return most
}

// Learn caches the model of a session and the size of what precedes its history, for the next Estimate.
// Problems are reported when it is called.
func (l *Loop) Learn(ctx context.Context, workspace, provider string) {
	_, err := l.cfg.Models.For(ctx, workspace, provider)
	if err == nil {
		_, err = l.levels.read(ctx, workspace, l.cfg.Data(workspace), l.cfg.Clock())
	}
	if err != nil {
		l.cfg.Log.Debug().Err(err).Str("workspace", workspace).Msg("the model of a session is not known")
	}
}

// beforeHistory estimates what precedes the history in a prompt: the rules, the offered commands, and the
// parts of the workspace that are sent with every call.
func (l *Loop) beforeHistory(view *domain.View, model *providers.Model) int {
	offer := l.knownOffer(view)
	offer.Whole, offer.Named = onTheWire(offer.Whole), onTheWire(offer.Named)
	system, err := l.levels.first(view, model.Protocol, offer)
	if err != nil {
		return 0
	}
	ask := &ai.Prompt{System: system.text, UserData: l.levels.peek(view, system)}
	if model.Protocol == domain.ProtocolNative {
		ask.Commands = offer.Whole
	}
	return prompt.Size(ask, 0)
}
