package gemini

import (
	"bytes"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

// body assembles the part before the library's own parameters: system text and functions, with the
// same bytes in each call, then the cached turns, then the tail. The transport appends the
// parameters and the closing brace.
func (p *provider) body(request *providers.Request) *providers.Body {
	prompt := request.Prompt
	encoder := newEncoder(p.config.ModelFor(request))
	b := providers.NewBody(len(prompt.Turns) + 5)
	b.Add(p.prefix.Bytes(prompt, prompt.Commands, func() []byte { return appendPrefix(nil, prompt) }))
	for i, t := range prompt.Turns {
		encoded := encoder.turn(t)
		if i == 0 {
			encoded = begun(b, prompt, encoded)
		}
		if i == len(prompt.Turns)-1 && prompt.Tail != "" && t.Role == ai.TurnUser {
			// The cached bytes end in `]}` and stay as they are.
			b.Add(encoded[:len(encoded)-2])
			b.Add(append(textPart([]byte{','}, prompt.Tail, false, ""), "]}"...))
			continue
		}
		b.Add(encoded)
	}
	b.Add([]byte("]"))
	return b
}

// firstUser is how an encoded user turn begins.
const firstUser = `,{"role":"user","parts":[`

// begun gives what is left of the first turn where the prefix has begun it already, with
// what the workspace wrote; else there is nothing before it, and so no comma.
func begun(b *providers.Body, prompt *ai.Prompt, encoded []byte) []byte {
	if prompt.UserData == "" {
		return encoded[1:]
	}
	if rest, ok := bytes.CutPrefix(encoded, []byte(firstUser)); ok {
		b.Add([]byte(","))
		return rest
	}
	b.Add([]byte("]}")) // a content of its own
	return encoded
}

func appendPrefix(b []byte, prompt *ai.Prompt) []byte {
	b = append(b, '{')
	if prompt.System != "" {
		b = textPart(append(b, `"systemInstruction":{"parts":[`...), prompt.System, false, "")
		b = append(b, "]},"...)
	}
	for i, c := range prompt.Commands {
		if i == 0 {
			b = append(b, `"tools":[{"functionDeclarations":[`...)
		} else {
			b = append(b, ',')
		}
		b = providers.AppendString(append(b, `{"name":`...), c.Name)
		b = providers.AppendString(append(b, `,"description":`...), c.Description)
		if takesParams(c.Params) {
			b = append(append(b, `,"parametersJsonSchema":`...), bytes.TrimSpace(c.Params)...)
		}
		b = append(b, '}')
	}
	if len(prompt.Commands) > 0 {
		b = append(b, "]}],"...)
	}
	b = append(b, `"contents":[`...)
	if prompt.UserData == "" {
		return b
	}
	return textPart(append(b, firstUser[1:]...), prompt.UserData, false, "")
}

// takesParams: a function without params has no schema here; an object that allows
// nothing is refused.
func takesParams(schema []byte) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(schema, &fields) != nil {
		return false
	}
	var properties map[string]json.RawMessage
	_ = json.Unmarshal(fields["properties"], &properties) // none, or unreadable: empty
	if len(properties) > 0 {
		return true
	}
	for name, value := range fields {
		switch name {
		case "type", "properties", "required", "title", "description", "$schema":
		case "additionalProperties":
			if string(bytes.TrimSpace(value)) != "false" {
				return true
			}
		default:
			return true
		}
	}
	return fields["properties"] == nil && fields["additionalProperties"] == nil && fields["type"] != nil
}
