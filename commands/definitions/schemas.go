package definitions

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

// The params that every action takes beside its own.
const (
	Repeat     = "repeat"
	Validation = "validation_request"
	// keepControl is offered only where it makes a difference (package orchestrator); it
	// is said of the whole answer, and taken out here.
	keepControl = "keep_control"
)

// Flags are these.
var Flags = []string{Repeat, Validation, keepControl}

const flagProperties = `"repeat": {"type": "boolean", "description": "Run it although the same action ran just before."},` + requestProperty

// WithFlags adds to an action's schema the params that every action takes.
func WithFlags(own json.RawMessage) json.RawMessage {
	text := string(own)
	const opening = `"properties":{`
	at := strings.Index(text, opening) + len(opening)
	comma := ","
	if text[at] == '}' {
		comma = ""
	}
	return schema.Compact(text[:at] + flagProperties + comma + text[at:])
}

// Cache keeps the schemas of commands from outside with the params that every action
// takes: they are offered again with every call of the AI.
type Cache struct {
	known cache.Map[string, json.RawMessage]
}

// WithFlags is an external schema with the params of every action.
func (f *Cache) WithFlags(own json.RawMessage) json.RawMessage {
	return f.made("with", own, addFlags)
}

// Unasked is a schema with the flags, without the one by which the AI asks for an approval.
func (f *Cache) Unasked(params json.RawMessage) json.RawMessage {
	return f.made("unasked", params, dropRequest)
}

func (f *Cache) made(how string, from json.RawMessage, make func(json.RawMessage) json.RawMessage) json.RawMessage {
	key := how + string(from)
	if have, ok := f.known.Get(key); ok {
		return have
	}
	made := make(from)
	f.known.Set(key, made)
	return made
}

// requestProperty is the flag in a schema with flags, after another property or before one.
const requestProperty = `"validation_request":{"type":"boolean","description":"Ask the person for approval before it runs."}`

// dropRequest takes the flag out of a schema. A param of the command's own that has its name stays.
func dropRequest(params json.RawMessage) json.RawMessage {
	text := string(params)
	for _, there := range []string{"," + requestProperty, requestProperty + ","} {
		if before, after, found := strings.Cut(text, there); found {
			return json.RawMessage(before + after)
		}
	}
	return params
}

// addFlags adds the flags to an external schema. A parameter with a flag's name remains the server's.
func addFlags(own json.RawMessage) json.RawMessage {
	var parsed, properties, flags map[string]json.RawMessage
	if json.Unmarshal(own, &parsed) != nil || parsed == nil {
		return own
	}
	_ = json.Unmarshal(parsed["properties"], &properties) // none: it has no parameters of its own
	if json.Unmarshal([]byte("{"+flagProperties+"}"), &flags) != nil {
		return own
	}
	maps.Copy(flags, properties)
	parsed["properties"] = jsonbody.Encode(flags)
	return jsonbody.Encode(parsed)
}

// Taken are the flags that are no params of the command itself.
func Taken(own json.RawMessage) []string {
	var parsed struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(own, &parsed) != nil {
		return Flags
	}
	var taken []string
	for _, name := range Flags {
		if _, theirs := parsed.Properties[name]; !theirs {
			taken = append(taken, name)
		}
	}
	return taken
}
