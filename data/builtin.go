package data

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

// builtinTypes are the tool types that every workspace has.
var builtinTypes = []userdata.ToolType{
	builtinType("tracking", "Tracking", "Numbers over time, with a unit and an optional range.",
		schema.Object(`"unit": {"type": "string", "maxLength": 40, "description": "Unit of the values, like kg."},
			"min": {"type": "number", "description": "Smallest value that is accepted."},
			"max": {"type": "number", "description": "Largest value that is accepted."},
			"decimals": {"type": "integer", "minimum": 0, "maximum": 9, "description": "How many decimals are shown."}`),
		schema.Object(`"value": {"type": "number"}`, "value")),
	builtinType("journal", "Journal", "Dated texts.",
		schema.Object(``),
		schema.Object(`"text": {"type": "string", "minLength": 1, "maxLength": 100000}`, "text")),
	builtinType("notes", "Notes", "Texts with a title.",
		schema.Object(``),
		schema.Object(`"title": {"type": "string", "minLength": 1, "maxLength": 300},
			"text": {"type": "string", "maxLength": 100000}`, "title", "text")),
	builtinType("checklist", "Checklist", "Items that are done or not.",
		schema.Object(``),
		schema.Object(`"text": {"type": "string", "minLength": 1, "maxLength": 10000}, "done": {"type": "boolean"}`, "text", "done")),
	builtinType("goal", "Goal", "A target with its criterion and deadline; entries are the steps towards it.",
		schema.Object(`"target": {"type": "string", "maxLength": 2000, "description": "What is to be reached."},
			"criterion": {"type": "string", "maxLength": 2000, "description": "How one knows that it is reached."},
			"deadline": {"type": "string", "format": "date", "description": "A date like 2026-12-31."}`),
		schema.Object(`"text": {"type": "string", "minLength": 1, "maxLength": 10000}, "done": {"type": "boolean"},
			"progress": {"type": "number", "description": "How far it is, in per cent or in the target's own unit."}`, "text")),
}

func builtinType(id, name, description string, config, entry json.RawMessage) userdata.ToolType {
	return userdata.ToolType{
		ID:             id,
		ToolTypeFields: userdata.ToolTypeFields{Name: name, Description: description, ConfigSchema: config, EntrySchema: entry},
		BuiltIn:        true,
		Version:        1,
	}
}

// AllToolTypes are the built-in tool types and the workspace's own.
func AllToolTypes(ctx context.Context, store ToolTypes) ([]userdata.ToolType, error) {
	own, err := store.ToolTypes(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the tool types: %w", err)
	}
	return append(slices.Clone(builtinTypes), own...), nil
}

// FindToolType finds one by id. The error for an unknown one lists those there are.
func FindToolType(ctx context.Context, store ToolTypes, id string) (*userdata.ToolType, error) {
	types, err := AllToolTypes(ctx, store)
	if err != nil {
		return nil, err
	}
	known := make([]string, len(types))
	for i := range types {
		if types[i].ID == id {
			return &types[i], nil
		}
		known[i] = types[i].ID
	}
	return nil, domain.Invalid("/tool_type", "unknown", "There is no tool type %s. The tool types are: %s.",
		jsonbody.Quote(id), strings.Join(known, ", "))
}

// checkConfig holds a tool's config against its type.
func (r *Rules) checkConfig(t *userdata.ToolType, config json.RawMessage) error {
	if err := r.schemas.Check(t.ConfigSchema, config, "/config"); err != nil {
		return err
	}
	if !t.BuiltIn || t.ID != "tracking" {
		return nil
	}
	limits, err := readTracking(config)
	if err != nil {
		return err
	}
	if limits.Min != nil && limits.Max != nil && *limits.Min > *limits.Max {
		return domain.Invalid("/config/max", "range", "max (%v) is below min (%v).", *limits.Max, *limits.Min)
	}
	return nil
}

// checkData holds an entry's data against its tool's type and config.
func (r *Rules) checkData(t *userdata.ToolType, tool *userdata.Tool, data json.RawMessage, pointer string) error {
	if err := r.schemas.Check(t.EntrySchema, data, pointer); err != nil {
		return err
	}
	if !t.BuiltIn || t.ID != "tracking" {
		return nil
	}
	limits, err := readTracking(tool.Config)
	if err != nil {
		return err
	}
	var entry struct {
		Value json.Number `json:"value"`
	}
	if err := json.Unmarshal(data, &entry); err != nil {
		return domain.Invalid(pointer+"/value", "type", "The value is a number.")
	}
	value, err := strconv.ParseFloat(string(entry.Value), 64)
	if err != nil {
		return domain.Invalid(pointer+"/value", "range", "The value %s is too large.", entry.Value)
	}
	if limits.Min != nil && value < *limits.Min || limits.Max != nil && value > *limits.Max {
		return domain.Invalid(pointer+"/value", "range", "The value %s is outside the range of %s: %s.",
			entry.Value, jsonbody.Quote(tool.Name), limits)
	}
	return nil
}

// trackingConfig is the config of a tracking tool, as far as it is checked here.
type trackingConfig struct {
	Unit string   `json:"unit"`
	Min  *float64 `json:"min"`
	Max  *float64 `json:"max"`
}

func (t trackingConfig) String() string {
	var parts []string
	if t.Min != nil {
		parts = append(parts, "at least "+strconv.FormatFloat(*t.Min, 'f', -1, 64))
	}
	if t.Max != nil {
		parts = append(parts, "at most "+strconv.FormatFloat(*t.Max, 'f', -1, 64))
	}
	return strings.TrimSpace(strings.Join(parts, ", ") + " " + t.Unit)
}

func readTracking(config json.RawMessage) (trackingConfig, error) {
	var t trackingConfig
	if len(bytes.TrimSpace(config)) == 0 {
		return t, nil
	}
	if err := json.Unmarshal(config, &t); err != nil {
		return t, fmt.Errorf("read a tracking config: %w", err)
	}
	return t, nil
}

// NumericFields are the fields of a type's entries that statistics can be made of.
func NumericFields(t *userdata.ToolType) []string {
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	if json.Unmarshal(t.EntrySchema, &schema) != nil {
		return nil
	}
	var fields []string
	for name, p := range schema.Properties {
		if p.Type == "number" || p.Type == "integer" {
			fields = append(fields, name)
		}
	}
	slices.Sort(fields)
	return fields
}
