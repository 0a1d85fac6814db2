package gemini

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

// encoder writes turns in the wire's bytes. Its format names what changes them.
type encoder struct {
	format string
	// signed: a first call without a signature gets noSignature in its place.
	signed bool
}

func newEncoder(model string) encoder {
	if demandsSignatures(model) {
		return encoder{format: "gemini+signed", signed: true}
	}
	return encoder{format: "gemini"}
}

// noSignature is what Google gives for calls that another model made: it has no
// signature, and its check is passed over.
const noSignature = "skip_thought_signature_validator"

// turn is a turn as one content with a comma before it, from the cache when it is
// there. Two calls may encode the same turn at once: they write the same bytes.
func (e encoder) turn(t *ai.Turn) []byte {
	if c := t.Encoded.Load(); c != nil && c.Format == e.format {
		return c.Bytes
	}
	b := make([]byte, 0, 256)
	if t.Role == ai.TurnAssistant {
		b = e.assistant(append(b, `,{"role":"model","parts":[`...), t)
	} else {
		b = user(append(b, `,{"role":"user","parts":[`...), t)
	}
	b = append(b, "]}"...)
	b = bytes.Clone(b) // exact size: it stays as long as the turn
	t.Encoded.Store(&ai.EncodedTurn{Format: e.format, Bytes: b})
	return b
}

// user writes results first, in the order of their calls: they must follow them at
// once. Then all texts, in the same content, so that roles alternate.
func user(b []byte, t *ai.Turn) []byte {
	n := 0
	for i := range t.Blocks {
		if t.Blocks[i].Kind == ai.BlockResult {
			b = result(comma(b, &n), &t.Blocks[i])
		}
	}
	for i := range t.Blocks {
		switch block := &t.Blocks[i]; block.Kind {
		case ai.BlockText:
			b = textPart(comma(b, &n), block.Text, false, "")
		case ai.BlockPicture:
			b = textPart(comma(b, &n), block.Text, false, "")
			b = picturePart(comma(b, &n), block)
		}
	}
	if n == 0 { // a content without parts is refused
		b = textPart(b, "(nothing)", false, "")
	}
	return b
}

func comma(b []byte, n *int) []byte {
	if *n++; *n > 1 {
		b = append(b, ',')
	}
	return b
}

func textPart(b []byte, text string, thought bool, signature string) []byte {
	b = providers.AppendString(append(b, `{"text":`...), text)
	if thought {
		b = append(b, `,"thought":true`...)
	}
	return append(signed(b, signature), '}')
}

func picturePart(b []byte, block *ai.Block) []byte {
	b = providers.AppendString(append(b, `{"inlineData":{"mimeType":`...), block.File.MediaType)
	return append(providers.AppendBase64(append(b, `,"data":`...), block.Data), "}}"...)
}

// sees: all of its models do, but for those that only embed or read text.
func sees(model string) bool {
	return !strings.Contains(model, "embedding") && !strings.Contains(model, "gemma-2")
}

func signed(b []byte, signature string) []byte {
	if signature == "" {
		return b
	}
	return providers.AppendString(append(b, `,"thoughtSignature":`...), signature)
}

// result writes the outcome of a call, cancelled ones too: their text says so.
func result(b []byte, r *ai.Block) []byte {
	b = append(b, `{"functionResponse":{`...)
	name, key := "unknown", "output"
	if r.Call != nil {
		b = callID(b, r.Call)
		name = callName(r.Call.Name)
	}
	if r.IsError {
		key = "error"
	}
	b = providers.AppendString(append(b, `"name":`...), name)
	b = append(b, `,"response":{"`+key+`":`...)
	return append(providers.AppendString(b, r.Text), "}}}"...)
}

// callID writes the id that the model gave. Most give none: then calls and results
// belong together by their order.
func callID(b []byte, c *domain.RawCall) []byte {
	if c.ProviderID == "" {
		return b
	}
	return append(providers.AppendString(append(b, `"id":`...), c.ProviderID), ',')
}

// assistant writes an answer's parts as they came, signatures in their places.
func (e encoder) assistant(b []byte, t *ai.Turn) []byte {
	n := 0
	for i := range t.Blocks {
		switch block := &t.Blocks[i]; block.Kind {
		case ai.BlockText:
			b = textPart(comma(b, &n), block.Text, false, "")
		case ai.BlockAnswer:
			b = e.answer(b, block.Answer, &n)
		}
	}
	if n == 0 {
		b = textPart(b, "(no answer)", false, "")
	}
	return b
}

func (e encoder) answer(b []byte, raw *domain.RawAnswer, n *int) []byte {
	text, thoughts, calls := raw.Text, thoughtsOf(raw), raw.Calls
	for _, p := range layoutOf(raw).Parts {
		switch p.Kind {
		case pieceCall:
			first := len(calls) == len(raw.Calls)
			b = e.call(comma(b, n), &calls[0], raw.Provider == kindName, first)
			calls = calls[1:]
		case pieceThought:
			// Thoughts go back only where a signature vouches for them.
			if p.Signature != "" {
				b = textPart(comma(b, n), thoughts[:p.Size], true, p.Signature)
			}
			thoughts = thoughts[p.Size:]
		default:
			b = textPart(comma(b, n), text[:p.Size], false, p.Signature)
			text = text[p.Size:]
		}
	}
	return b
}

func (e encoder) call(b []byte, c *domain.RawCall, own, first bool) []byte {
	b = callID(append(b, `{"functionCall":{`...), c)
	b = providers.AppendString(append(b, `"name":`...), callName(c.Name))
	b = append(b, `,"args":`...)
	b = append(append(b, arguments(c.Arguments)...), '}')
	signature := ""
	if own {
		signature = c.Signature // another vendor's would be refused
	}
	if signature == "" && first && e.signed {
		signature = noSignature
	}
	return append(signed(b, signature), '}')
}

// arguments go back byte for byte, but for what is no JSON object: that is {} here,
// and the result says what was wrong.
func arguments(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return text
	}
	return "{}"
}

// callName makes an invented name fit what the API takes back; the names of real
// commands pass unchanged.
func callName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "unknown"
	}
	if c := clean[0]; c == '-' || c >= '0' && c <= '9' { // must begin with a letter or _
		clean = "_" + clean
	}
	return clean[:min(len(clean), 64)]
}
