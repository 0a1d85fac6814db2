package anthropic

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// answer accumulates the events of a stream.
type answer struct {
	host, secret string
	onDelta      func(providers.Delta)
	watch        *providers.Watch

	model   string
	text    []byte
	blocks  []*block
	calls   int
	usage   usage
	stop    string // the API's reason
	stopped bool   // the end was seen
	size    int
	first   time.Time
}

// block is a content block while it streams. Text is appended to the answer's text.
type block struct {
	index  int
	kind   string
	closed bool

	// A call.
	id, name  string
	arguments []byte
	whole     json.RawMessage // arguments that came at once

	// Thoughts, and where they stand.
	thoughts        []byte
	quotedThoughts  []byte // the same as they came, between the quotes
	quotedSignature []byte
	asItCame        json.RawMessage // thoughts that only the API can read
	textBefore      int
	callsBefore     int
}

// The block types that are processed.
const (
	kindText     = "text"
	kindCall     = "tool_use"
	kindThinking = "thinking"
	kindRedacted = "redacted_thinking"
)

// quoted is a JSON string twice: read, and as it came between its quotes.
type quoted struct {
	text string
	raw  []byte
}

// UnmarshalJSON decodes a string; null is empty.
func (q *quoted) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &q.text); err != nil || len(data) < 2 || data[0] != '"' {
		return err
	}
	q.raw = slices.Clone(data[1 : len(data)-1])
	if !utf8.Valid(q.raw) { // it could not be stored, nor sent back
		q.raw = providers.AppendEscaped(nil, q.text)
	}
	return nil
}

func (a *answer) start(m *message) {
	a.model = m.Model
	a.usage.merge(m.Usage)
}

// open begins a block, which may already have content.
func (a *answer) open(index int, raw json.RawMessage) error {
	var in struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		Text      string          `json:"text"`
		Thinking  quoted          `json:"thinking"`
		Signature quoted          `json:"signature"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return providers.Errorf(providers.ClassNetwork, "the stream holds a block that cannot be read: %s", a.sample(raw))
	}
	b := &block{index: index, kind: in.Type, textBefore: len(a.text), callsBefore: a.calls}
	a.blocks = append(a.blocks, b)
	switch b.kind {
	case kindText:
		a.addText(in.Text)
	case kindThinking:
		a.addThoughts(b, in.Thinking)
		b.quotedSignature = in.Signature.raw
	case kindRedacted:
		b.asItCame = raw
		a.size += len(raw)
	case kindCall:
		b.id, b.name, b.whole = clean(in.ID), clean(in.Name), in.Input
		a.calls++
		a.size += len(b.id) + len(b.name) + len(b.whole)
		a.seen()
	}
	if len(a.blocks) > maxBlocks {
		return errTooLarge
	}
	return a.measured()
}

// delta appends a piece to a block.
func (a *answer) delta(index int, d *delta) error {
	b := a.block(index)
	if b == nil {
		return providers.Errorf(providers.ClassNetwork, "the stream continues a block that never began")
	}
	switch {
	case d.Type == "text_delta" && b.kind == kindText:
		a.addText(d.Text)
	case d.Type == "thinking_delta" && b.kind == kindThinking:
		a.addThoughts(b, d.Thinking)
	case d.Type == "signature_delta" && b.kind == kindThinking:
		b.quotedSignature = append(b.quotedSignature, d.Signature.raw...)
		a.size += len(d.Signature.raw)
	case d.Type == "input_json_delta" && b.kind == kindCall:
		piece := clean(d.PartialJSON)
		b.arguments = append(b.arguments, piece...)
		a.piece(providers.DeltaArguments, piece)
	}
	return a.measured()
}

// close ends a block.
func (a *answer) close(index int) {
	b := a.block(index)
	if b == nil {
		return
	}
	b.closed = true
	if b.kind == kindCall && len(b.arguments) == 0 {
		b.arguments = []byte("{}")
		if len(b.whole) > 0 && b.whole[0] == '{' {
			b.arguments = []byte(clean(string(b.whole)))
		}
		a.piece(providers.DeltaArguments, string(b.arguments))
	}
}

// block returns the latest block with an index.
func (a *answer) block(index int) *block {
	for _, b := range slices.Backward(a.blocks) {
		if b.index == index {
			return b
		}
	}
	return nil
}

func (a *answer) measured() error {
	if a.size > maxAnswer || a.calls > maxCalls {
		return errTooLarge
	}
	return nil
}

func (a *answer) addText(text string) {
	text = clean(text)
	a.text = append(a.text, text...)
	a.piece(providers.DeltaText, text)
}

func (a *answer) addThoughts(b *block, q quoted) {
	text := clean(q.text)
	b.thoughts = append(b.thoughts, text...)
	b.quotedThoughts = append(b.quotedThoughts, q.raw...)
	a.piece(providers.DeltaThinking, text)
}

// piece counts a piece and passes it to OnDelta.
func (a *answer) piece(kind providers.DeltaKind, text string) {
	if text == "" {
		return
	}
	a.seen()
	a.size += len(text)
	if a.onDelta != nil {
		a.onDelta(providers.Delta{Kind: kind, Text: text})
	}
}

// seen records when the first piece of the answer arrived.
func (a *answer) seen() {
	if a.first.IsZero() {
		a.first = clock.System()
	}
}

// clean replaces NUL, which databases reject. Invalid UTF-8 was already replaced by the JSON
// decoder.
func clean(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }
