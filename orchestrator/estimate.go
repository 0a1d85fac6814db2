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
	estimate := domain.CallEstimate{MaxTokens: model.MaxTokens, Price: func(u domain.Usage) *float64 {
		return settings.CostOf(u, model.Name)
	}}
	if s.State.TotalRoundtrips == 0 {
		estimate.Before = l.beforeConversation(s, view, model)
	}
	return estimate, true
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
	return prompt.EstimateTokens(system) + prompt.EstimateTokens(l.levels.peek(s.WorkspaceID))
}
