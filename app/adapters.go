package app

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/commands"
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

// answers validates people's answers by the catalogue's rules.
type answers struct{ app *App }

// RoleFor is the minimum role that may approve an action.
func (a answers) RoleFor(action *domain.ApprovalAction) domain.Role {
	return a.app.catalogue.RoleFor(action)
}

func (a answers) CheckResponse(m *domain.Module, value json.RawMessage) error {
	return commands.CheckResponse(m, value)
}

func (a answers) ResponseText(m *domain.Module, value json.RawMessage, language string) string {
	return commands.ResponseText(m, value, language)
}

// Edit validates the parameters that a person changed.
func (a answers) Edit(ctx context.Context, view *domain.View, decision domain.Decision) ([]*domain.Execution, error) {
	env, err := a.env(ctx, view)
	if err != nil {
		return nil, err
	}
	store := a.app.store.ReadData(view.Workspace.ID)
	return a.app.catalogue.Edit(ctx, store, env, actionsOf(view), decision.ApprovedIDs, decision.Edits)
}

// Stale returns new cards for the actions if their targets have changed since the person saw them.
func (a answers) Stale(ctx context.Context, view *domain.View, approved []string) (*domain.PlannedCommands, error) {
	env, err := a.env(ctx, view)
	if err != nil {
		return nil, err
	}
	return a.app.catalogue.Stale(ctx, a.app.store.ReadData(view.Workspace.ID), env, actionsOf(view), approved)
}

// Again plans an action of unknown outcome as a new one.
func (a answers) Again(ctx context.Context, view *domain.View, sent *domain.Execution) (*domain.PlannedCommands, error) {
	env, err := a.env(ctx, view)
	if err != nil {
		return nil, err
	}
	return commands.Again(ctx, a.app.catalogue, a.app.store.ReadData(view.Workspace.ID), env, sent)
}

// actionsOf are the actions of the answer in progress.
func actionsOf(view *domain.View) []*domain.Execution {
	var actions []*domain.Execution
	for _, e := range view.Planned {
		if e.Kind == domain.KindAction {
			actions = append(actions, e)
		}
	}
	return actions
}

func (a answers) env(ctx context.Context, view *domain.View) (commands.Env, error) {
	env := commands.EnvOf(view, a.app.clock(), a.app.newID)
	env.Grants = view.GrantsFor(view.Session.State.AnswerID)
	var err error
	env.Outside, err = a.app.offers(ctx, view.Workspace.ID)
	return env, err
}

// conditions evaluates the JSON Schemas of triggers.
type conditions struct{ catalogue *commands.Catalogue }

func (c conditions) Holds(schema, value json.RawMessage) (bool, error) {
	if len(schema) == 0 {
		return true, nil
	}
	err := c.catalogue.CheckSchema(schema, value, "")
	if domain.ErrorCode(err) == domain.CodeInvalid {
		return false, nil
	}
	return err == nil, err
}
