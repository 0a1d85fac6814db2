package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/fermata-dev/fermata/domain"
)

// ToolTypeInput is a new tool type.
type ToolTypeInput struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	ConfigSchema json.RawMessage `json:"config_schema"`
	EntrySchema  json.RawMessage `json:"entry_schema"`
}

var typeID = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,62}$`)

// CreateToolType adds a tool type to the workspace. Its schemas must describe objects
// and may not refer outside themselves.
func (c *Catalogue) CreateToolType(ctx context.Context, data ToolTypeData, env Env, in ToolTypeInput) (*domain.ToolType, domain.DataChange, error) {
	none := domain.DataChange{}
	if !typeID.MatchString(in.ID) {
		return nil, none, domain.Invalid("/id", "format", "The id of a tool type is a to z, 0 to 9, - and _, begins with a letter and has at most 63 characters.")
	}
	if err := checkNamed(in.Name, in.Description); err != nil {
		return nil, none, err
	}
	config, err := c.typeSchema("/config_schema", in.ConfigSchema)
	if err != nil {
		return nil, none, err
	}
	entry, err := c.typeSchema("/entry_schema", in.EntrySchema)
	if err != nil {
		return nil, none, err
	}
	types, err := c.ToolTypes(ctx, data)
	if err != nil {
		return nil, none, err
	}
	for _, t := range types {
		if t.ID == in.ID {
			return nil, none, domain.Errorf(domain.CodeConflict, "There is a tool type %s already. Choose another id.", quoted(in.ID))
		}
	}
	t := &domain.ToolType{ID: in.ID, WorkspaceID: env.WorkspaceID, Name: in.Name, Description: in.Description,
		ConfigSchema: config, EntrySchema: entry, Version: 1, CreatedAt: env.Now, UpdatedAt: env.Now}
	if err := data.InsertToolType(ctx, t); err != nil {
		return nil, none, fmt.Errorf("insert the tool type: %w", err)
	}
	return t, env.change("tool_type", t.ID, "created"), nil
}

// ToolTypePatch changes a tool type. Nil: unchanged; a schema is given whole. Version,
// if set, is the one that its author saw.
type ToolTypePatch struct {
	Name         *string
	Description  *string
	ConfigSchema json.RawMessage
	EntrySchema  json.RawMessage
	Version      *int64
}

// UpdateToolType changes one of the workspace's own tool types. Every tool of the type
// and every entry of these must fit it afterwards; otherwise nothing is changed, and
// the error counts those that do not and names the first.
func (c *Catalogue) UpdateToolType(ctx context.Context, data Data, env Env, id string, p ToolTypePatch) (*domain.ToolType, domain.DataChange, error) {
	none := domain.DataChange{}
	t, err := c.ownType(ctx, data, id)
	if err == nil {
		err = checkVersion(p.Version, t.Version)
	}
	if err != nil {
		return nil, none, err
	}
	before := *t
	if err := c.patchType(t, p); err != nil {
		return nil, none, err
	}
	fit := fitting{
		c: c, data: data, t: t,
		configs: string(before.ConfigSchema) != string(t.ConfigSchema), entries: string(before.EntrySchema) != string(t.EntrySchema),
	}
	if err := fit.all(ctx); err != nil {
		return nil, none, err
	}
	t.UpdatedAt = env.Now
	if err := data.UpdateToolType(ctx, t); err != nil {
		return nil, none, changedMeanwhile(err, "update the tool type")
	}
	return t, env.change("tool_type", t.ID, "updated"), nil
}

func (c *Catalogue) patchType(t *domain.ToolType, p ToolTypePatch) error {
	set(&t.Name, p.Name)
	set(&t.Description, p.Description)
	if err := checkNamed(t.Name, t.Description); err != nil {
		return err
	}
	var err error
	if p.ConfigSchema != nil {
		if t.ConfigSchema, err = c.typeSchema("/config_schema", p.ConfigSchema); err != nil {
			return err
		}
	}
	if p.EntrySchema != nil {
		t.EntrySchema, err = c.typeSchema("/entry_schema", p.EntrySchema)
	}
	return err
}

// DeleteToolType deletes one of the workspace's own tool types, if no tool has it.
func (c *Catalogue) DeleteToolType(ctx context.Context, data Data, env Env, id string) (domain.DataChange, error) {
	none := domain.DataChange{}
	t, err := c.ownType(ctx, data, id)
	if err != nil {
		return none, err
	}
	tools, err := toolsOf(ctx, data, id)
	if err != nil {
		return none, err
	}
	if len(tools) > 0 {
		e := domain.Errorf(domain.CodeTypeInUse, "%s of the type %s: the first is %s (%s). Nothing was deleted; delete the tools first.",
			plural(len(tools), "tool is", "tools are"), quoted(t.Name), tools[0].ID, quoted(tools[0].Name))
		return none, e
	}
	if err := data.DeleteToolType(ctx, id); err != nil {
		return none, fmt.Errorf("delete the tool type: %w", err)
	}
	return env.change("tool_type", id, "deleted"), nil
}

// ownType finds a tool type that may be changed.
func (c *Catalogue) ownType(ctx context.Context, data ToolTypeData, id string) (*domain.ToolType, error) {
	types, err := c.ToolTypes(ctx, data)
	if err != nil {
		return nil, err
	}
	for i := range types {
		switch {
		case types[i].ID != id:
		case types[i].BuiltIn:
			return nil, domain.Errorf(domain.CodeForbidden, "The tool type %s is built in: it is the same everywhere. Make one of your own instead.", quoted(id))
		default:
			return &types[i], nil
		}
	}
	return nil, domain.NotFound("tool type")
}

func toolsOf(ctx context.Context, data ToolData, toolType string) ([]domain.Tool, error) {
	all, err := data.Tools(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("read the tools: %w", err)
	}
	var of []domain.Tool
	for i := range all {
		if all[i].ToolType == toolType {
			of = append(of, all[i])
		}
	}
	return of, nil
}

// typeSchema checks a schema of a tool type and gives its compact form.
func (c *Catalogue) typeSchema(pointer string, schema json.RawMessage) (json.RawMessage, error) {
	value, err := parseJSON(schema)
	if err != nil {
		return nil, unreadJSON(pointer, "This is", err)
	}
	fields, ok := value.(map[string]any)
	if !ok || fields["type"] != "object" {
		return nil, domain.Invalid(pointer, "type", `This must be a JSON Schema with "type": "object".`)
	}
	encoded := encode(value)
	if _, err := c.schemas.compile(encoded); err != nil {
		return nil, domain.Invalid(pointer, "schema", "This JSON Schema cannot be used: %v.", err)
	}
	return encoded, nil
}
