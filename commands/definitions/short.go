package definitions

import (
	"encoding/json"

	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Short is a schema of the catalogue as a model is offered it.
func (f *Cache) Short(own json.RawMessage) json.RawMessage { return f.made("short", own, shortParams) }

// Open is an external schema that permits the params of all actions.
func (f *Cache) Open(own json.RawMessage) json.RawMessage { return f.made("open", own, openParams) }

// openParams permits the params of all actions, which an external schema does not name, beside its own.
func openParams(own json.RawMessage) json.RawMessage {
	var schema map[string]json.RawMessage
	if json.Unmarshal(own, &schema) != nil || string(schema["additionalProperties"]) != "false" {
		return own
	}
	delete(schema, "additionalProperties")
	return jsonbody.Encode(schema)
}

// Bare is a short schema without the descriptions of its params.
func (f *Cache) Bare(own json.RawMessage) json.RawMessage { return f.made("bare", own, bareParams) }

func shortParams(own json.RawMessage) json.RawMessage { return shortened(own, false) }

func bareParams(own json.RawMessage) json.RawMessage { return shortened(own, true) }

// shortened shortens a schema of the catalogue. The forms of a period and of conditions are in the rules.
func shortened(own json.RawMessage, bare bool) json.RawMessage {
	var schema map[string]any
	if json.Unmarshal(own, &schema) != nil {
		return own
	}
	shortenSchema(schema, bare)
	return jsonbody.Encode(schema)
}

// shortForms describe params whose forms the rules explain.
var shortForms = map[string]string{
	"period": `{relative: "-1_WEEK"}, {from: "-3_DAY", to: "0_DAY"} or {start, end}`,
	"where":  `{paid: false, amount: {gt: 1000}}`,
}

func shortenSchema(schema map[string]any, bare bool) {
	for _, name := range []string{"additionalProperties", "minLength", "maxLength", "minItems", "minimum", "pattern"} {
		delete(schema, name)
	}
	if bare {
		for _, name := range []string{"description", "maximum", "maxItems"} {
			delete(schema, name)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, value := range properties {
		if text := shortForms[name]; text != "" {
			properties[name] = map[string]any{"type": "object", "description": text}
		} else if property, ok := value.(map[string]any); ok {
			shortenSchema(property, bare)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		shortenSchema(items, bare)
	}
}
