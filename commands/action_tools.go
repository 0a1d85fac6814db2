package commands

import (
	"context"
	"fmt"
	"strconv"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/mergepatch"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

// toolProperties are those of a tool for an action that creates one, or changes one: that cannot change its type.
func toolProperties(zone, toolType string) string {
	return schema.Properties[userdata.ToolFields](map[string]string{
		"zone_id":            `"description": "` + zone + `"`,
		"tool_type":          toolType,
		"name":               `"minLength": 1`,
		"config":             `"description": "See SCHEMA of tool."`,
		"always_send":        `"description": "In every prompt."`,
		"require_validation": `"description": "Ask before it changes."`,
	})
}

type updateToolParams struct {
	ToolID string
	Patch  userdata.ToolPatch
}

func (p *updateToolParams) UnmarshalJSON(text []byte) (err error) {
	p.ToolID, p.Patch, err = mergepatch.IDAndPatch[userdata.ToolFields](text, "tool_id")
	return err
}

type deleteToolParams struct {
	ToolID string `json:"tool_id"`
	Force  bool   `json:"force,omitempty"`
}

func toolActions() []*command {
	return []*command{
		newAction(
			"CREATE_TOOL",
			domain.RoleMember,
			domain.EffectNonIdempotent,
			"Add a tool to a zone.",
			toolProperties("Id of a zone.", `"description": "Id of a tool type."`),
			describeCreateTool,
			runCreateTool,
		).require("zone_id", "tool_type", "name"),
		newAction(
			"UPDATE_TOOL",
			domain.RoleMember,
			domain.EffectIdempotent,
			"Change a tool: give only what changes; null in config removes a field.",
			toolIDProperty+", "+toolProperties("Move it to this zone.", "-"),
			describeUpdateTool,
			runUpdateTool,
		).require("tool_id"),
		newAction(
			"DELETE_TOOL",
			domain.RoleMember,
			domain.EffectIdempotent,
			"Delete a tool; force deletes its entries too.",
			toolIDProperty+`, "force": {"type": "boolean"}`,
			describeDeleteTool,
			runDeleteTool,
		).require("tool_id").forceTerms(),
	}
}

func describeCreateTool(ctx context.Context, c *call, p userdata.ToolFields) (card, error) {
	zone, err := c.zone(ctx, "/zone_id", p.ZoneID)
	if err != nil {
		return card{}, err
	}
	d := card{
		text: domain.Say(
			"Add the tool %s (%s) to %s",
			"Ajouter l’outil %s (%s) à %s",
			nameText(p.Name),
			p.ToolType,
			nameText(zone.Name),
		),
		after: jsonbody.EncodeGiven(p),
		zones: []*userdata.Zone{zone},
	}
	if p.AlwaysSend {
		d.sentAlways(&c.env, true)
	}
	return d, nil
}

func runCreateTool(ctx context.Context, c *call, p userdata.ToolFields) (done, error) {
	tool, change, err := c.rules().CreateTool(ctx, c.store, c.env.Env, p)
	if err != nil {
		return done{}, err
	}
	return changed(tool.ID, change,
		fmt.Sprintf("Created the tool %s with the id %s.", jsonbody.Quote(tool.Name), tool.ID),
		domain.Say("Added the tool %s", "Outil %s ajouté", nameText(tool.Name)))
}

// guarded finds a tool with its zone: both can require an approval.
func (c *call) guarded(ctx context.Context, pointer, toolID string) (*userdata.Tool, []*userdata.Zone, error) {
	tool, err := c.tool(ctx, pointer, toolID)
	if err != nil {
		return nil, nil, err
	}
	zone, err := c.store.Zone(ctx, tool.ZoneID)
	if err != nil {
		return nil, nil, fmt.Errorf("read the tool's zone: %w", err)
	}
	return tool, []*userdata.Zone{zone}, nil
}

func describeUpdateTool(ctx context.Context, c *call, p updateToolParams) (card, error) {
	tool, zones, err := c.guarded(ctx, "/tool_id", p.ToolID)
	if err != nil {
		return card{}, err
	}
	after := *tool
	if err := data.PatchTool(&after, p.Patch); err != nil {
		return card{}, err
	}
	d := card{text: domain.Say("Change the tool %s", "Modifier l’outil %s", nameText(tool.Name)),
		tools: []*userdata.Tool{tool}, zones: zones, version: strconv.FormatInt(tool.Version, 10)}
	if after.AlwaysSend {
		d.sentAlways(&c.env, !tool.AlwaysSend)
	}
	d.before, d.after = diff(toolView(tool), toolView(&after))
	if after.ZoneID != tool.ZoneID {
		to, err := c.zone(ctx, "/zone_id", after.ZoneID)
		if err != nil {
			return card{}, err
		}
		d.zones = append(d.zones, to)
		d.text = domain.Join("", d.text, domain.Say(", moving it to %s", " et le déplacer vers %s", nameText(to.Name)))
	}
	if string(after.Config) != string(tool.Config) {
		d.warnings = append(d.warnings, domain.Say("This changes the tool's config.", "Cela change la configuration de l’outil."))
	}
	if tool.RequireValidation && !after.RequireValidation {
		d.warnings = append(
			d.warnings,
			domain.Say(
				"From then on, changes of this tool no longer ask for your yes.",
				"Ensuite, les modifications de cet outil ne demanderont plus votre accord.",
			),
		)
	}
	return d, nil
}

func runUpdateTool(ctx context.Context, c *call, p updateToolParams) (done, error) {
	if p.Patch.Empty() {
		return done{}, domain.Invalid("", "empty", "Nothing would change: give at least one field beside tool_id.")
	}
	tool, err := c.tool(ctx, "/tool_id", p.ToolID)
	if err != nil {
		return done{}, err
	}
	was := toolView(tool)
	change, err := c.rules().UpdateTool(ctx, c.store, c.env.Env, tool, p.Patch)
	if err != nil {
		return done{}, err
	}
	d, err := changed(tool.ID, change,
		fmt.Sprintf("Changed the tool %s (%s). Its config is now %s.", jsonbody.Quote(tool.Name), tool.ID, tool.Config),
		domain.Say("Changed the tool %s", "Outil %s modifié", nameText(tool.Name)))
	return d.from(tool.ID, was, toolView(tool)), err
}

func describeDeleteTool(ctx context.Context, c *call, p deleteToolParams) (card, error) {
	tool, zones, err := c.guarded(ctx, "/tool_id", p.ToolID)
	if err != nil {
		return card{}, err
	}
	entries, err := c.store.CountEntries(ctx, tool.ID)
	if err != nil {
		return card{}, fmt.Errorf("count the tool's entries: %w", err)
	}
	d := card{text: domain.Say("Delete the tool %s", "Supprimer l’outil %s", nameText(tool.Name)), before: jsonbody.Encode(toolView(tool)),
		tools: []*userdata.Tool{tool}, zones: zones, version: strconv.FormatInt(tool.Version, 10), warnings: []domain.Text{deletion()}}
	if p.Force && entries > 0 {
		d.text = domain.Join("", d.text, domain.Say(" with its %s", " avec ses %s", entriesText(int(entries))))
	}
	return d, nil
}

func runDeleteTool(ctx context.Context, c *call, p deleteToolParams) (done, error) {
	tool, err := c.tool(ctx, "/tool_id", p.ToolID)
	if err != nil {
		return done{}, err
	}
	change, err := c.rules().DeleteTool(ctx, c.store, c.env.Env, tool, p.Force)
	if err != nil {
		return done{}, err
	}
	return changed(p.ToolID, change,
		fmt.Sprintf("Deleted the tool %s. The person can undo it for 30 days.", p.ToolID),
		domain.Say("Deleted the tool %s", "Outil %s supprimé", nameText(tool.Name)))
}
