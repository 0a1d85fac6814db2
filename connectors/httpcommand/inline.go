package httpcommand

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fermata-dev/fermata/internal/schema"
	"github.com/fermata-dev/fermata/internal/shorten"
)

const (
	maxInlineDepth = 12
	maxInlineParts = 500
	// maxInlineNames bounds the members of a schema that are still listed when its parts are used
	// up.
	maxInlineNames = 1000
	// maxDocumentParts bounds the total size of all schemas of a document.
	maxDocumentParts = maxProposed * maxInlineParts
)

// inliner resolves references in schemas. Each schema of the document is read once, however many
// operations refer to it.
type inliner struct {
	doc     *openapi3.T
	read    map[string]any              // component schemas, by name
	byName  map[string]any              // resolved references
	byPlace map[*openapi3.SchemaRef]any // resolved inline schemas, which shared parameters have in common
	parts   int                         // of the current schema
	all     int                         // of all schemas
	steps   int                         // work done, for tests
	active  map[string]bool
	usables map[[sha256.Size]byte]bool // results of usable, by hash
}

func newInliner(doc *openapi3.T) *inliner {
	return &inliner{
		doc: doc, read: map[string]any{}, byName: map[string]any{}, byPlace: map[*openapi3.SchemaRef]any{},
		usables: map[[sha256.Size]byte]bool{},
	}
}

// usable reports whether values can be validated against a schema.
func (in *inliner) usable(params json.RawMessage) bool {
	key := sha256.Sum256(params)
	usable, known := in.usables[key]
	if !known {
		in.steps += len(params) / bytesInStep
		usable = (&schema.Cache{}).Compile(params) == nil
		in.usables[key] = usable
	}
	return usable
}

// members is a schema object with its names sorted, so that truncation is deterministic.
type members struct {
	names []string
	of    map[string]any
}

// inlined returns a schema with its references resolved. Recursive references, and parts beyond the
// limits, accept any value.
func (in *inliner) inlined(ref *openapi3.SchemaRef, description string) any {
	if ref == nil || in.all > maxDocumentParts {
		return map[string]any{}
	}
	out := in.written(ref)
	if object, ok := out.(map[string]any); ok && description != "" && object["description"] == nil {
		described := maps.Clone(object) // it is shared
		described["description"] = shorten.Characters(description, maxDescription)
		return described
	}
	return out
}

// written returns the resolved schema, cached after the first call.
func (in *inliner) written(ref *openapi3.SchemaRef) any {
	known, ok := in.byPlace[ref]
	if ref.Ref != "" {
		known, ok = in.byName[ref.Ref]
	}
	if ok {
		return known
	}
	in.parts, in.active = 0, map[string]bool{}
	text, err := ref.MarshalJSON()
	var raw any
	out := any(map[string]any{})
	if err == nil && json.Unmarshal(text, &raw) == nil {
		out = in.walk(in.ordered(raw), 0)
	}
	in.all += in.parts
	if ref.Ref != "" {
		in.byName[ref.Ref] = out
	} else {
		in.byPlace[ref] = out
	}
	return out
}

// ordered sorts the names of all objects.
func (in *inliner) ordered(raw any) any {
	in.steps++
	switch v := raw.(type) {
	case []any:
		for i := range v {
			v[i] = in.ordered(v[i])
		}
		return v
	case map[string]any:
		for name := range v {
			v[name] = in.ordered(v[name])
		}
		return &members{slices.Sorted(maps.Keys(v)), v}
	}
	return raw
}

// dropped are keywords of OpenAPI 3.0 that have no meaning, or another one, in JSON Schema.
var dropped = map[string]bool{
	"nullable": true, "example": true, "examples": true, "xml": true, "discriminator": true, "externalDocs": true, "deprecated": true,
	"$schema": true, "$id": true, "$anchor": true, "pattern": true,
}

func (in *inliner) walk(raw any, depth int) any {
	in.steps++
	if in.parts++; in.parts > maxInlineParts || depth > maxInlineDepth {
		return map[string]any{}
	}
	switch v := raw.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = in.walk(v[i], depth+1)
		}
		return out
	case *members:
		if to, ok := v.of["$ref"].(string); ok {
			return in.follow(to, depth)
		}
		return in.keywords(v, depth)
	}
	return raw
}

func (in *inliner) keywords(v *members, depth int) map[string]any {
	out := map[string]any{}
	for _, name := range v.names {
		if in.parts > maxInlineNames {
			break
		}
		inner := v.of[name]
		_, isBool := inner.(bool)
		list, _ := inner.([]any) // a truncated list would change the meaning
		if dropped[name] || isBool && (name == "exclusiveMinimum" || name == "exclusiveMaximum") || in.parts+len(list) > maxInlineNames {
			continue
		}
		if properties, ok := inner.(*members); ok && name == "properties" { // its names are not keywords
			own := map[string]any{}
			for _, property := range properties.names {
				if in.parts > maxInlineNames {
					break
				}
				own[property] = in.walk(properties.of[property], depth+1)
			}
			out[name] = own
			continue
		}
		out[name] = in.walk(inner, depth+1)
	}
	return out
}

func (in *inliner) follow(to string, depth int) any {
	name, ok := strings.CutPrefix(to, "#/components/schemas/")
	if !ok || in.active[name] || in.doc.Components.Schemas[name] == nil {
		return map[string]any{}
	}
	raw, known := in.read[name]
	if !known {
		raw = in.component(name)
		in.read[name] = raw
	}
	if raw == nil {
		return map[string]any{}
	}
	in.active[name] = true
	defer delete(in.active, name)
	return in.walk(raw, depth+1)
}

// component returns a component schema, or nil if it cannot be read.
func (in *inliner) component(name string) any {
	text, err := in.doc.Components.Schemas[name].MarshalJSON()
	var raw any
	if err != nil || json.Unmarshal(text, &raw) != nil {
		return nil
	}
	return in.ordered(raw)
}
