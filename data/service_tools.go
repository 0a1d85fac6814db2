package data

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Tools are a page of the tools of a zone; zone "": of all.
func (s *Service) Tools(ctx context.Context, workspace, zone, cursor string, limit int) ([]userdata.Tool, string, error) {
	store := s.repository.Read(workspace)
	if zone != "" {
		if _, err := store.Zone(ctx, zone); err != nil {
			return nil, "", err
		}
	}
	return store.ToolsPage(ctx, zone, cursor, limit)
}

// Tool is one of them.
func (s *Service) Tool(ctx context.Context, workspace, id string) (*userdata.Tool, error) {
	return s.repository.Read(workspace).Tool(ctx, id)
}

// CreateTool adds a tool to a zone.
func (s *Service) CreateTool(ctx context.Context, workspace string, in userdata.ToolFields) (*userdata.Tool, int64, error) {
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) (*userdata.Tool, []domain.DataChange, error) {
		return made(s.rules.CreateTool(ctx, store, env, in))
	})
}

// UpdateTool changes a tool.
func (s *Service) UpdateTool(ctx context.Context, workspace, id string, version int64,
	patch userdata.ToolPatch) (*userdata.Tool, int64, error) {
	return change(ctx, s, aTool, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, tool *userdata.Tool) ([]domain.DataChange, error) {
			return one(s.rules.UpdateTool(ctx, store, env, tool, patch))
		})
}

// DeleteTool deletes a tool; one that holds entries only with force.
func (s *Service) DeleteTool(ctx context.Context, workspace, id string, version int64, force bool) (int64, error) {
	_, seq, err := change(ctx, s, aTool, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, tool *userdata.Tool) ([]domain.DataChange, error) {
			return one(s.rules.DeleteTool(ctx, store, env, tool, force))
		})
	return seq, err
}

// RestoreTool undoes the deletion of a tool.
func (s *Service) RestoreTool(ctx context.Context, workspace, id string) (*userdata.Tool, int64, error) {
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) (*userdata.Tool, []domain.DataChange, error) {
		return s.rules.RestoreTool(ctx, store, env, id)
	})
}
