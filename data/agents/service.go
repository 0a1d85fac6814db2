package agents

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Store keeps what a workspace has made or changed.
type Store interface {
	Agents(ctx context.Context, workspace string) ([]*userdata.AgentDefinition, error)
	Agent(ctx context.Context, workspace, id string) (*userdata.AgentDefinition, error)
	AgentVersion(ctx context.Context, workspace, id string, version int64) (*userdata.AgentDefinition, error)
	AgentVersions(ctx context.Context, workspace, id, cursor string, limit int) ([]*userdata.AgentDefinition, string, error)
	InsertAgent(ctx context.Context, a *userdata.AgentDefinition) error
	UpdateAgent(ctx context.Context, a *userdata.AgentDefinition) error
	DeleteAgent(ctx context.Context, workspace, id string) error
}

// Providers finds a configured provider.
type Providers interface {
	Provider(ctx context.Context, workspace, id string) (*outside.Provider, error)
}

// Service gives and changes definitions.
type Service struct {
	Store     Store
	Providers Providers
	// Specs are the commands of the catalogue, and SpecsFor those of them that a type of session is
	// ever offered.
	Specs    func() []domain.CommandSpec
	SpecsFor func(domain.SessionType, []domain.CommandSpec) []domain.CommandSpec
	// Outside are the commands from outside that a workspace has now.
	Outside func(ctx context.Context, workspace string) ([]domain.CommandSpec, error)
	Clock   clock.Clock
	NewID   domain.IDSource
}

// builtInVersion is that of an unchanged built-in agent.
const builtInVersion = 1

// builtIn is the built-in agent of an id in a workspace, or nil.
func builtIn(workspace, id string) *userdata.AgentDefinition {
	all := builtIns()
	if i := slices.IndexFunc(all, func(a *userdata.AgentDefinition) bool { return a.ID == id }); i >= 0 {
		all[i].WorkspaceID, all[i].Version = workspace, builtInVersion
		return all[i]
	}
	return nil
}

// Agents are those of a workspace, the built-in ones first.
func (s *Service) Agents(ctx context.Context, workspace string) ([]*userdata.AgentDefinition, error) {
	own, err := s.Store.Agents(ctx, workspace)
	if err != nil {
		return nil, err
	}
	var all []*userdata.AgentDefinition
	for _, a := range builtIns() {
		if !slices.ContainsFunc(own, func(o *userdata.AgentDefinition) bool { return o.ID == a.ID }) {
			all = append(all, builtIn(workspace, a.ID))
		}
	}
	return append(all, own...), nil
}

// Offered is Agents for who knows how often they were changed: where that is never, nothing
// needs to be read.
func (s *Service) Offered(ctx context.Context, workspace string, version int64) ([]*userdata.AgentDefinition, error) {
	if version > 0 {
		return s.Agents(ctx, workspace)
	}
	var all []*userdata.AgentDefinition
	for _, a := range builtIns() {
		all = append(all, builtIn(workspace, a.ID))
	}
	return all, nil
}

// Agent is one of them.
func (s *Service) Agent(ctx context.Context, workspace, id string) (*userdata.AgentDefinition, error) {
	a, err := s.Store.Agent(ctx, workspace, id)
	if b := builtIn(workspace, id); b != nil && domain.ErrorCode(err) == domain.CodeNotFound {
		return b, nil
	}
	return a, err
}

// AgentVersion is an earlier version of an agent. An unchanged built-in one has its current form.
func (s *Service) AgentVersion(ctx context.Context, workspace, id string, version int64) (*userdata.AgentDefinition, error) {
	if b := builtIn(workspace, id); b != nil && version == builtInVersion {
		return b, nil
	}
	return s.Store.AgentVersion(ctx, workspace, id, version)
}

// AgentVersions is an agent as it was, the latest first; a built-in one as it came is not among them.
func (s *Service) AgentVersions(ctx context.Context, workspace, id, cursor string, limit int) ([]*userdata.AgentDefinition, string, error) {
	all, next, err := s.Store.AgentVersions(ctx, workspace, id, cursor, limit)
	if err == nil && len(all) == 0 && cursor == "" {
		_, err = s.Agent(ctx, workspace, id)
	}
	return all, next, err
}
