package app

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/orchestrator"
)

// reachable restricts connectors' commands to those whose names a model can call.
type reachable struct {
	orchestrator.Outside
	app *App
}

func (r reachable) Offers(ctx context.Context, workspace string) ([]domain.CommandSpec, error) {
	return r.app.offers(ctx, workspace)
}

// reachable is the run loop's view of connectors; nil if there are none.
func (a *App) reachable() orchestrator.Outside {
	if a.outside == nil {
		return nil
	}
	return reachable{a.outside, a}
}

// offers returns the commands of a workspace's connectors.
func (a *App) offers(ctx context.Context, workspace string) ([]domain.CommandSpec, error) {
	if a.outside == nil {
		return nil, nil
	}
	specs, err := a.outside.Offers(ctx, workspace)
	return a.catalogue.Reachable(specs), err
}
