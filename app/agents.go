package app

import (
	"context"

	"github.com/fermata-dev/fermata/data/agents"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/orchestrator"
)

// agents creates the service of agent definitions.
func (a *App) agents() *agents.Service {
	return &agents.Service{
		Store: a.store.Agents, Providers: a.store.Providers, Specs: a.catalogue.Specs, SpecsFor: a.catalogue.SpecsFor,
		Outside: a.offers, Clock: a.clock, NewID: a.newID,
	}
}

// agentService adds Try to it for the API.
type agentService struct {
	*agents.Service
	app *App
}

// Try runs an agent on a task without a calling session.
func (s agentService) Try(ctx context.Context, workspace, id, query string, by domain.Author) (*domain.Receipt, error) {
	a, err := s.Agent(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	run := orchestrator.NewTrial(a, query, by, s.app.clock(), s.app.newID)
	return s.app.scheduling.Sessions.TryAgent(ctx, workspace, run)
}
