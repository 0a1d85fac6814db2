package data

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

var typeID = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,62}$`)

// CreateToolType adds a tool type to the workspace. Its schemas must describe objects
// and may not refer outside themselves.
func (r *Rules) CreateToolType(ctx context.Context, store ToolTypes, env Env,
	in userdata.NewToolType) (*userdata.ToolType, domain.DataChange, error) {
	none := domain.DataChange{}
	if !typeID.MatchString(in.ID) {
		return nil, none, domain.Invalid("/id", "format",
			"The id of a tool type is a to z, 0 to 9, - and _, begins with a letter and has at most 63 characters.")
	}
	if err := checkNamed(in.Name, in.Description); err != nil {
		return nil, none, err
	}
	config, err := r.typeSchema("/config_schema", in.ConfigSchema)
	if err != nil {
		return nil, none, err
	}
	entry, err := r.typeSchema("/entry_schema", in.EntrySchema)
	if err != nil {
		return nil, none, err
	}
	types, err := AllToolTypes(ctx, store)
	if err != nil {
		return nil, none, err
	}
	for _, t := range types {
		if t.ID == in.ID {
			return nil, none, domain.Errorf(
				domain.CodeConflict,
				"There is a tool type %s already. Choose another id.",
				jsonbody.Quote(in.ID),
			)
		}
	}
	in.ConfigSchema, in.EntrySchema = config, entry
	t := &userdata.ToolType{
		ID: in.ID, WorkspaceID: env.WorkspaceID, ToolTypeFields: in.ToolTypeFields, Version: 1, CreatedAt: env.Now, UpdatedAt: env.Now,
		Trust: env.Writer.Created(in.ToolTypeFields),
	}
	if err := store.InsertToolType(ctx, t); err != nil {
		return nil, none, fmt.Errorf("insert the tool type: %w", err)
	}
	return t, env.change("tool_type", t.ID, "created"), nil
}

// UpdateToolType changes one of the workspace's own tool types. Every tool of the type
// and every entry of these must fit it afterwards; otherwise nothing is changed, and
// the error counts those that do not and names the first.
func (r *Rules) UpdateToolType(ctx context.Context, store Store, env Env, t *userdata.ToolType,
	p userdata.ToolTypePatch) (domain.DataChange, error) {
	none := domain.DataChange{}
	if err := checkOwn(t); err != nil {
		return none, err
	}
	before := *t
	if err := r.patchType(t, p); err != nil {
		return none, err
	}
	fit := fitting{
		rules: r, store: store, t: t,
		configs: string(before.ConfigSchema) != string(t.ConfigSchema), entries: string(before.EntrySchema) != string(t.EntrySchema),
	}
	if err := fit.all(ctx); err != nil {
		return none, err
	}
	t.UpdatedAt, t.Trust = env.Now, env.Writer.Changed(t.Trust, json.RawMessage(p))
	if err := store.UpdateToolType(ctx, t); err != nil {
		return none, changedMeanwhile(err, "update the tool type")
	}
	return env.change("tool_type", t.ID, "updated"), nil
}

// patchType merges a patch into a tool type, and validates what it changes.
func (r *Rules) patchType(t *userdata.ToolType, p userdata.ToolTypePatch) error {
	if err := p.Apply(&t.ToolTypeFields); err != nil {
		return err
	}
	if err := checkNamed(t.Name, t.Description); err != nil {
		return err
	}
	var err error
	if p.Get("config_schema") != nil {
		if t.ConfigSchema, err = r.typeSchema("/config_schema", t.ConfigSchema); err != nil {
			return err
		}
	}
	if p.Get("entry_schema") != nil {
		t.EntrySchema, err = r.typeSchema("/entry_schema", t.EntrySchema)
	}
	return err
}

// DeleteToolType deletes one of the workspace's own tool types, if no tool has it.
func (r *Rules) DeleteToolType(ctx context.Context, store Store, env Env, t *userdata.ToolType) (domain.DataChange, error) {
	none := domain.DataChange{}
	if err := checkOwn(t); err != nil {
		return none, err
	}
	tools, err := toolsOf(ctx, store, t.ID)
	if err != nil {
		return none, err
	}
	if len(tools) > 0 {
		return none, domain.Errorf(
			domain.CodeTypeInUse,
			"%s of the type %s: the first is %s (%s). Nothing was deleted; delete the tools first.",
			domain.Plural(len(tools), "tool is", "tools are"),
			jsonbody.Quote(t.Name),
			tools[0].ID,
			jsonbody.Quote(tools[0].Name),
		)
	}
	if err := store.DeleteToolType(ctx, t.ID); err != nil {
		return none, fmt.Errorf("delete the tool type: %w", err)
	}
	return env.change("tool_type", t.ID, "deleted"), nil
}

// checkOwn refuses a change of a built-in tool type.
func checkOwn(t *userdata.ToolType) error {
	if t.BuiltIn {
		return domain.Errorf(domain.CodeForbidden,
			"The tool type %s is built in: it is the same everywhere. Make one of your own instead.", jsonbody.Quote(t.ID))
	}
	return nil
}

func toolsOf(ctx context.Context, store Tools, toolType string) ([]userdata.Tool, error) {
	all, err := store.Tools(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("read the tools: %w", err)
	}
	var of []userdata.Tool
	for i := range all {
		if all[i].ToolType == toolType {
			of = append(of, all[i])
		}
	}
	return of, nil
}

// typeSchema validates a schema of a tool type and returns its compact form.
func (r *Rules) typeSchema(pointer string, schema json.RawMessage) (json.RawMessage, error) {
	value, err := jsonbody.Value(schema)
	if err != nil {
		return nil, Unread(pointer, "This is", err)
	}
	fields, ok := value.(map[string]any)
	if !ok || fields["type"] != "object" {
		return nil, domain.Invalid(pointer, "type", `This must be a JSON Schema with "type": "object".`)
	}
	encoded := jsonbody.Encode(value)
	if err := r.schemas.Compile(encoded); err != nil {
		return nil, domain.Invalid(pointer, "schema", "This JSON Schema cannot be used: %v.", err)
	}
	return encoded, nil
}
