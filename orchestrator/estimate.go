package orchestrator

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/prompt"
)

// Estimate says what is known of the model that a session calls, from memory alone:
// decisions are made under locks. It says no when nothing is known yet.
func (l *Loop) Estimate(view *domain.View) (domain.CallEstimate, bool) {
	s := view.Session
	model := l.cfg.Models.Known(s.WorkspaceID, s.ProviderID)
	if model == nil {
		return domain.CallEstimate{}, false
	}
	settings := &view.Workspace.Settings
	all := []*Model{model}
	for _, id := range settings.FallbackProviders { // one of them may answer in its place
		if other := l.cfg.Models.Known(s.WorkspaceID, id); other != nil {
			all = append(all, other)
		}
	}
	estimate := domain.CallEstimate{Price: func(u domain.Usage) *float64 { return dearest(settings, all, u) }}
	for _, m := range all {
		estimate.MaxTokens = max(estimate.MaxTokens, m.MaxTokens)
	}
	if s.State.TotalRoundtrips == 0 {
		estimate.Before = l.beforeConversation(s, view, model)
	}
	return estimate, true
}

// dearest is the most that the call may cost, whoever answers; nil when no price is
// known.
func dearest(settings *domain.Settings, models []*Model, u domain.Usage) (most *float64) {
	for _, m := range models {
		if cost := settings.CostOf(u, m.Name); cost != nil && (most == nil || *cost > *most) {
			most = cost
		}
	}
	return most
}

// Learn finds the model of a session, so that the next Estimate knows it. One that
// cannot be found is told when it is called.
func (l *Loop) Learn(ctx context.Context, workspace, provider string) {
	if _, err := l.cfg.Models.For(ctx, workspace, provider); err != nil {
		l.cfg.Log.Debug().Err(err).Str("workspace", workspace).Msg("the model of a session is not known")
	}
}

// beforeConversation estimates the levels of the prompt, before the first call has
// measured them.
func (l *Loop) beforeConversation(s *domain.Session, view *domain.View, model *Model) int {
	system, err := l.levels.first(view, model.Protocol, l.cfg.Commands.SpecsFor(s.Type))
	if err != nil {
		return 0
	}
	return prompt.EstimateTokens(system.text) + prompt.EstimateTokens(l.levels.peek(s.WorkspaceID))
}
