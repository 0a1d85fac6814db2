package app

import (
	"context"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
)

func (s dataService) ToolTypes(ctx context.Context, workspace string) ([]domain.ToolType, error) {
	return s.app.catalogue.ToolTypes(ctx, s.reader(workspace))
}

func (s dataService) ToolType(ctx context.Context, workspace, id string) (*domain.ToolType, error) {
	types, err := s.ToolTypes(ctx, workspace)
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

func (s dataService) CreateToolType(ctx context.Context, workspace string, t *domain.ToolType) (int64, error) {
	return s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		made, change, err := s.app.catalogue.CreateToolType(ctx, data, env, commands.ToolTypeInput{
			ID: t.ID, Name: t.Name, Description: t.Description, ConfigSchema: t.ConfigSchema, EntrySchema: t.EntrySchema,
		})
		if err == nil {
			*t = *made
		}
		return one(change, err)
	})
}

// ownType finds a tool type and holds it against the wanted version. Whether it may be
// changed is the rule's to say.
func (s dataService) ownType(ctx context.Context, data *repository.Data, id string, version int64) (*domain.ToolType, error) {
	types, err := s.app.catalogue.ToolTypes(ctx, data)
	if err != nil {
		return nil, err
	}
	for i := range types {
		if types[i].ID == id {
			return &types[i], checkVersion(version, types[i].Version, "tool type")
		}
	}
	return nil, domain.NotFound("tool type")
}

func (s dataService) UpdateToolType(ctx context.Context, workspace, id string, version int64, change func(*domain.ToolType) error) (*domain.ToolType, int64, error) {
	var t *domain.ToolType
	seq, err := s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		have, err := s.ownType(ctx, data, id, version)
		if err != nil {
			return nil, err
		}
		want := domain.ToolType{Name: have.Name, Description: have.Description}
		if err := change(&want); err != nil {
			return nil, err
		}
		var done domain.DataChange
		t, done, err = s.app.catalogue.UpdateToolType(ctx, data, env, id, commands.ToolTypePatch{
			Name: &want.Name, Description: &want.Description, ConfigSchema: want.ConfigSchema, EntrySchema: want.EntrySchema,
		})
		return one(done, err)
	})
	return t, seq, err
}

func (s dataService) DeleteToolType(ctx context.Context, workspace, id string, version int64) (int64, error) {
	return s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		if _, err := s.ownType(ctx, data, id, version); err != nil {
			return nil, err
		}
		return one(s.app.catalogue.DeleteToolType(ctx, data, env, id))
	})
}
