package data

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// ToolTypes are the built-in tool types and the workspace's own.
func (s *Service) ToolTypes(ctx context.Context, workspace string) ([]userdata.ToolType, error) {
	return AllToolTypes(ctx, s.repository.Read(workspace))
}

// ToolType is one of them.
func (s *Service) ToolType(ctx context.Context, workspace, id string) (*userdata.ToolType, error) {
	return typeByID(s.repository.Read(workspace), ctx, id)
}

// typeByID has the form of a noun's find.
func typeByID(store Store, ctx context.Context, id string) (*userdata.ToolType, error) {
	types, err := AllToolTypes(ctx, store)
	if err != nil {
		return nil, err
	}
	for i := range types {
		if types[i].ID == id {
			return &types[i], nil
		}
	}
	return nil, domain.NotFound("tool type")
}

// CreateToolType adds a tool type to the workspace.
func (s *Service) CreateToolType(ctx context.Context, workspace string, in userdata.NewToolType) (*userdata.ToolType, int64, error) {
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) (*userdata.ToolType, []domain.DataChange, error) {
		return made(s.rules.CreateToolType(ctx, store, env, in))
	})
}

// UpdateToolType changes one of the workspace's own tool types, if all that is stored
// fits it.
func (s *Service) UpdateToolType(ctx context.Context, workspace, id string, version int64,
	patch userdata.ToolTypePatch) (*userdata.ToolType, int64, error) {
	return change(ctx, s, aToolType, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, t *userdata.ToolType) ([]domain.DataChange, error) {
			return one(s.rules.UpdateToolType(ctx, store, env, t, patch))
		})
}

// DeleteToolType deletes one of the workspace's own tool types, if no tool has it.
func (s *Service) DeleteToolType(ctx context.Context, workspace, id string, version int64) (int64, error) {
	_, seq, err := change(ctx, s, aToolType, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, t *userdata.ToolType) ([]domain.DataChange, error) {
			return one(s.rules.DeleteToolType(ctx, store, env, t))
		})
	return seq, err
}
