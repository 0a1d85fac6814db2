package openai

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

// body builds a request: params, tools and system text first, with the same bytes in each call,
// then the cached turns, then the tail.
func (p *provider) body(request *providers.Request, encoder encoder) *providers.Body {
	prompt := request.Prompt
	b := providers.NewBody(len(prompt.Turns) + 4)
	b.Add(p.params(request))
	b.Add(p.prefix.Bytes(prompt, prompt.Commands, func() []byte { return appendPrefix(nil, prompt, p.role) }))
	for i, t := range prompt.Turns {
		encoded := encoder.turn(t)
		if i == 0 {
			encoded = begun(b, prompt, encoded, p.bridge)
		}
		if i == len(prompt.Turns)-1 && prompt.Tail != "" && t.Role == ai.TurnUser {
			addWithTail(b, encoded, prompt.Tail)
			continue
		}
		b.Add(encoded)
	}
	b.Add([]byte("]}"))
	return b
}

// firstUser is how an encoded user turn begins.
const firstUser = `,{"role":"user","content":"`

// begun gives what is left of the first turn where the prefix has begun it already, with
// what the workspace wrote; where there is nothing before it, it has no comma.
func begun(b *providers.Body, prompt *ai.Prompt, encoded []byte, bridge bool) []byte {
	if prompt.UserData != "" {
		if rest, ok := bytes.CutPrefix(encoded, []byte(firstUser)); ok {
			return rest
		}
		b.Add([]byte(`"}`)) // a message of its own
		if bridge {
			b.Add([]byte(bridging))
		}
		return encoded
	}
	if prompt.System == "" {
		return encoded[1:]
	}
	return encoded
}

// addWithTail adds an encoded user turn with tail at the end of its last message,
// be it a user's or a tool's: a message more would break the order of roles that
// some vendors insist on. The cached bytes end in `"}`, or in `]}` where the content is in
// parts, and stay as they are.
func addWithTail(b *providers.Body, encoded []byte, tail string) {
	b.Add(encoded[:len(encoded)-2])
	if bytes.HasSuffix(encoded, []byte("]}")) {
		b.Add(append(textPart([]byte{','}, tail), "]}"...))
		return
	}
	end := providers.AppendEscaped([]byte(`\n\n`), tail)
	b.Add(append(end, `"}`...))
}

// params appends the members before the messages that change between calls.
func (p *provider) params(request *providers.Request) []byte {
	b := append(make([]byte, 0, 512), `{"model":`...)
	b = providers.AppendString(b, p.config.ModelFor(request))
	b = append(b, `,"`...)
	b = append(b, p.abilities.maxTokens...)
	b = append(b, `":`...)
	b = strconv.AppendInt(b, int64(p.config.MaxTokensFor(request)), 10)
	b = p.config.AppendSampling(b)
	if p.config.ReasoningEffort != "" {
		b = providers.AppendString(append(b, `,"reasoning_effort":`...), p.config.ReasoningEffort)
	}
	if p.config.ServiceTier != "" {
		b = providers.AppendString(append(b, `,"service_tier":`...), p.config.ServiceTier)
	}
	if p.cacheKey && request.SessionID != "" {
		b = providers.AppendString(append(b, `,"prompt_cache_key":`...), request.SessionID)
	}
	if parallel := p.config.ParallelCalls; parallel != nil && !p.noParallel && len(request.Prompt.Commands) > 0 {
		b = strconv.AppendBool(append(b, `,"parallel_tool_calls":`...), *parallel)
	}
	if request.OnDelta != nil {
		b = append(b, `,"stream":true`...)
		if !p.noStreamUsage {
			b = append(b, `,"stream_options":{"include_usage":true}`...)
		}
	}
	return p.responseFormat(b, request.Prompt)
}

func (p *provider) responseFormat(b []byte, prompt *ai.Prompt) []byte {
	mode := p.json
	switch {
	case len(prompt.AnswerSchema) == 0, mode == jsonObject && !forObject(prompt.AnswerSchema):
		return b
	case p.objectsOnly && !forObject(prompt.AnswerSchema):
		return b // it is refused
	}
	switch mode {
	case jsonSchema:
		b = append(b, `,"response_format":{"type":"json_schema","json_schema":{"name":"answer",`...)
		if closed(prompt.AnswerSchema) {
			b = append(b, `"strict":true,`...)
		}
		b = append(append(b, `"schema":`...), prompt.AnswerSchema...)
		return append(b, "}}"...)
	case jsonObject:
		return append(b, `,"response_format":{"type":"json_object"}`...)
	case jsonNone:
	}
	return b
}

func appendPrefix(b []byte, prompt *ai.Prompt, role string) []byte {
	for i, c := range prompt.Commands {
		if i == 0 {
			b = append(b, `,"tools":[`...)
		} else {
			b = append(b, ',')
		}
		b = providers.AppendString(append(b, `{"type":"function","function":{"name":`...), c.Name)
		b = providers.AppendString(append(b, `,"description":`...), c.Description)
		b = append(b, `,"parameters":`...)
		if json.Valid(c.Params) {
			b = append(b, c.Params...)
		} else {
			b = append(b, `{"type":"object"}`...)
		}
		b = append(b, "}}"...)
	}
	if len(prompt.Commands) > 0 {
		b = append(b, ']')
	}
	b = append(b, `,"messages":[`...)
	first := firstUser
	if prompt.System == "" {
		first = first[1:]
	} else {
		b = providers.AppendString(append(b, `{"role":`...), role)
		b = providers.AppendEscaped(append(b, `,"content":"`...), prompt.System)
		b = append(b, `"}`...)
	}
	if prompt.UserData == "" {
		return b
	}
	// In the same message as the person's words: many chat templates want roles to alternate.
	return append(providers.AppendEscaped(append(b, first...), prompt.UserData), `\n\n`...)
}
