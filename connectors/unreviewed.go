package connectors

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

const (
	// maxLabel and maxLabelWords bound a name that is short enough to be a label. A longer one has
	// room for an instruction, so it counts as external content.
	maxLabel      = 32
	maxLabelWords = 3
	// maxOutlineDepth bounds the levels of a schema that are shown before a review.
	maxOutlineDepth = 5
)

var (
	labelPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
	labelWord    = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+|[0-9]+`)
	schemaTypes  = map[string]bool{
		"object": true, "array": true, "string": true, "number": true, "integer": true, "boolean": true, "null": true,
	}
)

// outline is the part of a JSON schema that is shown before a review: types and names of
// properties. Titles, descriptions, enums, defaults, patterns and references are left out.
type outline struct {
	Type       any                 `json:"type,omitempty"`
	Properties map[string]*outline `json:"properties,omitempty"`
	Required   []string            `json:"required,omitempty"`
	Items      *outline            `json:"items,omitempty"`
}

// withholdTexts replaces the texts of an unreviewed command with a description of ours and the
// outline of its schema. It reports whether the names that are left are all labels; if not, the
// names themselves count as external content.
func withholdTexts(spec *domain.CommandSpec, c *outside.Connector, command *outside.ConnectorCommand) (labels bool) {
	spec.Description = fmt.Sprintf("A command of the connector %s. Its own description is withheld until a person has reviewed it; "+
		"infer its use from its name and its parameters.", c.Name)
	labels = isLabel(command.Name) && (command.Remote == "" || isLabel(command.Remote))
	shown, plain := outlineOf(command.Params, maxOutlineDepth)
	shown.Type, spec.Params = "object", nil
	if len(shown.Properties) > 0 {
		text, err := json.Marshal(shown)
		if err != nil {
			return false
		}
		spec.Params = text
	}
	return labels && plain
}

// outlineOf reduces a schema to its outline. Anything that cannot be read is left out; what
// remains then accepts more than the server does, which checks its arguments itself.
func outlineOf(schema json.RawMessage, depth int) (shown *outline, labels bool) {
	shown, labels = &outline{}, true
	var in struct {
		Type       json.RawMessage            `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Items      json.RawMessage            `json:"items"`
	}
	if depth == 0 || exactjson.Lenient(schema, &in) != nil {
		return shown, true
	}
	shown.Type = typeOf(in.Type)
	for name, property := range in.Properties {
		if shown.Properties == nil {
			shown.Properties = map[string]*outline{}
		}
		own, plain := outlineOf(property, depth-1)
		shown.Properties[name] = own
		labels = labels && plain && isLabel(name)
	}
	for _, name := range in.Required {
		if shown.Properties[name] != nil {
			shown.Required = append(shown.Required, name)
		}
	}
	if len(in.Items) > 0 {
		own, plain := outlineOf(in.Items, depth-1)
		shown.Items, labels = own, labels && plain
	}
	return shown, labels
}

// typeOf returns the type of a schema, one or several, or nil if it is not one of JSON Schema's.
func typeOf(raw json.RawMessage) any {
	var one string
	if exactjson.Unmarshal(raw, &one) == nil && schemaTypes[one] {
		return one
	}
	var listed, known []string
	if exactjson.Unmarshal(raw, &listed) != nil {
		return nil
	}
	for _, t := range listed {
		if schemaTypes[t] {
			known = append(known, t)
		}
	}
	if len(known) == 0 {
		return nil
	}
	return known
}

// isLabel reports whether a name is too short to carry an instruction.
func isLabel(name string) bool {
	return len(name) <= maxLabel && labelPattern.MatchString(name) &&
		len(labelWord.FindAllString(name, -1)) <= maxLabelWords
}
