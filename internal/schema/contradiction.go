package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// contradiction returns an *unusable for a schema that no value satisfies, as far as that is visible in single
// keywords: an empty enum, a minimum above the maximum, or a required property that nothing satisfies. (To
// decide it for every schema is not feasible; whether a value satisfies one is checked in any case.)
func contradiction(document any) error {
	c := &contradictions{root: document}
	return c.in(document)
}

// contradictions searches the parts of a schema that every value must satisfy. Schemas that were compiled
// have no cycles and a bounded number of parts.
type contradictions struct {
	root any
	at   jsonbody.Path
}

func (c *contradictions) found(format string, args ...any) error {
	return &unusable{jsonbody.Mistake{
		Pointer: c.at.String(), Code: codeUnsatisfiable, Message: "no value satisfies this schema: " + fmt.Sprintf(format, args...),
	}}
}

func (c *contradictions) in(node any) error {
	if node == false {
		return c.found("it is false")
	}
	schema, ok := node.(map[string]any)
	if !ok {
		return nil
	}
	for _, search := range []func(map[string]any) error{c.ofValues, c.ofRanges, c.ofReferences, c.ofAlternatives, c.ofContents} {
		if err := search(schema); err != nil {
			return err
		}
	}
	return nil
}

// inside searches a part of a schema.
func (c *contradictions) inside(name string, node any) error {
	c.at.Name(name)
	defer c.at.Up()
	return c.in(node)
}

// ofValues: a list of values or types that is empty, a constant of another type, and the negation of everything.
func (c *contradictions) ofValues(schema map[string]any) error {
	for _, name := range []string{"enum", "type"} {
		if list, ok := schema[name].([]any); ok && len(list) == 0 {
			return c.found("%s is empty", name)
		}
	}
	allowed := typesOf(schema)
	if constant, ok := schema["const"]; ok && !ofType(constant, allowed) {
		return c.found("const is not of its type")
	}
	if list, ok := schema["enum"].([]any); ok && !slices.ContainsFunc(list, func(v any) bool { return ofType(v, allowed) }) {
		return c.found("no value of enum is of its type")
	}
	switch negated := schema["not"].(type) {
	case bool:
		if negated {
			return c.found("it excludes everything")
		}
	case map[string]any:
		if len(negated) == 0 {
			return c.found("it excludes everything")
		}
	}
	return nil
}

// ranges are keywords with a lower and an upper bound, and the only type that each pair bounds.
var ranges = []struct{ least, most, of string }{
	{"minimum", "maximum", "number"}, {"minLength", "maxLength", "string"},
	{"minItems", "maxItems", "array"}, {"minProperties", "maxProperties", "object"},
}

func (c *contradictions) ofRanges(schema map[string]any) error {
	for _, r := range ranges {
		least, most := numberIn(schema, r.least), numberIn(schema, r.most)
		if least == nil || most == nil || least.Cmp(most) <= 0 || !onlyType(schema, r.of) {
			continue
		}
		return c.found("%s is above %s", r.least, r.most)
	}
	return nil
}

// ofReferences searches what a reference names.
func (c *contradictions) ofReferences(schema map[string]any) error {
	ref, ok := schema["$ref"].(string)
	if !ok {
		return nil
	}
	target, err := Find(c.root, ref)
	if err != nil {
		return nil //nolint:nilerr // it was compiled: the reference is not one of this form
	}
	return (&contradictions{root: c.root, at: pathOf(ref)}).in(target)
}

// ofAlternatives: allOf needs each of its parts, anyOf and oneOf one of them.
func (c *contradictions) ofAlternatives(schema map[string]any) error {
	if all, ok := schema["allOf"].([]any); ok {
		c.at.Name("allOf")
		defer c.at.Up()
		for i, part := range all {
			c.at.Index(i)
			if err := c.in(part); err != nil {
				return err
			}
			c.at.Up()
		}
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		list, ok := schema[name].([]any)
		if !ok {
			continue
		}
		if !slices.ContainsFunc(list, func(part any) bool { return (&contradictions{root: c.root}).in(part) == nil }) {
			return c.found("nothing satisfies any part of %s", name)
		}
	}
	return nil
}

// ofContents searches the properties that an object must have, and the items that a list must have.
func (c *contradictions) ofContents(schema map[string]any) error {
	if onlyType(schema, "object") {
		if err := c.ofProperties(schema); err != nil {
			return err
		}
	}
	if least := numberIn(schema, "minItems"); least != nil && least.Sign() > 0 && onlyType(schema, "array") {
		return c.inside("items", schema["items"])
	}
	return nil
}

func (c *contradictions) ofProperties(schema map[string]any) error {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	_, patterns := schema["patternProperties"]
	for _, name := range required {
		text, _ := name.(string)
		property, known := properties[text]
		if !known {
			if schema["additionalProperties"] == false && !patterns {
				return c.found("%s is required and not allowed", jsonbody.Quote(text))
			}
			continue
		}
		c.at.Name("properties")
		err := c.inside(text, property)
		c.at.Up()
		if err != nil {
			return err
		}
	}
	return nil
}

// typesOf are the types that a schema allows; nil: all.
func typesOf(schema map[string]any) []string {
	switch t := schema["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var all []string
		for _, one := range t {
			if text, ok := one.(string); ok {
				all = append(all, text)
			}
		}
		return all
	}
	return nil
}

// onlyType reports whether a schema allows values of this type only.
func onlyType(schema map[string]any, name string) bool {
	types := typesOf(schema)
	return len(types) == 1 && (types[0] == name || name == "number" && types[0] == "integer")
}

func ofType(value any, allowed []string) bool {
	if allowed == nil {
		return true
	}
	kinds := []string{"null"}
	switch v := value.(type) {
	case bool:
		kinds = []string{"boolean"}
	case string:
		kinds = []string{"string"}
	case []any:
		kinds = []string{"array"}
	case map[string]any:
		kinds = []string{"object"}
	case json.Number:
		kinds = []string{"number"}
		if exact, ok := new(big.Rat).SetString(string(v)); ok && exact.IsInt() {
			kinds = append(kinds, "integer")
		}
	}
	return slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(allowed, kind) })
}

func numberIn(schema map[string]any, name string) *big.Rat {
	number, ok := schema[name].(json.Number)
	if !ok {
		return nil
	}
	exact, ok := new(big.Rat).SetString(string(number))
	if !ok {
		return nil
	}
	return exact
}
