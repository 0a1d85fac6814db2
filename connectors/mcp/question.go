package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// wanted is an input request of a 2026-07-28 server: several questions at once, and the server's
// own state.
type wanted struct {
	requests map[string]json.RawMessage // params by key
	state    string
}

// readWanted returns nil if a result requests no input.
func readWanted(raw json.RawMessage) (*wanted, error) {
	var r struct {
		Type     string `json:"resultType"`
		Requests map[string]struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"`
		State string `json:"requestState"`
	}
	if err := exactjson.Lenient(raw, &r); err != nil {
		return nil, unknownOutcome("The server's answer cannot be read.", err)
	}
	if r.Type != "input_required" {
		return nil, nil
	}
	if len(r.Requests) == 0 {
		return nil, &outside.Error{Fault: outside.FaultRefused, Message: "The server is busy.", Temporary: true}
	}
	w := &wanted{requests: map[string]json.RawMessage{}, state: r.State}
	for key, request := range r.Requests {
		if request.Method != methodElicit {
			return nil, refused("The server requested input that is not supported here.", errors.New("it asks for "+request.Method))
		}
		w.requests[key] = request.Params
	}
	return w, nil
}

// question is a form that the server wants filled in.
type question struct {
	module   *domain.Module
	plain    bool // yes or no: the form has no fields
	defaults map[string]json.RawMessage
}

type wireQuestion struct {
	Mode    string `json:"mode"`
	Message string `json:"message"`
	Schema  struct {
		Properties map[string]map[string]json.RawMessage `json:"properties"`
		Required   []string                              `json:"required"`
	} `json:"requestedSchema"`
}

// fieldKeys are the supported schema keywords of a form field. Forms are flat: references are
// dropped.
var fieldKeys = []string{
	"type", "title", "description", "default", "enum", "format",
	"minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems",
}

var fieldTypes = []string{"string", "number", "integer", "boolean", "array"}

// readQuestion converts a server's elicitation to a form.
func readQuestion(params json.RawMessage) (*question, error) {
	var w wireQuestion
	if len(params) > MaxQuestionBytes || exactjson.Lenient(params, &w) != nil {
		return nil, errors.New("the question cannot be read")
	}
	if w.Mode != "" && w.Mode != "form" {
		return nil, errors.New("only forms are supported")
	}
	message := cut(w.Message, MaxTextBytes)
	if len(w.Schema.Properties) == 0 {
		data := jsonbody.Encode(map[string]any{"message": message})
		return &question{plain: true, module: &domain.Module{Type: "Validation", Data: data}}, nil
	}
	q := &question{defaults: map[string]json.RawMessage{}}
	properties := map[string]any{}
	for name, field := range w.Schema.Properties {
		flat, err := flatField(field)
		if err != nil || len(name) > MaxNameBytes {
			return nil, errors.New("a form can only have flat fields")
		}
		properties[name] = flat
		if value, ok := field["default"]; ok {
			q.defaults[name] = value
		}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if required := slices.DeleteFunc(w.Schema.Required, func(name string) bool { return properties[name] == nil }); len(required) > 0 {
		schema["required"] = required
	}
	q.module = &domain.Module{Type: "Form", Data: jsonbody.Encode(map[string]any{"title": message, "schema": schema})}
	return q, nil
}

func flatField(field map[string]json.RawMessage) (map[string]any, error) {
	flat := map[string]any{}
	for _, key := range fieldKeys {
		if value, ok := field[key]; ok {
			flat[key] = value
		}
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if choices := constants(field[key]); choices != nil {
			flat[key] = choices
		}
	}
	var kind string
	if exactjson.Lenient(field["type"], &kind) != nil || !slices.Contains(fieldTypes, kind) {
		return nil, errors.New("not a flat field")
	}
	if kind != "array" {
		return flat, nil
	}
	var items map[string]json.RawMessage
	if exactjson.Lenient(field["items"], &items) != nil {
		return nil, errors.New("not a list of strings")
	}
	if items["type"] == nil {
		items["type"] = json.RawMessage(`"string"`) // optional for a list of choices
	}
	of, err := flatField(items)
	if err != nil || !bytes.Equal(items["type"], []byte(`"string"`)) {
		return nil, errors.New("not a list of strings")
	}
	flat["items"] = of
	return flat, nil
}

// constants returns titled choices, or nil if there are none.
func constants(raw json.RawMessage) []map[string]any {
	var choices []struct {
		Const json.RawMessage `json:"const"`
		Title string          `json:"title"`
	}
	if raw == nil || exactjson.Lenient(raw, &choices) != nil {
		return nil
	}
	var out []map[string]any
	for _, c := range choices {
		if c.Const == nil {
			return nil
		}
		choice := map[string]any{"const": c.Const}
		if c.Title != "" {
			choice["title"] = c.Title
		}
		out = append(out, choice)
	}
	return out
}

// reply encodes a person's answer for the server. Missing fields get their defaults; no answer
// declines.
func (q *question) reply(answer json.RawMessage) (json.RawMessage, error) {
	var yes bool
	isBool := exactjson.Lenient(answer, &yes) == nil && len(answer) > 0 && !bytes.Equal(bytes.TrimSpace(answer), []byte("null"))
	var fields map[string]json.RawMessage
	isObject := exactjson.Lenient(answer, &fields) == nil && fields != nil
	switch {
	case isBool && yes && q.plain:
		return json.RawMessage(`{"action":"accept","content":{}}`), nil
	case !isObject && !(isBool && yes):
		return json.RawMessage(`{"action":"decline"}`), nil
	case !isObject:
		return nil, errors.New("the answer is not an object")
	}
	content := maps.Clone(q.defaults)
	if content == nil {
		content = map[string]json.RawMessage{}
	}
	maps.Copy(content, fields)
	return jsonbody.Encode(map[string]any{"action": "accept", "content": content}), nil
}
