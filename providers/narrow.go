package providers

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Subset is the part of JSON Schema that a vendor's structured output supports.
type Subset struct {
	Keywords []string // beside those that nest schemas
	Formats  []string
}

// Narrow returns a schema in a vendor's subset for a JSON Schema. Keywords that the vendor does not know are left
// out, for the answer is checked against the whole schema in any case; objects are closed, which satisfies the
// schema too. ok is false where that is not possible: an object of any properties cannot be closed.
func (s Subset) Narrow(schema json.RawMessage) (narrow json.RawMessage, ok bool) {
	n := narrowing{subset: s, ok: true}
	out := n.schema(schema)
	if !n.ok || len(out) <= len("{}") {
		return nil, false
	}
	return out, true
}

type narrowing struct {
	subset Subset
	ok     bool
}

// member is a field of an object, in the order of its text: models write the properties in that order.
type member struct {
	name  string
	value json.RawMessage
}

func (n *narrowing) schema(raw json.RawMessage) json.RawMessage {
	members := membersOf(raw)
	if members == nil {
		n.ok = false // a boolean
		return raw
	}
	var out []member
	object, properties := false, false
	for _, m := range members {
		switch m.name {
		case "properties", "$defs", "definitions":
			properties = properties || m.name == "properties" && len(membersOf(m.value)) > 0
			out = append(out, member{m.name, n.schemas(m.value)})
		case "items":
			out = append(out, member{m.name, n.schema(m.value)})
		case "anyOf", "oneOf", "allOf":
			name := m.name
			if name == "oneOf" {
				name = "anyOf"
			}
			out = append(out, member{name, n.list(m.value)})
		case "additionalProperties":
		case "type":
			object = bytes.Contains(m.value, []byte(`"object"`))
			out = append(out, m)
		default:
			if n.keeps(m) {
				out = append(out, m)
			}
		}
	}
	if object && !properties {
		n.ok = false
	}
	if object {
		out = append(out, member{"additionalProperties", json.RawMessage("false")})
	}
	return written(out)
}

func (n *narrowing) keeps(m member) bool {
	switch m.name {
	case "format":
		var format string
		return json.Unmarshal(m.value, &format) == nil && slices.Contains(n.subset.Formats, format)
	case "minItems":
		return slices.Contains(n.subset.Keywords, m.name) || string(m.value) == "0" || string(m.value) == "1"
	}
	return slices.Contains([]string{"$ref", "required", "enum", "const", "description", "title"}, m.name) ||
		slices.Contains(n.subset.Keywords, m.name)
}

// schemas narrows each schema of an object of them.
func (n *narrowing) schemas(raw json.RawMessage) json.RawMessage {
	members := membersOf(raw)
	for i := range members {
		members[i].value = n.schema(members[i].value)
	}
	return written(members)
}

func (n *narrowing) list(raw json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		n.ok = false
		return raw
	}
	out := []byte{'['}
	for i, one := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, n.schema(one)...)
	}
	return append(out, ']')
}

// membersOf reads an object; nil if the text is not one.
func membersOf(raw json.RawMessage) []member {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil
	}
	all := []member{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return nil
		}
		text, _ := name.(string) // the name of a member is a string
		all = append(all, member{text, value})
	}
	return all
}

func written(members []member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(AppendString(out, m.name), ':'), m.value...)
	}
	return append(out, '}')
}
