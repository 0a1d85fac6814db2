package checks

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Catalogue lists the built-in commands and those that the workspace's connectors and agents
// add, as far as its settings allow them.
type Catalogue struct{ Config }

// Commands lists the commands of a workspace.
func (s Catalogue) Commands(ctx context.Context, workspace string) ([]domain.CommandSpec, error) {
	external, err := s.Offers(ctx, workspace)
	if err != nil {
		return nil, err
	}
	agents, err := s.Agents.Agents(ctx, workspace)
	if err != nil {
		return nil, err
	}
	w, err := s.Workspaces.Workspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return s.Config.Catalogue.With(s.allowed(&w.Settings, external, agents)), nil
}

// allowed returns the commands of connectors and of enabled agents that the settings allow.
func (c Config) allowed(settings *domain.Settings, external []domain.CommandSpec, agents []*userdata.AgentDefinition) []domain.CommandSpec {
	all := slices.Clone(external)
	for _, agent := range agents {
		if agent.Enabled {
			all = append(all, c.AgentCommand(agent))
		}
	}
	return slices.DeleteFunc(all, func(spec domain.CommandSpec) bool { return !domain.AllowsCommand(settings.Commands, spec.Name) })
}
