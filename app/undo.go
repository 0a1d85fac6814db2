package app

import (
	"context"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
)

// undo runs a rule that brings something back.
func undo[T any](ctx context.Context, s dataService, workspace, id string, rule func(context.Context, commands.Data, commands.Env, string) (*T, []domain.DataChange, error)) (*T, int64, error) {
	var back *T
	seq, err := s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		var changes []domain.DataChange
		var err error
		back, changes, err = rule(ctx, data, env, id)
		return changes, err
	})
	return back, seq, err
}

func (s dataService) RestoreZone(ctx context.Context, workspace, id string) (*domain.Zone, int64, error) {
	return undo(ctx, s, workspace, id, s.app.catalogue.RestoreZone)
}

func (s dataService) RestoreTool(ctx context.Context, workspace, id string) (*domain.Tool, int64, error) {
	return undo(ctx, s, workspace, id, s.app.catalogue.RestoreTool)
}

func (s dataService) RestoreEntry(ctx context.Context, workspace, id string) (*domain.Entry, int64, error) {
	return undo(ctx, s, workspace, id, s.app.catalogue.RestoreEntry)
}

func (s dataService) RestoreDocument(ctx context.Context, workspace, id string) (*domain.Document, int64, error) {
	return undo(ctx, s, workspace, id, s.app.catalogue.RestoreDocument)
}

func (s dataService) ResolvePeriod(ctx context.Context, workspace string, period domain.Period) (domain.Span, error) {
	w, err := s.app.store.Workspace(ctx, workspace)
	if err != nil {
		return domain.Span{}, err
	}
	calendar, err := w.Settings.Calendar()
	if err != nil {
		return domain.Span{}, err
	}
	return period.Resolve(s.app.clock(), calendar)
}
