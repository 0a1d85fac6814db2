package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// commandDocs documents every command with its parameters, for models without tools: queries,
// actions, then control commands, each sorted by name.
func commandDocs(specs []domain.CommandSpec) string {
	var b strings.Builder
	for _, kind := range []domain.CommandKind{domain.KindQuery, domain.KindAction, domain.KindControl} {
		for _, spec := range sorted(specs) {
			// These two have fields of their own in a JSON answer.
			if spec.Kind == kind && spec.Name != domain.AskUser && spec.Name != domain.Complete {
				writeCommand(&b, &spec)
			}
		}
	}
	return strings.TrimSpace(b.String())
}

func writeCommand(b *strings.Builder, spec *domain.CommandSpec) {
	fmt.Fprintf(b, "### %s (%s)\n", spec.Name, spec.Kind)
	if text := strings.TrimSpace(spec.Description); text != "" {
		b.WriteString(unforged(text) + "\n")
	}
	var schema map[string]any
	if json.Unmarshal(spec.Params, &schema) != nil {
		schema = nil
	}
	properties, _ := schema["properties"].(map[string]any)
	if refers := bytes.Contains(spec.Params, []byte(`"$ref"`)); refers || (properties == nil && len(schema) > 1) {
		b.WriteString("params: " + paramsAsIs(schema, refers) + "\n\n")
		return
	}
	documented := 0
	for _, p := range parameters(schema, properties) {
		if spec.Kind == domain.KindAction && (p.name == "repeat" || p.name == "validation_request") {
			continue // documented once for all actions
		}
		b.WriteString("- " + p.name + p.mark() + ": " + p.typ + p.description + "\n")
		documented++
	}
	if documented == 0 {
		b.WriteString("- no params\n")
	}
	b.WriteString("\n")
}

// paramsAsIs renders parameters that are not a flat list of fields. A schema with references is
// only complete as JSON.
func paramsAsIs(schema map[string]any, refers bool) string {
	if refers {
		return asIs(schema)
	}
	return schemaType(schema, 0)
}

type parameter struct {
	name, typ, description string
	required               bool
}

func (p parameter) mark() string {
	if p.required {
		return ""
	}
	return "?"
}

// parameters returns the parameters in a fixed order: required ones first, then by name.
func parameters(schema, properties map[string]any) []parameter {
	required, _ := schema["required"].([]any)
	var out []parameter
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p := parameter{name: name, typ: schemaType(properties[name], 0), required: slices.Contains(required, any(name))}
		if inner, ok := properties[name].(map[string]any); ok {
			if text, ok := inner["description"].(string); ok && text != "" {
				p.description = ". " + oneLine(text)
			}
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(x, y parameter) int {
		switch {
		case x.required == y.required:
			return 0
		case x.required:
			return -1
		}
		return 1
	})
	return out
}

// schemaType renders a JSON Schema in type notation: {tool_id: string, limit?: integer 1..500}.
// Anything else is rendered as JSON.
func schemaType(schema any, depth int) string {
	s, ok := schema.(map[string]any)
	if !ok || len(s) == 0 {
		return "any"
	}
	if depth > 5 || usesAny(s, "$ref", "allOf", "not", "if", "patternProperties", "dependentSchemas") {
		return asIs(s)
	}
	if value, ok := s["const"]; ok {
		return asIs(value)
	}
	if values, ok := s["enum"].([]any); ok {
		return union(values, asIs)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if choices, ok := s[key].([]any); ok {
			return union(choices, func(c any) string { return schemaType(c, depth+1) })
		}
	}
	switch t := s["type"].(type) {
	case []any:
		return union(t, func(one any) string { return typeOf(fmt.Sprint(one), s, depth) })
	case string:
		return typeOf(t, s, depth)
	}
	if s["properties"] != nil {
		return typeOf("object", s, depth)
	}
	return "any"
}

func typeOf(name string, s map[string]any, depth int) string {
	switch name {
	case "object":
		return objectType(s, depth)
	case "array":
		item := schemaType(s["items"], depth+1)
		if strings.Contains(item, " | ") {
			item = "(" + item + ")"
		}
		return item + "[]" + bounds(s, "minItems", "maxItems", " of ")
	case "string":
		if format, ok := s["format"].(string); ok {
			return "string (" + format + ")"
		}
		return "string" + bounds(s, "minLength", "maxLength", " of length ")
	case "integer", "number":
		return name + bounds(s, "minimum", "maximum", " ")
	}
	return name
}

func objectType(s map[string]any, depth int) string {
	properties, _ := s["properties"].(map[string]any)
	if len(properties) == 0 {
		return "object"
	}
	required, _ := s["required"].([]any)
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		mark := "?"
		if slices.Contains(required, any(name)) {
			mark = ""
		}
		fields = append(fields, name+mark+": "+schemaType(properties[name], depth+1))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

func bounds(s map[string]any, low, high, word string) string {
	from, hasFrom := s[low]
	to, hasTo := s[high]
	switch {
	case hasFrom && hasTo:
		return fmt.Sprintf("%s%v..%v", word, from, to)
	case hasTo:
		return fmt.Sprintf("%sat most %v", word, to)
	case hasFrom && fmt.Sprint(from) != "0":
		return fmt.Sprintf("%sat least %v", word, from)
	}
	return ""
}

func union(choices []any, write func(any) string) string {
	parts := make([]string, 0, len(choices))
	for _, c := range choices {
		if text := write(c); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " | ")
}

func usesAny(s map[string]any, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, ok := s[key]; return ok })
}

// asIs renders JSON on one line with sorted keys.
func asIs(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return "any"
	}
	return string(encoded)
}
