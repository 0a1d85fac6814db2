package anthropic

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

// cacheMark marks the end of a cacheable prefix.
const cacheMark = `,"cache_control":{"type":"ephemeral"}`

// body builds a request: params, commands and levels first, with the same bytes in each call, then
// the cached turns, then the tail.
func (p *provider) body(request *providers.Request) *providers.Body {
	prompt := request.Prompt
	b := providers.NewBody(len(prompt.Turns) + 5)
	b.Add(p.params(request))
	b.Add(p.prefixOf(prompt))
	last := len(prompt.Turns) - 1
	for i, t := range prompt.Turns {
		encoded := p.encoder.turn(t)
		if i == 0 {
			encoded = begun(b, prompt, encoded)
		}
		switch {
		case t.Role != ai.TurnUser || i != last && i != last-2:
			b.Add(encoded)
		case i == last:
			addLast(b, encoded, prompt.Tail)
		default:
			addMarked(b, encoded)
		}
	}
	b.Add([]byte("]}"))
	return b
}

// firstUser is the beginning of an encoded user turn.
const firstUser = `,{"role":"user","content":[`

// begun gives what is left of the first turn where the prefix has begun it already, with
// what the workspace wrote; else there is nothing before it, and so no comma.
func begun(b *providers.Body, prompt *ai.Prompt, encoded []byte) []byte {
	if strings.TrimSpace(prompt.UserData) == "" {
		return encoded[1:]
	}
	if rest, ok := bytes.CutPrefix(encoded, []byte(firstUser)); ok {
		b.Add([]byte(","))
		return rest
	}
	b.Add([]byte("]}")) // a message of its own
	return encoded
}

// addLast adds the last message. Its last block is marked for the cache; the tail comes
// behind the mark as a block of its own, as it is another one in the next call. The
// cached bytes stay as they are.
func addLast(b *providers.Body, encoded []byte, tail string) {
	b.Add(encoded[:len(encoded)-len(`}]}`)])
	b.Add(append(appendText([]byte(cacheMark+"}"), tail), "]}"...))
}

// addMarked adds the message with which the call before ended, marked as it was then: the vendor looks for its latest
// entry a few blocks back only, and an answer may have more.
func addMarked(b *providers.Body, encoded []byte) {
	b.Add(encoded[:len(encoded)-len(`}]}`)])
	b.Add([]byte(cacheMark + `}]}`))
}

// params appends the members before commands, levels and messages.
func (p *provider) params(request *providers.Request) []byte {
	b := append(make([]byte, 0, 512), `{"model":`...)
	b = providers.AppendString(b, p.config.ModelFor(request))
	b = strconv.AppendInt(append(b, `,"max_tokens":`...), int64(p.config.MaxTokensFor(request)), 10)
	b = append(b, `,"stream":true`...)
	b = p.config.AppendSampling(b)
	if p.config.ServiceTier != "" {
		b = providers.AppendString(append(b, `,"service_tier":`...), p.config.ServiceTier)
	}
	if p.config.AsksSmall(request) {
		return b // a small model may not support thinking or effort
	}
	return p.outputConfig(p.thinking(b, request), request.Prompt)
}

// outputConfig appends the effort and the schema of the answer. That of the JSON protocol is not sent (see
// Abilities).
func (p *provider) outputConfig(b []byte, prompt *ai.Prompt) []byte {
	var format json.RawMessage
	if prompt.Protocol != domain.ProtocolJSON && len(prompt.AnswerSchema) > 0 {
		format, _ = structured.Narrow(prompt.AnswerSchema)
	}
	if p.config.ReasoningEffort == "" && format == nil {
		return b
	}
	b = append(b, `,"output_config":{`...)
	if p.config.ReasoningEffort != "" {
		b = providers.AppendString(append(b, `"effort":`...), p.config.ReasoningEffort)
	}
	if format != nil {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(append(b, `"format":{"type":"json_schema","schema":`...), format...), '}')
	}
	return append(b, '}')
}

// structured is what the API's structured output supports.
var structured = providers.Subset{
	Keywords: []string{"default"},
	Formats:  []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
}

// thinking requests thoughts if max_tokens leaves room for them.
func (p *provider) thinking(b []byte, request *providers.Request) []byte {
	n := p.config.MaxTokensFor(request)
	switch {
	case p.config.Thinking == thinkingOff:
		return append(b, `,"thinking":{"type":"disabled"}`...)
	case p.config.Thinking == thinkingAdaptive && n > minThinking:
		// Some models return their thoughts only on request.
		return append(b, `,"thinking":{"type":"adaptive","display":"summarized"}`...)
	case p.config.ThinkingBudget > 0 && n > p.config.ThinkingBudget && p.encoder.mayThink(request.Prompt.Turns):
		b = append(b, `,"thinking":{"type":"enabled","budget_tokens":`...)
		return append(strconv.AppendInt(b, int64(p.config.ThinkingBudget), 10), '}')
	}
	return b
}

const minThinking = 1024
