package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

// prefixOf returns the part before the messages: commands and levels.
func (p *provider) prefixOf(prompt *ai.Prompt) []byte {
	commands := prompt.Commands
	if len(commands) == 0 {
		commands = called(prompt.Turns)
	}
	return p.prefix.Bytes(prompt, commands, func() []byte {
		b := appendTools(nil, commands)
		if len(commands) > 0 && len(prompt.Commands) == 0 {
			b = append(b, `,"tool_choice":{"type":"none"}`...)
		}
		return appendLevels(b, prompt)
	})
}

// called are the commands that a history holds calls of. The API refuses calls of tools
// that are not declared, so they are declared, not offered, where none is offered.
func called(turns []*ai.Turn) []domain.CommandSpec {
	var out []domain.CommandSpec
	seen := map[string]bool{}
	for _, t := range turns {
		for i := range t.Blocks {
			if t.Blocks[i].Answer == nil {
				continue
			}
			for _, call := range t.Blocks[i].Answer.Calls {
				if name := callName(call.Name); !seen[name] {
					seen[name] = true
					out = append(out, domain.CommandSpec{Name: name})
				}
			}
		}
	}
	return out
}

func appendTools(b []byte, commands []domain.CommandSpec) []byte {
	if len(commands) == 0 {
		return b
	}
	b = append(b, `,"tools":[`...)
	for _, c := range commands {
		b = providers.AppendString(append(comma(b), `{"name":`...), c.Name)
		if c.Description != "" {
			b = providers.AppendString(append(b, `,"description":`...), c.Description)
		}
		b = append(append(b, `,"input_schema":`...), inputSchema(c.Params)...)
		b = append(b, '}')
	}
	return append(b, ']')
}

// inputSchema is the schema of a command's params as it is, but for what the API refuses
// in one: it must be of an object, without alternatives at its top. (The call is checked
// against the whole schema in any case.)
func inputSchema(params json.RawMessage) []byte {
	var schema map[string]json.RawMessage
	if json.Unmarshal(params, &schema) != nil || schema == nil {
		return []byte(`{"type":"object"}`)
	}
	changed := string(schema["type"]) != `"object"`
	for _, alternative := range []string{"oneOf", "anyOf", "allOf"} {
		if _, there := schema[alternative]; there {
			delete(schema, alternative)
			changed = true
		}
	}
	if !changed {
		return params
	}
	schema["type"] = json.RawMessage(`"object"`)
	fixed, err := json.Marshal(schema)
	if err != nil {
		return []byte(`{"type":"object"}`)
	}
	return fixed
}

// appendLevels writes level 1 as the system text and begins the first message with level
// 2. Each ends in a mark for the cache: level 2 may change while level 1 (and the commands
// before it) stays.
func appendLevels(b []byte, prompt *ai.Prompt) []byte {
	if strings.TrimSpace(prompt.System) != "" {
		b = append(marked(append(b, `,"system":[`...), prompt.System), ']')
	}
	b = append(b, `,"messages":[`...)
	if strings.TrimSpace(prompt.UserData) == "" {
		return b
	}
	return marked(append(b, firstUser[1:]...), prompt.UserData)
}

// marked appends a cacheable text.
func marked(b []byte, text string) []byte {
	b = appendText(b, text)
	return append(append(b[:len(b)-1], cacheMark...), '}')
}
