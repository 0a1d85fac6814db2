package data

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// fieldSchema is the part of a JSON Schema that says which fields there are.
type fieldSchema struct {
	Type       any                    `json:"type"`
	Properties map[string]fieldSchema `json:"properties"`
	Additional json.RawMessage        `json:"additionalProperties"`
	AllOf      []fieldSchema          `json:"allOf"`
	AnyOf      []fieldSchema          `json:"anyOf"`
	OneOf      []fieldSchema          `json:"oneOf"`
	Ref        string                 `json:"$ref"`
}

// UnmarshalJSON reads true and false, which are schemas too, as one that names no fields.
func (s *fieldSchema) UnmarshalJSON(text []byte) error {
	if string(text) == "true" || string(text) == "false" {
		*s = fieldSchema{}
		return nil
	}
	type plain fieldSchema // without this method
	return exactjson.Lenient(text, (*plain)(s))
}

// entryFields are the fields of a type's entries, by the names that a question may use for them.
type entryFields struct {
	root     fieldSchema
	text     json.RawMessage
	value    any // text, read when a reference is followed
	referred map[string]*fieldSchema
}

func entrySchema(t *userdata.ToolType) entryFields {
	var root fieldSchema
	if root.UnmarshalJSON(t.EntrySchema) != nil {
		return entryFields{} // only valid schemas can be stored
	}
	return entryFields{root: root, text: t.EntrySchema, referred: map[string]*fieldSchema{}}
}

// refersTo is the schema that a $ref stands for, nil if there is none.
func (e *entryFields) refersTo(ref string) *fieldSchema {
	if known, ok := e.referred[ref]; ok {
		return known
	}
	e.referred[ref] = nil
	if e.value == nil {
		if value, err := jsonbody.Value(e.text); err == nil {
			e.value = value
		}
	}
	part, err := schema.Find(e.value, ref)
	if err != nil {
		return nil
	}
	found := &fieldSchema{}
	if found.UnmarshalJSON(jsonbody.Encode(part)) == nil {
		e.referred[ref] = found
	}
	return e.referred[ref]
}

// alternatives are the schemas that may apply where one does: itself, what it refers to and what it combines.
func (e *entryFields) alternatives(s *fieldSchema, depth int) []*fieldSchema {
	all := []*fieldSchema{s}
	if depth == 0 {
		return all
	}
	if s.Ref != "" {
		if referred := e.refersTo(s.Ref); referred != nil {
			all = append(all, e.alternatives(referred, depth-1)...)
		}
	}
	for _, combined := range [][]fieldSchema{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range combined {
			all = append(all, e.alternatives(&combined[i], depth-1)...)
		}
	}
	return all
}

// types are the JSON types that a field may have; empty: any.
func (e *entryFields) types(s *fieldSchema) map[string]bool {
	types := map[string]bool{}
	for _, one := range e.alternatives(s, maxFieldDepth) {
		switch t := one.Type.(type) {
		case string:
			types[t] = true
		case []any:
			for _, name := range t {
				if name, ok := name.(string); ok {
					types[name] = true
				}
			}
		}
	}
	if types["integer"] {
		types["number"] = true
	}
	return types
}

// find gives the field of a name, "a.b" for one in an object, and the types that it may have.
func (e *entryFields) find(pointer, name string) (userdata.Field, map[string]bool, error) {
	if len(name) > maxWhereText {
		return nil, nil, domain.Invalid(pointer, "too_long", "The name of a field has at most %d bytes.", maxWhereText)
	}
	if err := CheckText(pointer, name, maxWhereText); err != nil {
		return nil, nil, err
	}
	field, types, ok := e.lookup(&e.root, name, maxFieldDepth)
	if !ok {
		known := e.names(&e.root, "", maxFieldDepth)
		if len(known) == 0 {
			return nil, nil, domain.Invalid(pointer, "unknown", "Entries of this type have no field %s: its schema names none.", jsonbody.Quote(name))
		}
		return nil, nil, domain.Invalid(pointer, "unknown", "There is no field %s. There are: %s.", jsonbody.Quote(name),
			shorten.Characters(strings.Join(known, ", "), 1000))
	}
	return field, types, nil
}

// lookup tries the whole name first, since a field's own name may have a dot.
func (e *entryFields) lookup(s *fieldSchema, name string, depth int) (userdata.Field, map[string]bool, bool) {
	if depth == 0 || name == "" {
		return nil, nil, false
	}
	open := false
	for _, one := range e.alternatives(s, maxFieldDepth) {
		if p, ok := one.Properties[name]; ok {
			return userdata.Field{name}, e.types(&p), true
		}
		open = open || allows(one.Additional)
	}
	for at := range name {
		if name[at] != '.' {
			continue
		}
		for _, one := range e.alternatives(s, maxFieldDepth) {
			if p, ok := one.Properties[name[:at]]; ok {
				if inner, types, ok := e.lookup(&p, name[at+1:], depth-1); ok {
					return append(userdata.Field{name[:at]}, inner...), types, true
				}
			}
		}
	}
	if open {
		return strings.Split(name, "."), nil, strings.Count(name, ".") < depth
	}
	return nil, nil, false
}

// allows says whether a schema names other fields on purpose. One that leaves it open, as schemas do by default, does
// not: a mistyped name would find nothing and not say so.
func allows(additional json.RawMessage) bool {
	return len(additional) > 0 && string(additional) != "false"
}

// names lists the fields, for an error.
func (e *entryFields) names(s *fieldSchema, prefix string, depth int) []string {
	if depth == 0 {
		return nil
	}
	all := map[string]bool{}
	for _, one := range e.alternatives(s, maxFieldDepth) {
		for name, p := range one.Properties {
			inner := e.names(&p, prefix+name+".", depth-1)
			for _, name := range inner {
				all[name] = true
			}
			if len(inner) == 0 {
				all[prefix+name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
