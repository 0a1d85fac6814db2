package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/providers"
)

// encoder encodes turns for the wire. Its cache key includes every flag that affects the encoding,
// so that a turn encoded for one vendor is not sent to another.
type encoder struct {
	abilities
	kind   string
	origin string // whose calls have back what stood beside them
	format string
}

func newEncoder(kind, origin string, a abilities) encoder {
	e := encoder{abilities: a, kind: kind, origin: origin, format: "openai_chat"}
	for _, flag := range []struct {
		set  bool
		name string
	}{{a.echoReasoning, "+reasoning of " + kind}, {a.bridge, "+bridge"}, {a.shortIDs, "+shortids"}, {a.toolNames, "+toolnames"}} {
		if flag.set {
			e.format += flag.name
		}
	}
	return e
}

// turn is a turn as one or more JSON messages, each with a comma before it, from the
// cache when it is there. Two calls may encode the same turn at once: they write the
// same bytes.
func (e encoder) turn(t *ai.Turn) []byte {
	format := e.format
	if t.Role == ai.TurnAssistant && slices.ContainsFunc(t.Blocks, e.gave) {
		format += " for " + e.origin
	}
	if c := t.Encoded.Load(); c != nil && c.Format == format {
		return c.Bytes
	}
	b := append(make([]byte, 0, 256), ',')
	if t.Role == ai.TurnAssistant {
		b = e.assistant(b, t)
	} else {
		b = e.user(b, t)
	}
	b = bytes.Clone(b) // exact size: it stays as long as the turn
	t.Encoded.Store(&ai.EncodedTurn{Format: format, Bytes: b})
	return b
}

// user writes results first, each a tool message (they must follow their calls at
// once), then all texts as one user message. In every message the content comes
// last: withTail relies on it.
func (e encoder) user(b []byte, t *ai.Turn) []byte {
	results := 0
	for i := range t.Blocks {
		if t.Blocks[i].Kind != ai.BlockResult {
			continue
		}
		if results > 0 {
			b = append(b, ',')
		}
		b = e.result(b, &t.Blocks[i])
		results++
	}
	if results == len(t.Blocks) && results > 0 {
		return b
	}
	if results > 0 {
		if e.bridge {
			b = append(b, bridging...)
		}
		b = append(b, ',')
	}
	if shows(t) {
		return parts(b, t)
	}
	b = append(b, `{"role":"user","content":"`...)
	first := true
	for i := range t.Blocks {
		if t.Blocks[i].Kind != ai.BlockText {
			continue
		}
		if !first {
			b = append(b, `\n\n`...)
		}
		first = false
		b = providers.AppendEscaped(b, t.Blocks[i].Text)
	}
	return append(b, `"}`...)
}

func (e encoder) result(b []byte, r *ai.Block) []byte {
	id := r.CallID
	if r.Call != nil {
		id = e.callID(r.Call)
	}
	b = append(b, `{"role":"tool","tool_call_id":`...)
	b = providers.AppendString(b, id)
	if e.toolNames && r.Call != nil {
		b = providers.AppendString(append(b, `,"name":`...), callName(r.Call.Name))
	}
	b = append(b, `,"content":"`...)
	// The call was echoed with {} (see arguments): here is what it really said.
	if r.Call != nil && r.Call.Arguments != "" && !isObject(r.Call.Arguments) {
		b = append(b, `The arguments of this call were not a JSON object. They were: `...)
		b = providers.AppendEscaped(b, shorten.Bytes(r.Call.Arguments, maxBadArguments))
		b = append(b, `\n\n`...)
	}
	b = providers.AppendEscaped(b, r.Text)
	return append(b, `"}`...)
}

const maxBadArguments = 2000

func (e encoder) assistant(b []byte, t *ai.Turn) []byte {
	var calls []domain.RawCall
	var texts, thoughts []string
	var back []byte
	for i := range t.Blocks {
		switch block := &t.Blocks[i]; block.Kind {
		case ai.BlockText:
			texts = append(texts, block.Text)
		case ai.BlockAnswer:
			for _, c := range block.Answer.Calls {
				if !e.gave(*block) {
					c.Extra = ""
				}
				calls = append(calls, c)
			}
			if block.Answer.Text != "" {
				texts = append(texts, block.Answer.Text)
			}
			if e.gave(*block) {
				back = e.back(back, block.Answer)
			}
			if block.Answer.Provider == e.kind {
				for _, th := range block.Answer.Thinking {
					thoughts = append(thoughts, th.Text)
				}
			}
		}
	}
	text := strings.Join(texts, "\n\n")
	b = append(b, `{"role":"assistant","content":`...)
	switch {
	case text != "":
		b = providers.AppendString(b, text)
	case len(calls) > 0:
		b = append(b, "null"...)
	default:
		// An empty assistant message is refused by some vendors.
		b = append(b, `"(no answer)"`...)
	}
	// After calls, all that was thought up to the final answer must come back; where it
	// need not, it is ignored.
	if e.echoReasoning && len(calls)+len(thoughts) > 0 {
		b = append(b, `,"reasoning_content":`...)
		b = providers.AppendString(b, strings.Join(thoughts, "\n"))
	}
	return append(e.calls(append(b, back...), calls), '}')
}

