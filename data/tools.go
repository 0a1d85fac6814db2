package data

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// CreateTool adds a tool to a zone.
func (r *Rules) CreateTool(ctx context.Context, store Store, env Env, in userdata.ToolFields) (*userdata.Tool, domain.DataChange, error) {
	none := domain.DataChange{}
	if _, err := FindZone(ctx, store, "/zone_id", in.ZoneID); err != nil {
		return nil, none, err
	}
	if len(in.Config) == 0 {
		in.Config = json.RawMessage("{}")
	}
	config, err := Normal("/config", in.Config, maxConfig)
	if err != nil {
		return nil, none, err
	}
	in.Config = config
	tool := &userdata.Tool{
		ID: env.NewID(domain.PrefixTool), WorkspaceID: env.WorkspaceID, ToolFields: in, Trust: env.Writer.Created(toolTexts(in)),
		Version: 1, CreatedAt: env.Now, UpdatedAt: env.Now,
	}
	if err := r.checkTool(ctx, store, tool); err != nil {
		return nil, none, err
	}
	if err := store.InsertTool(ctx, tool); err != nil {
		return nil, none, fmt.Errorf("insert the tool: %w", err)
	}
	return tool, toolChange(&env, tool, "created"), nil
}

// toolTexts are the fields of a new tool that can contain text of its author: the ids of its zone and type are checked.
func toolTexts(in userdata.ToolFields) userdata.ToolFields {
	in.ZoneID, in.ToolType = "", ""
	return in
}

func (r *Rules) checkTool(ctx context.Context, store ToolTypes, tool *userdata.Tool) error {
	if err := checkNamed(tool.Name, tool.Description); err != nil {
		return err
	}
	if len(tool.Config) > maxConfig {
		return domain.Invalid("/config", "too_large", "The config has %d bytes; at most %d are allowed.", len(tool.Config), maxConfig)
	}
	t, err := FindToolType(ctx, store, tool.ToolType)
	if err != nil {
		return err
	}
	return r.checkConfig(t, tool.Config)
}

// PatchTool merges a patch into a tool.
func PatchTool(tool *userdata.Tool, p userdata.ToolPatch) error {
	if err := checkPatched("/config", p.Get("config")); err != nil {
		return err
	}
	return p.Apply(&tool.ToolFields)
}

// UpdateTool changes a tool.
func (r *Rules) UpdateTool(ctx context.Context, store Store,
	env Env, tool *userdata.Tool, p userdata.ToolPatch) (domain.DataChange, error) {
	none := domain.DataChange{}
	from := tool.ZoneID
	if err := PatchTool(tool, p); err != nil {
		return none, err
	}
	if tool.ZoneID != from {
		if _, err := FindZone(ctx, store, "/zone_id", tool.ZoneID); err != nil {
			return none, err
		}
	}
	tool.UpdatedAt, tool.Trust = env.Now, env.Writer.Changed(tool.Trust, json.RawMessage(p))
	if err := r.checkTool(ctx, store, tool); err != nil {
		return none, err
	}
	if err := store.UpdateTool(ctx, tool); err != nil {
		return none, changedMeanwhile(err, "update the tool")
	}
	return toolChange(&env, tool, "updated"), nil
}

// DeleteTool deletes a tool; one that holds entries only with force.
func (r *Rules) DeleteTool(ctx context.Context, store Store, env Env, tool *userdata.Tool, force bool) (domain.DataChange, error) {
	entries, err := store.CountEntries(ctx, tool.ID)
	if err != nil {
		return domain.DataChange{}, fmt.Errorf("count the tool's entries: %w", err)
	}
	if entries > 0 && !force {
		return domain.DataChange{}, domain.Errorf(domain.CodeNotEmpty,
			"The tool %s holds %s. Nothing was deleted. With force, they are deleted too.",
			jsonbody.Quote(tool.Name), domain.Plural(int(entries), "entry", "entries"))
	}
	if err := store.DeleteTool(ctx, tool.ID, env.Now); err != nil {
		return domain.DataChange{}, changedMeanwhile(err, "delete the tool")
	}
	return toolChange(&env, tool, "deleted"), nil
}

func toolChange(env *Env, tool *userdata.Tool, operation string) domain.DataChange {
	change := env.change("tool", tool.ID, operation)
	change.ToolID, change.ZoneID = tool.ID, tool.ZoneID
	return change
}
