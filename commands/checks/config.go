package checks

import (
	"context"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Config is what the checks read; every field is needed.
type Config struct {
	Catalogue *commands.Catalogue
	Data      func(workspace string) commands.Data
	// Offers are the commands of a workspace's connectors that a model can call.
	Offers     func(ctx context.Context, workspace string) ([]domain.CommandSpec, error)
	Workspaces interface {
		Workspace(ctx context.Context, id string) (*domain.Workspace, error)
	}
	Files interface {
		File(ctx context.Context, workspace, id string) (*userdata.File, error)
	}
	Connectors interface {
		Connectors(ctx context.Context, workspace string) ([]*outside.Connector, error)
	}
	Agents interface {
		Agents(ctx context.Context, workspace string) ([]*userdata.AgentDefinition, error)
	}
	// AgentCommand is the command that calls an agent.
	AgentCommand func(*userdata.AgentDefinition) domain.CommandSpec
	Clock        clock.Clock
	NewID        domain.IDSource
}
