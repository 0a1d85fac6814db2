package app

import "github.com/fermata-dev/fermata/agents"

// agents keeps the definitions of agents.
func (a *App) agents() *agents.Service {
	return &agents.Service{Store: a.store.Agents, Providers: a.store.Providers, Specs: a.catalogue.Specs, Clock: a.clock, NewID: a.newID}
}