// gave says whether a block is an answer of this very model with something to have back.
func (e encoder) gave(block ai.Block) bool {
	return block.Answer != nil && e.origin != "" && block.Answer.Origin == e.origin
}

// back writes what stood beside an answer's calls, in the fields in which it came.
func (e encoder) back(b []byte, raw *domain.RawAnswer) []byte {
	for _, th := range raw.Thinking {
		var given givenBack
		if th.Data == "" || json.Unmarshal([]byte(th.Data), &given) != nil {
			continue
		}
		if given.Field != "" && !e.echoReasoning {
			b = providers.AppendString(append(b, `,"`+given.Field+`":`...), th.Text)
		}
		return appendMembers(b, given.Members)
	}
	return b
}

// refusedBack says whether a host refuses what is sent back to it beside calls.
func (e encoder) refusedBack(prompt *ai.Prompt, err error) bool {
	refused, ok := errors.AsType[*providers.Error](err)
	if !ok || !refused.Said || refused.Class != providers.ClassInvalidRequest {
		return false
	}
	says := strings.ToLower(refused.Message)
	for _, wanted := range []string{"missing", "must be passed", "must be provided", "required"} {
		if strings.Contains(says, wanted) {
			return false
		}
	}
	for _, t := range prompt.Turns {
		for _, block := range t.Blocks {
			if e.gave(block) && names(block.Answer, says) {
				return true
			}
		}
	}
	return false
}

// names says whether a refusal is about one of the members that an answer has back.
func names(raw *domain.RawAnswer, says string) bool {
	var all []string
	for _, th := range raw.Thinking {
		var given givenBack
		if json.Unmarshal([]byte(th.Data), &given) == nil {
			all = append(slices.AppendSeq(all, maps.Keys(given.Members)), given.Field)
		}
	}
	for _, c := range raw.Calls {
		own, ofFunction := extras(c.Extra)
		all = slices.AppendSeq(slices.AppendSeq(all, maps.Keys(own)), maps.Keys(ofFunction))
	}
	return slices.ContainsFunc(all, func(name string) bool { return name != "" && strings.Contains(says, strings.ToLower(name)) })
}

// extras are a call's further members, and those of its function.
func extras(raw string) (own, ofFunction map[string]json.RawMessage) {
	if raw == "" || json.Unmarshal([]byte(raw), &own) != nil {
		return nil, nil
	}
	if inner := own["function"]; json.Unmarshal(inner, &ofFunction) != nil {
		ofFunction = nil
	}
	delete(own, "function")
	return own, ofFunction
}

func (e encoder) calls(b []byte, calls []domain.RawCall) []byte {
	for i := range calls {
		if i == 0 {
			b = append(b, `,"tool_calls":[`...)
		} else {
			b = append(b, ',')
		}
		b = append(b, `{"id":`...)
		b = providers.AppendString(b, e.callID(&calls[i]))
		b = append(b, `,"type":"function","function":{"name":`...)
		b = providers.AppendString(b, callName(calls[i].Name))
		b = append(b, `,"arguments":`...)
		b = providers.AppendString(b, arguments(calls[i].Arguments))
		own, ofFunction := extras(calls[i].Extra)
		b = append(appendMembers(b, ofFunction), '}')
		b = append(appendMembers(b, own), '}')
	}
	if len(calls) > 0 {
		b = append(b, ']')
	}
	return b
}

// arguments are sent back unchanged, except for what vendors or their templates reject: anything
// other than a JSON object becomes {} and is described in the result.
func arguments(text string) string {
	if isObject(text) {
		return text
	}
	return "{}"
}

func isObject(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(text, "{") && json.Valid([]byte(text))
}

// callName makes an invented name fit the pattern that vendors check when it is sent
// back; the names of real commands pass unchanged.
func callName(name string) string {
	ok := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	}
	clean := strings.Map(func(r rune) rune {
		if ok(r) {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "unknown"
	}
	return clean[:min(len(clean), 64)]
}

const maxCallID = 40 // what OpenAI accepts

// callID is the id of a call on this wire: the model's own where there is one.
func (e encoder) callID(c *domain.RawCall) string {
	id := c.ProviderID
	if id == "" || len(id) > maxCallID {
		id = c.ID
	}
	if e.shortIDs && !isShortID(id) {
		return shortID(id)
	}
	return id
}

const shortLength = 9

func isShortID(id string) bool {
	return len(id) == shortLength && !strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
}

// shortID makes nine letters and digits of any id, the same each time.
func shortID(id string) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // a hash never fails
	n := h.Sum64()
	var out [shortLength]byte
	for i := range out {
		out[i] = letters[n%36]
		n /= 36
	}
	return string(out[:])
}
