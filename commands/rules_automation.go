package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// AutomationData is what the rules of automations look at.
type AutomationData interface {
	data.Zones
	data.Tools
}

// CheckTriggers validates an automation's triggers, and puts their conditions into compact form. Pointers
// of errors begin with /triggers/0.
func (c *Catalogue) CheckTriggers(ctx context.Context, store AutomationData, triggers []automation.Trigger) error {
	hooks := 0
	watched := map[string]bool{}
	for i := range triggers {
		t, at := &triggers[i], fmt.Sprintf("/triggers/%d", i)
		switch t.Type {
		case automation.TriggerWebhook:
			if hooks++; hooks > 1 {
				return domain.Invalid(at, "count", "An automation has one webhook at most.")
			}
			if t.ToolID != "" {
				return domain.Invalid(at+"/tool_id", "not_allowed", "A webhook has no tool.")
			}
		case automation.TriggerEntryCreated:
			if t.ToolID == "" {
				return domain.Invalid(at+"/tool_id", "required", "An entry_created trigger names the tool that it watches.")
			}
			if watched[t.ToolID] {
				return domain.Invalid(
					at+"/tool_id",
					"repeated",
					"Another trigger watches this tool already; join their conditions with anyOf.",
				)
			}
			watched[t.ToolID] = true
			if _, err := store.Tool(ctx, t.ToolID); err != nil {
				return notThere(err, at+"/tool_id", "tool")
			}
		default:
			return domain.Invalid(at+"/type", "enum", "The type of a trigger is webhook or entry_created.")
		}
		var err error
		if t.Condition, err = c.ownSchema(at+"/condition", t.Condition); err != nil {
			return err
		}
	}
	return nil
}

// CheckGrant validates a grant: its commands are actions of the catalogue, its zones and tools exist, its
// bounds are a JSON Schema, and it has not expired. outside are the workspace's external commands.
func (c *Catalogue) CheckGrant(
	ctx context.Context, store AutomationData, now time.Time, g *domain.Grant, outside []domain.CommandSpec,
) error {
	specs := slices.Concat(c.Specs(), outside)
	for i, name := range g.Commands {
		at := slices.IndexFunc(specs, func(s domain.CommandSpec) bool { return s.Name == name })
		switch {
		case at < 0:
			return domain.Invalid(fmt.Sprintf("/commands/%d", i), "unknown_command", "%s", unknown(name, c.SpecsFor(domain.Run, outside)))
		case specs[at].Kind != domain.KindAction:
			return domain.Invalid(
				fmt.Sprintf("/commands/%d", i),
				"not_an_action",
				"%s changes nothing: nobody is asked before it runs, so there is nothing to grant.",
				name,
			)
		}
	}
	for i, id := range g.ZoneIDs {
		if _, err := store.Zone(ctx, id); err != nil {
			return notThere(err, fmt.Sprintf("/zone_ids/%d", i), "zone")
		}
	}
	for i, id := range g.ToolIDs {
		if _, err := store.Tool(ctx, id); err != nil {
			return notThere(err, fmt.Sprintf("/tool_ids/%d", i), "tool")
		}
	}
	if g.ExpiresAt != nil && !g.ExpiresAt.After(now) {
		return domain.Invalid("/expires_at", "past", "This time is over; a grant expires in the future.")
	}
	var err error
	g.Bounds, err = c.ownSchema("/bounds", g.Bounds)
	return err
}

// notThere makes of an unknown id in a request a wrong value.
func notThere(err error, pointer, noun string) error {
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return domain.Invalid(pointer, "not_found", "There is no such %s in this workspace.", noun)
	}
	return fmt.Errorf("look for the %s: %w", noun, err)
}

// ownSchema validates a JSON Schema written by people and returns its compact form; none, or one that
// accepts everything, is none.
func (c *Catalogue) ownSchema(pointer string, schema json.RawMessage) (json.RawMessage, error) {
	if len(schema) == 0 {
		return nil, nil
	}
	value, err := jsonbody.Value(schema)
	if err != nil {
		return nil, data.Unread(pointer, "This is", err)
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, domain.Invalid(pointer, "type", "This must be a JSON Schema: an object.")
	}
	if len(fields) == 0 {
		return nil, nil
	}
	encoded := jsonbody.Encode(value)
	if err := c.schemas.Compile(encoded); err != nil {
		return nil, domain.Invalid(pointer, "schema", "This JSON Schema cannot be used: %v.", err)
	}
	return encoded, nil
}
