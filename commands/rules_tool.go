package commands

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

// ToolInput is a new tool. Without a config it gets the empty one.
type ToolInput struct {
	ZoneID            string          `json:"zone_id"`
	ToolType          string          `json:"tool_type"`
	Name              string          `json:"name"`
	Description       string          `json:"description,omitempty"`
	Config            json.RawMessage `json:"config,omitempty"`
	AlwaysSend        bool            `json:"always_send,omitempty"`
	RequireValidation bool            `json:"require_validation,omitempty"`
	Position          int             `json:"position,omitempty"`
}

// ToolPatch changes a tool. Nil: unchanged. Config is a merge patch: null removes a
// field of it. Version, if set, is the one that its author saw.
type ToolPatch struct {
	ZoneID            *string
	Name              *string
	Description       *string
	Config            json.RawMessage
	AlwaysSend        *bool
	RequireValidation *bool
	Position          *int
	Version           *int64
}

// CreateTool adds a tool to a zone.
func (c *Catalogue) CreateTool(ctx context.Context, data Data, env Env, in ToolInput) (*domain.Tool, domain.DataChange, error) {
	none := domain.DataChange{}
	if _, err := findZone(ctx, data, "/zone_id", in.ZoneID); err != nil {
		return nil, none, err
	}
	if len(in.Config) == 0 {
		in.Config = json.RawMessage("{}")
	}
	config, err := normal("/config", in.Config, maxConfig)
	if err != nil {
		return nil, none, err
	}
	tool := &domain.Tool{ID: env.NewID(domain.PrefixTool), WorkspaceID: env.WorkspaceID, ZoneID: in.ZoneID, ToolType: in.ToolType,
		Name: in.Name, Description: in.Description, Config: config, AlwaysSend: in.AlwaysSend,
		RequireValidation: in.RequireValidation, Position: in.Position, Version: 1, CreatedAt: env.Now, UpdatedAt: env.Now}
	if err := c.checkTool(ctx, data, tool); err != nil {
		return nil, none, err
	}
	if err := data.InsertTool(ctx, tool); err != nil {
		return nil, none, fmt.Errorf("insert the tool: %w", err)
	}
	return tool, toolChange(&env, tool, "created"), nil
}

func (c *Catalogue) checkTool(ctx context.Context, data ToolTypeData, tool *domain.Tool) error {
	if err := firstError(checkName("/name", tool.Name), checkText("/description", tool.Description, maxDescription)); err != nil {
		return err
	}
	if len(tool.Config) > maxConfig {
		return domain.Invalid("/config", "too_large", "The config has %d bytes; at most %d are allowed.", len(tool.Config), maxConfig)
	}
	t, err := c.ToolType(ctx, data, tool.ToolType)
	if err != nil {
		return err
	}
	return c.checkConfig(t, tool.Config)
}

// UpdateTool changes a tool.
func (c *Catalogue) UpdateTool(ctx context.Context, data Data, env Env, id string, p ToolPatch) (*domain.Tool, domain.DataChange, error) {
	none := domain.DataChange{}
	tool, err := findTool(ctx, data, "/tool_id", id)
	if err == nil {
		err = checkVersion(p.Version, tool.Version)
	}
	if err != nil {
		return nil, none, err
	}
	if p.ZoneID != nil && *p.ZoneID != tool.ZoneID {
		if _, err := findZone(ctx, data, "/zone_id", *p.ZoneID); err != nil {
			return nil, none, err
		}
	}
	if err := p.apply(tool); err != nil {
		return nil, none, err
	}
	tool.UpdatedAt = env.Now
	if err := c.checkTool(ctx, data, tool); err != nil {
		return nil, none, err
	}
	if err := data.UpdateTool(ctx, tool); err != nil {
		return nil, none, changedMeanwhile(err, "update the tool")
	}
	return tool, toolChange(&env, tool, "updated"), nil
}

func (p ToolPatch) apply(tool *domain.Tool) error {
	set(&tool.ZoneID, p.ZoneID)
	set(&tool.Name, p.Name)
	set(&tool.Description, p.Description)
	set(&tool.AlwaysSend, p.AlwaysSend)
	set(&tool.RequireValidation, p.RequireValidation)
	set(&tool.Position, p.Position)
	if len(p.Config) == 0 {
		return nil
	}
	config, err := merged("/config", tool.Config, p.Config)
	if err != nil {
		return err
	}
	tool.Config = config
	return nil
}

// DeleteTool deletes a tool; one that holds entries only with force.
func (c *Catalogue) DeleteTool(ctx context.Context, data Data, env Env, id string, force bool) (domain.DataChange, error) {
	tool, err := findTool(ctx, data, "/tool_id", id)
	if err != nil {
		return domain.DataChange{}, err
	}
	entries, err := data.CountEntries(ctx, id)
	if err != nil {
		return domain.DataChange{}, fmt.Errorf("count the tool's entries: %w", err)
	}
	if entries > 0 && !force {
		return domain.DataChange{}, domain.Errorf(domain.CodeNotEmpty, "The tool %s holds %s. Nothing was deleted. With force, they are deleted too.",
			quoted(tool.Name), plural(int(entries), "entry", "entries"))
	}
	if err := data.DeleteTool(ctx, id, env.Now); err != nil {
		return domain.DataChange{}, changedMeanwhile(err, "delete the tool")
	}
	return toolChange(&env, tool, "deleted"), nil
}

func toolChange(env *Env, tool *domain.Tool, operation string) domain.DataChange {
	change := env.change("tool", tool.ID, operation)
	change.ToolID, change.ZoneID = tool.ID, tool.ZoneID
	return change
}
