package checks

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/commands/modules"
	"github.com/fermata-dev/fermata/domain"
)

// Answers validates people's answers by the catalogue's rules.
type Answers struct{ Config }

// RoleFor is the minimum role that may approve an action.
func (a Answers) RoleFor(action *domain.ApprovalAction) domain.Role {
	return a.Catalogue.RoleFor(action)
}

// CheckResponse validates the answer to a question.
func (a Answers) CheckResponse(m *domain.Module, value json.RawMessage) error {
	return modules.CheckResponse(m, value)
}

// ResponseText is the answer to a question as text.
func (a Answers) ResponseText(m *domain.Module, value json.RawMessage, language string) string {
	return modules.ResponseText(m, value, language)
}

// Edit validates the parameters that a person changed.
func (a Answers) Edit(ctx context.Context, view *domain.View, decision domain.Decision) ([]*domain.Execution, error) {
	env, err := a.env(ctx, view)
	if err != nil {
		return nil, err
	}
	store := a.Data(view.Workspace.ID)
	return a.Catalogue.Edit(ctx, store, env, actionsOf(view), decision.ApprovedIDs, decision.Edits)
}

// Stale returns new cards for the actions if their targets have changed since the person saw them.
func (a Answers) Stale(ctx context.Context, view *domain.View, approved []string) (*domain.PlannedCommands, error) {
	env, err := a.env(ctx, view)
	if err != nil {
		return nil, err
	}
	return a.Catalogue.Stale(ctx, a.Data(view.Workspace.ID), env, actionsOf(view), approved)
}

// Again plans an action of unknown outcome as a new one.
func (a Answers) Again(ctx context.Context, view *domain.View, sent *domain.Execution) (*domain.PlannedCommands, error) {
	env, err := a.env(ctx, view)
	if err != nil {
		return nil, err
	}
	return commands.Again(ctx, a.Catalogue, a.Data(view.Workspace.ID), env, sent)
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

func (a Answers) env(ctx context.Context, view *domain.View) (commands.Env, error) {
	env := commands.EnvOf(view, a.Clock(), a.NewID)
	env.Grants = view.GrantsFor(view.Session.State.AnswerID)
	var err error
	env.Outside, err = a.Offers(ctx, view.Workspace.ID)
	return env, err
}
