package app

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/orchestrator"
)

// reachable offers what a model can name of all that is offered from outside.
type reachable struct {
	orchestrator.Outside
	app *App
}

func (r reachable) Offers(ctx context.Context, workspace string) ([]domain.CommandSpec, error) {
	return r.app.offers(ctx, workspace)
}

// reachable is the outside as the run loop uses it; nil: there is none.
func (a *App) reachable() orchestrator.Outside {
	if a.outside == nil {
		return nil
	}
	return reachable{a.outside, a}
}

// offers are the commands from outside that a workspace has.
func (a *App) offers(ctx context.Context, workspace string) ([]domain.CommandSpec, error) {
	if a.outside == nil {
		return nil, nil
	}
	specs, err := a.outside.Offers(ctx, workspace)
	return a.catalogue.Reachable(specs), err
}
