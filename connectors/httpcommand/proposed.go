package httpcommand

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// effects are the effects implied by a method; others are not idempotent.
var effects = map[string]domain.CommandEffect{
	http.MethodGet: domain.EffectRead, http.MethodHead: domain.EffectRead,
	http.MethodPut: domain.EffectIdempotent, http.MethodDelete: domain.EffectIdempotent,
}

// command proposes a command for an operation.
func (in *inliner) command(
	method, path string, item *openapi3.PathItem, op *openapi3.Operation, names map[string]int,
) outside.ConnectorCommand {
	c := outside.ConnectorCommand{
		Name: freeName(method, path, op, names), Description: describe(method, path, op), Effect: effects[method],
		Request: &outside.CommandRequest{Method: method, Path: path},
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
	if !in.usable(c.Params) { // some schema in it is too long, or in another dialect
		for name := range properties {
			properties[name] = map[string]any{}
		}
		c.Params = jsonbody.Encode(params)
	}
	return c
}

var (
	inWords         = regexp.MustCompile(`([a-z0-9])([A-Z])`) // getPet becomes GET_PET
	manyUnderscores = regexp.MustCompile(`_+`)
)

// freeName returns a unique name for an operation. Duplicates are numbered. taken holds the next
// free number, so that a document with only equal names costs no more than others.
func freeName(method, path string, op *openapi3.Operation, taken map[string]int) string {
	words := op.OperationID
	if words == "" {
		words = method + strings.ReplaceAll(path, "/", "_")
	}
	words = inWords.ReplaceAllString(words, "${1}_${2}")
	base := strings.Trim(manyUnderscores.ReplaceAllString(connectors.CommandName(words), "_"), "_")
	name, next := base, max(2, taken[cutName(base)])
	for ; taken[name] > 0; next++ {
		name = fmt.Sprintf("%s_%d", cutName(base), next)
	}
	taken[cutName(base)] = next
	taken[name] = max(1, taken[name])
	return name
}

// cutName leaves room in a name for a number.
func cutName(base string) string { return base[:min(len(base), 39)] }

const maxDescription = 2000

func describe(method, path string, op *openapi3.Operation) string {
	text := strings.TrimSpace(strings.TrimSpace(op.Summary) + "\n" + strings.TrimSpace(op.Description))
	if text == "" {
		text = method + " " + path
	}
	return shorten.Characters(text, maxDescription)
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// parameter adds a parameter to the request and the schema.
func (in *inliner) parameter(c *outside.ConnectorCommand, p *openapi3.Parameter, properties map[string]any) (required []string) {
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
			return nil // set by the connector
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

// body turns the members of an object body into parameters, and any other body into one parameter.
func (in *inliner) body(c *outside.ConnectorCommand, op *openapi3.Operation, properties map[string]any) (required []string) {
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
