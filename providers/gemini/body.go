package gemini

import (
	"bytes"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// body assembles what stands before the library's own parameters: system text and
// functions, the same bytes from call to call, then the turns from their caches, then
// the tail. The transport adds the parameters and the closing brace.
func (p *provider) body(request *providers.Request) *providers.Body {
	prompt := request.Prompt
	encoder := newEncoder(p.config.ModelFor(request))
	b := providers.NewBody(len(prompt.Turns) + 5)
	b.Add(p.prefix.Bytes(prompt, prompt.Commands, func() []byte { return appendPrefix(nil, prompt) }))
	for i, t := range prompt.Turns {
		encoded := encoder.turn(t)
		if i == 0 {
			encoded = encoded[1:] // nothing before it: no comma
		}
		if i == len(prompt.Turns)-1 && prompt.Tail != "" && t.Role == domain.TurnUser {
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

func appendPrefix(b []byte, prompt *domain.Prompt) []byte {
	b = append(b, '{')
	n := 0
	for _, text := range []string{prompt.System, prompt.UserData} {
		if text == "" {
			continue
		}
		if n == 0 {
			b = append(b, `"systemInstruction":{"parts":[`...)
		}
		b = textPart(comma(b, &n), text, false, "")
	}
	if n > 0 {
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
	return append(b, `"contents":[`...)
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
