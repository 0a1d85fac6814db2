package httpcommand

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

// effects are what a method says of itself; all others may do anything, once each.
var effects = map[string]domain.CommandEffect{
	http.MethodGet: domain.EffectRead, http.MethodHead: domain.EffectRead,
	http.MethodPut: domain.EffectIdempotent, http.MethodDelete: domain.EffectIdempotent,
}

// command proposes one for an operation.
func (in *inliner) command(
	method, path string, item *openapi3.PathItem, op *openapi3.Operation, names map[string]bool,
) domain.ConnectorCommand {
	c := domain.ConnectorCommand{
		Name: freeName(method, path, op, names), Description: describe(method, path, op), Effect: effects[method],
		Request: &domain.CommandRequest{Method: method, Path: path},
	}
	if c.Effect == "" {
		c.Effect = domain.EffectNonIdempotent
	}
	c.RequireValidation = c.Effect == domain.EffectNonIdempotent
	properties, required := map[string]any{}, []string{}
	for _, list := range []openapi3.Parameters{item.Parameters, op.Parameters} {
		for _, p := range list {
			if p.Value != nil {
				required = append(required, in.parameter(&c, p.Value, properties)...)
			}
		}
	}
	required = append(required, in.body(&c, op, properties)...)
	params := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		params["required"] = required
	}
	c.Params = jsonbody.Encode(params)
	if (&schema.Cache{}).Compile(c.Params) != nil { // some schema in it is too long, or of another dialect
		for name := range properties {
			properties[name] = map[string]any{}
		}
		c.Params = jsonbody.Encode(params)
	}
	return c
}

var (
	inWords         = regexp.MustCompile(`([a-z0-9])([A-Z])`) // getPet is GET_PET
	manyUnderscores = regexp.MustCompile(`_+`)
)

func freeName(method, path string, op *openapi3.Operation, names map[string]bool) string {
	words := op.OperationID
	if words == "" {
		words = method + strings.ReplaceAll(path, "/", "_")
	}
	words = inWords.ReplaceAllString(words, "${1}_${2}")
	base := strings.Trim(manyUnderscores.ReplaceAllString(connectors.CommandName(words), "_"), "_")
	name := base
	for i := 2; names[name]; i++ {
		name = fmt.Sprintf("%.39s_%d", base, i)
	}
	names[name] = true
	return name
}

const maxDescription = 2000

func describe(method, path string, op *openapi3.Operation) string {
	text := strings.TrimSpace(strings.TrimSpace(op.Summary) + "\n" + strings.TrimSpace(op.Description))
	if text == "" {
		text = method + " " + path
	}
	return jsonbody.Cut(text, maxDescription)
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// parameter gives a parameter its place in the request and in the schema.
func (in *inliner) parameter(c *domain.ConnectorCommand, p *openapi3.Parameter, properties map[string]any) (required []string) {
	name := strings.Trim(notInNames.ReplaceAllString(p.Name, "_"), "_.-")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "p_" + name
	}
	if _, taken := properties[name]; taken {
		name = p.In + "_" + name
	}
	template := "{" + name + "}"
	switch p.In {
	case openapi3.ParameterInPath:
		c.Request.Path = strings.ReplaceAll(c.Request.Path, "{"+p.Name+"}", template)
	case openapi3.ParameterInQuery:
		if c.Request.Query == nil {
			c.Request.Query = map[string]string{}
		}
		c.Request.Query[p.Name] = template
	case openapi3.ParameterInHeader:
		if CheckHeaderName(p.Name) != nil || strings.EqualFold(p.Name, "authorization") {
			return nil // the connector's own
		}
		if c.Request.Headers == nil {
			c.Request.Headers = map[string]string{}
		}
		c.Request.Headers[p.Name] = template
	default:
		return nil // cookies are not sent
	}
	properties[name] = in.inlined(p.Schema, p.Description)
	if p.Required {
		return []string{name}
	}
	return nil
}

// body makes params of the members of a body that is an object, and one param of any other.
func (in *inliner) body(c *domain.ConnectorCommand, op *openapi3.Operation, properties map[string]any) (required []string) {
	if op.RequestBody == nil || op.RequestBody.Value == nil || c.Effect == domain.EffectRead {
		return nil
	}
	media := op.RequestBody.Value.Content.Get("application/json")
	if media == nil || media.Schema == nil {
		return nil
	}
	whole, _ := in.inlined(media.Schema, "").(map[string]any)
	members, _ := whole["properties"].(map[string]any)
	apart := len(members) > 0
	for name := range members {
		_, taken := properties[name]
		apart = apart && !taken
	}
	if !apart {
		c.Request.Body = json.RawMessage(`"{body}"`)
		properties["body"] = whole
		return []string{"body"}
	}
	maps.Copy(properties, members)
	needed, _ := whole["required"].([]any)
	for _, name := range needed {
		if text, ok := name.(string); ok && members[text] != nil {
			required = append(required, text)
		}
	}
	return required
}

const (
	maxInlineDepth = 12
	maxInlineParts = 500
)

// inliner writes schemas without references, as far as they go.
type inliner struct {
	doc    *openapi3.T
	parts  int
	active map[string]bool
}

// inlined is a schema with what it refers to in its place; what refers to itself, or goes too
// deep or on too long, is anything.
func (in *inliner) inlined(ref *openapi3.SchemaRef, description string) any {
	in.parts, in.active = 0, map[string]bool{}
	if ref == nil {
		return map[string]any{}
	}
	text, err := ref.MarshalJSON()
	if err != nil {
		return map[string]any{}
	}
	var raw any
	if json.Unmarshal(text, &raw) != nil {
		return map[string]any{}
	}
	out := in.walk(raw, 0)
	if object, ok := out.(map[string]any); ok && description != "" && object["description"] == nil {
		object["description"] = jsonbody.Cut(description, maxDescription)
	}
	return out
}

// dropped are keywords of OpenAPI 3.0 that say nothing to a check, or something else to one of
// JSON Schema.
var dropped = map[string]bool{
	"nullable": true, "example": true, "examples": true, "xml": true, "discriminator": true, "externalDocs": true, "deprecated": true,
	"$schema": true, "$id": true, "$anchor": true, "pattern": true,
}

func (in *inliner) walk(raw any, depth int) any {
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
	case map[string]any:
		if to, ok := v["$ref"].(string); ok {
			return in.follow(to, depth)
		}
		return in.members(v, depth)
	}
	return raw
}

// members walks an object in the order of its names, so that a bound cuts always the same.
func (in *inliner) members(v map[string]any, depth int) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		inner := v[name]
		_, isBool := inner.(bool)
		if dropped[name] || isBool && (name == "exclusiveMinimum" || name == "exclusiveMaximum") {
			continue
		}
		if properties, ok := inner.(map[string]any); ok && name == "properties" { // whose names are no keywords
			own := map[string]any{}
			for _, property := range slices.Sorted(maps.Keys(properties)) {
				own[property] = in.walk(properties[property], depth+1)
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
	if !ok || in.active[name] || in.doc.Components == nil || in.doc.Components.Schemas[name] == nil {
		return map[string]any{}
	}
	target := in.doc.Components.Schemas[name]
	if target.Value == nil {
		return map[string]any{}
	}
	text, err := target.Value.MarshalJSON()
	var raw any
	if err != nil || json.Unmarshal(text, &raw) != nil {
		return map[string]any{}
	}
	in.active[name] = true
	defer delete(in.active, name)
	return in.walk(raw, depth+1)
}
