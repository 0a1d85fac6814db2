package anthropic

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/providers"
)

// encoder encodes turns for the wire. Its cache key includes the host: thoughts signed by another
// host are not sent.
type encoder struct {
	host   string
	format string
}

func newEncoder(host string) encoder {
	return encoder{host: host, format: "anthropic_messages@" + host}
}

// turn is a turn as one JSON message with a comma before it, from the cache when it is
// there. It ends in `}]}`, where the first brace closes the last block: addLast relies
// on it. Two calls may encode the same turn at once: they write the same bytes.
func (e encoder) turn(t *ai.Turn) []byte {
	if c := t.Encoded.Load(); c != nil && c.Format == e.format {
		return c.Bytes
	}
	b := append(make([]byte, 0, 256), `,{"role":"`...)
	b = append(append(b, t.Role...), `","content":[`...)
	if t.Role == ai.TurnAssistant {
		b = e.assistant(b, t)
	} else {
		b = e.user(b, t)
	}
	b = bytes.Clone(append(b, `]}`...)) // exact size: it stays as long as the turn
	t.Encoded.Store(&ai.EncodedTurn{Format: e.format, Bytes: b})
	return b
}

// user writes results first (the API requires them directly after their calls), then texts.
func (e encoder) user(b []byte, t *ai.Turn) []byte {
	start := len(b)
	for i := range t.Blocks {
		if t.Blocks[i].Kind == ai.BlockResult {
			b = appendResult(b, &t.Blocks[i])
		}
	}
	for i := range t.Blocks {
		switch block := &t.Blocks[i]; block.Kind {
		case ai.BlockText:
			b = appendText(b, block.Text)
		case ai.BlockPicture:
			b = appendPicture(appendText(b, block.Text), block)
		}
	}
	if len(b) == start {
		return appendText(b, "(an empty message)")
	}
	return b
}

func (e encoder) assistant(b []byte, t *ai.Turn) []byte {
	start := len(b)
	for i := range t.Blocks {
		switch block := &t.Blocks[i]; block.Kind {
		case ai.BlockText:
			b = appendText(b, block.Text)
		case ai.BlockAnswer:
			b = e.answer(b, block.Answer)
		}
	}
	if len(b) == start { // an empty message is refused
		return appendText(b, "(no answer)")
	}
	return b
}

// answer writes the blocks of an answer in their original order: the API rejects moved thoughts.
func (e encoder) answer(b []byte, raw *domain.RawAnswer) []byte {
	text, calls := 0, 0
	for _, th := range e.thoughts(raw) {
		if at := min(th.Text, len(raw.Text)); at > text {
			b = appendText(b, raw.Text[text:at])
			text = at
		}
		for ; calls < min(th.Calls, len(raw.Calls)); calls++ {
			b = appendCall(b, &raw.Calls[calls])
		}
		b = append(comma(b), th.Block...)
	}
	b = appendText(b, raw.Text[text:])
	for ; calls < len(raw.Calls); calls++ {
		b = appendCall(b, &raw.Calls[calls])
	}
	return b
}

// comma separates a block from the previous one.
func comma(b []byte) []byte {
	if b[len(b)-1] == '[' {
		return b
	}
	return append(b, ',')
}

// appendText writes a block of text; one of white space only is refused by the API and
// says nothing.
func appendText(b []byte, text string) []byte {
	if strings.TrimSpace(text) == "" {
		return b
	}
	b = append(comma(b), `{"type":"text","text":`...)
	return append(providers.AppendString(b, text), '}')
}

func appendPicture(b []byte, block *ai.Block) []byte {
	b = append(comma(b), `{"type":"image","source":{"type":"base64","media_type":`...)
	b = providers.AppendString(b, block.File.MediaType)
	return append(providers.AppendBase64(append(b, `,"data":`...), block.Data), "}}"...)
}

// sees: all of its models do, but for those before Claude 3.
func sees(model string) bool {
	return !strings.HasPrefix(model, "claude-2") && !strings.HasPrefix(model, "claude-1") && !strings.HasPrefix(model, "claude-instant")
}

func appendCall(b []byte, c *domain.RawCall) []byte {
	b = append(comma(b), `{"type":"tool_use","id":`...)
	b = providers.AppendString(b, callID(c.ID))
	b = append(b, `,"name":`...)
	b = providers.AppendString(b, callName(c.Name))
	b = append(b, `,"input":`...)
	return append(append(b, input(c.Arguments)...), '}')
}

func appendResult(b []byte, r *ai.Block) []byte {
	b = append(comma(b), `{"type":"tool_result","tool_use_id":`...)
	b = providers.AppendString(b, callID(r.CallID))
	if r.IsError {
		b = append(b, `,"is_error":true`...)
	}
	b = append(b, `,"content":"`...)
	// The call was sent with {} (see input): this is what it contained.
	if r.Call != nil && strings.TrimSpace(r.Call.Arguments) != "" && !isObject(r.Call.Arguments) {
		b = append(b, `The arguments of this call were not a JSON object. They were: `...)
		b = providers.AppendEscaped(b, shorten.Bytes(r.Call.Arguments, maxBadArguments))
		b = append(b, `\n\n`...)
	}
	return append(providers.AppendEscaped(b, r.Text), `"}`...)
}

const maxBadArguments = 2000

// input returns a call's arguments unchanged, except for what the API rejects: a value that is not
// an object becomes {} and is described in the result, and half a surrogate pair becomes U+FFFD.
func input(arguments string) string {
	if !isObject(arguments) {
		return "{}"
	}
	if !strings.Contains(arguments, `\ud`) && !strings.Contains(arguments, `\uD`) {
		return arguments
	}
	decoder := json.NewDecoder(strings.NewReader(arguments))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return "{}"
	}
	again, err := json.Marshal(value)
	if err != nil {
		return "{}"
	}
	return string(again)
}

func isObject(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") && json.Valid([]byte(text))
}

// callID is the id of a call on this wire: always the server's own. It is unique in the
// whole history, which those of models are not (another vendor may have answered before).
func callID(id string) string { return wireName(id) }

// callName makes an invented name fit the pattern that is checked when it is sent back.
func callName(name string) string { return wireName(name) }

const maxWireName = 64

func wireName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "unknown"
	}
	return clean[:min(len(clean), maxWireName)]
}
