package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/fermata-dev/fermata/providers"
)

// Some hosts want back what stood beside a call, with the next request of the same history:
// signatures, thoughts in the field in which they came. What is kept of it here goes back as
// it came, to the model at the address that gave it alone.

// The fields in which thoughts come as text.
const (
	fieldReasoningContent = "reasoning_content"
	fieldReasoning        = "reasoning"
)

// thoughtFields is a set of them.
type thoughtFields int

const (
	inReasoningContent thoughtFields = 1 << iota
	inReasoning
)

func fieldOf(name string) thoughtFields {
	if name == fieldReasoning {
		return inReasoning
	}
	return inReasoningContent
}

// name is the field in which they go back; "" for thoughts that came in none.
func (f thoughtFields) name() string {
	switch {
	case f&inReasoningContent != 0:
		return fieldReasoningContent
	case f&inReasoning != 0:
		return fieldReasoning
	}
	return ""
}

// givenBack is what domain.Thinking.Data holds of an answer with calls: the field of its
// thoughts, and further members of its message.
type givenBack struct {
	Field   string                     `json:"field,omitempty"`
	Members map[string]json.RawMessage `json:"members,omitempty"`
}

func (g givenBack) data() string {
	if g.Field == "" && len(g.Members) == 0 {
		return ""
	}
	return string(asText(g))
}

// asText writes JSON without touching what is kept in it.
func asText(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil { // of values that were read as JSON
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// originOf names a model at an address without showing either.
func originOf(kind, address, model string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + address + "\x00" + model))
	return hex.EncodeToString(sum[:8])
}

// gathered are members as they come, piece by piece.
type gathered map[string]json.RawMessage

// add takes a member: a list grows by what comes, anything else is replaced. It says by how
// many bytes it has grown.
func (g *gathered) add(m member) int {
	if !json.Valid(m.value) {
		return 0
	}
	if *g == nil {
		*g = gathered{}
	}
	old, before := (*g)[m.name], len((*g)[m.name])
	value := bytes.ToValidUTF8(m.value, []byte("\uFFFD"))
	if joined, ok := joinedLists(old, value); ok {
		value = joined
	}
	(*g)[m.name] = bytes.Clone(value)
	return len((*g)[m.name]) - before + len(m.name)
}

// joinedLists puts two lists together. Neighbours that are pieces of one item become one.
func joinedLists(old, more []byte) ([]byte, bool) {
	var list, next []json.RawMessage
	if len(old) == 0 || old[0] != '[' || json.Unmarshal(old, &list) != nil || json.Unmarshal(more, &next) != nil {
		return nil, false
	}
	for _, item := range next {
		if n := len(list); n > 0 {
			if one, ok := joinedItem(list[n-1], item); ok {
				list[n-1] = one
				continue
			}
		}
		list = append(list, item)
	}
	return asText(list), true
}

// pieced are the members of an item that come in pieces.
var pieced = []string{"text", "summary", "thinking"}

// joinedItem makes one item of two of the same type and index, while the first is not signed.
// Those without text are whole by themselves.
func joinedItem(first, second json.RawMessage) (json.RawMessage, bool) {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(first, &a) != nil || json.Unmarshal(second, &b) != nil || a == nil || b == nil {
		return nil, false
	}
	if !bytes.Equal(a["type"], b["type"]) || !bytes.Equal(a["index"], b["index"]) || textIn(a["signature"]) != "" || !hasText(a) {
		return nil, false
	}
	for name, value := range b {
		switch {
		case slices.Contains(pieced, name):
			a[name] = asText(textIn(a[name]) + textIn(value))
		case string(value) != "null" && string(value) != `""`:
			a[name] = value
		}
	}
	return asText(a), true
}

func hasText(item map[string]json.RawMessage) bool {
	return slices.ContainsFunc(pieced, func(name string) bool { return len(item[name]) > 0 && item[name][0] == '"' })
}

func textIn(value json.RawMessage) string {
	var text string
	_ = json.Unmarshal(value, &text) // anything else is no text
	return text
}

// appendMembers writes members behind others, in the order of their names.
func appendMembers(b []byte, members map[string]json.RawMessage) []byte {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		b = append(providers.AppendString(append(b, ','), name), ':')
		b = append(b, members[name]...)
	}
	return b
}
