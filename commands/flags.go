package commands

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// The params that every action takes beside its own.
const (
	flagRepeat     = "repeat"
	flagValidation = "validation_request"
	// flagKeepControl is offered only where it makes a difference (package orchestrator); it
	// is said of the whole answer, and taken out here.
	flagKeepControl = "keep_control"
)

var flagNames = []string{flagRepeat, flagValidation, flagKeepControl}

// flags are those that a call of the command may carry.
func (c *command) flags() []string {
	switch {
	case c.spec.Kind != domain.KindAction:
		return nil
	case c.external():
		return flagsTaken(c.own)
	}
	return flagNames
}

// flagged keeps the schemas of commands from outside with the params that every action
// takes: they are offered again with every call of the AI.
type flagged struct {
	known cache.Map[string, json.RawMessage]
}

func (f *flagged) withFlags(own json.RawMessage) json.RawMessage {
	return f.made("with", own, addFlags)
}

// unasked is a schema with the flags, without the one by which the AI asks for an approval.
func (f *flagged) unasked(params json.RawMessage) json.RawMessage {
	return f.made("unasked", params, dropRequest)
}

func (f *flagged) made(how string, from json.RawMessage, make func(json.RawMessage) json.RawMessage) json.RawMessage {
	key := how + string(from)
	if have, ok := f.known.Get(key); ok {
		return have
	}
	made := make(from)
	f.known.Set(key, made)
	return made
}

// requestProperty is the flag in a schema with flags, after another property or before one.
const requestProperty = `"validation_request":{"type":"boolean","description":"Ask the person for a yes before it runs."}`

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
	var schema, properties, flags map[string]json.RawMessage
	if json.Unmarshal(own, &schema) != nil || schema == nil {
		return own
	}
	_ = json.Unmarshal(schema["properties"], &properties) // none: it has no parameters of its own
	if json.Unmarshal([]byte("{"+flagProperties+"}"), &flags) != nil {
		return own
	}
	maps.Copy(flags, properties)
	schema["properties"] = jsonbody.Encode(flags)
	return jsonbody.Encode(schema)
}

// flagsTaken are the flags that are no params of the command itself.
func flagsTaken(own json.RawMessage) []string {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(own, &schema) != nil {
		return flagNames
	}
	var taken []string
	for _, name := range flagNames {
		if _, theirs := schema.Properties[name]; !theirs {
			taken = append(taken, name)
		}
	}
	return taken
}
