package app

import (
	"context"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/commands/checks"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/orchestrator"
	"github.com/fermata-dev/fermata/orchestrator/machine"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/automations"
	"github.com/fermata-dev/fermata/repository/outside"
)

// answerStore, sessionStore and taskStore are the scheduler's reads before a decision; webhookStore has webhooks and their log.
type (
	answerStore struct {
		*repository.Store
		*repository.SessionStore
		*repository.ApprovalStore
		*repository.RecordStore
	}
	sessionStore struct {
		*repository.SessionStore
		*automations.AutomationStore
	}
	taskStore struct {
		*outside.TaskStore
		*repository.RecordStore
	}
	webhookStore struct {
		*outside.WebhookStore
		*repository.EventStore
	}
)

// loopStore adapts the repository to the run loop.
type loopStore struct {
	*repository.Store
	*repository.SessionStore
	*repository.RecordStore
}

func (s loopStore) Act(ctx context.Context, workspace, session string, act orchestrator.ActFunc) (*domain.Change, error) {
	return s.Store.Act(ctx, workspace, session,
		func(ctx context.Context, view *domain.View, data *repository.Data) (*domain.Change, error) {
			return act(ctx, view, data)
		})
}

// dataStore adapts the repository to the data service.
type dataStore struct {
	*repository.Store
	*repository.WorkspaceStore
}

func (s dataStore) Read(workspace string) data.Reader { return s.ReadData(workspace) }

func (s dataStore) Write(ctx context.Context, workspace string,
	change func(context.Context, data.Store) ([]domain.DataChange, error)) (int64, error) {
	return s.WriteData(ctx, workspace, func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) {
		return change(ctx, d)
	})
}

// sessionReads, workspaceReads and recordReads are the API's reads.
type (
	sessionReads struct {
		*repository.SessionStore
		*repository.EventStore
	}
	workspaceReads struct {
		*repository.SlotStore
		*repository.ApprovalStore
		*repository.EventStore
	}
	recordReads struct {
		*repository.RecordStore
		*repository.SessionStore
		*repository.ApprovalStore
	}
)

// newsStore finds the sessions that wait for a provider.
type newsStore struct {
	*repository.SlotStore
	*outside.ProviderStore
	*repository.WorkspaceStore
}

// pureMachine adapts the machine's functions to the scheduler.
type pureMachine struct{}

func (pureMachine) Run(s *domain.Session, e domain.Event, p *domain.Policy) (*domain.Step, error) {
	return machine.Run(s, e, p)
}

func (pureMachine) Accepts(s *domain.Session, e domain.Event) error { return machine.Accepts(s, e) }

// checks validate what people and clients send.
func (a *App) checks() checks.Config {
	return checks.Config{
		Catalogue: a.catalogue, Data: func(workspace string) commands.Data { return a.store.ReadData(workspace) }, Offers: a.offers,
		Workspaces: a.store.Workspaces, Files: a.store.Files, Connectors: a.store.Connectors, Agents: a.agents(),
		AgentCommand: orchestrator.AgentCommand, Clock: a.clock, NewID: a.newID,
	}
}
