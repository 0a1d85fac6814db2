package openai

import (
	"bytes"

	"github.com/fermata-dev/fermata/providers"
)

var (
	openTag  = []byte("<think>")
	closeTag = []byte("</think>")
)

// thinkTags takes <think>…</think> at the very start of a text out of it: local
// servers without a reasoning parser send thoughts so. A tag may come in pieces.
type thinkTags struct {
	on    bool
	state thinkState
	held  []byte // a beginning of what may become a tag
	strip bool   // white space after the closing tag is still to be dropped
}

// maxHeld bounds the white space that may stand before the tag: what is held back is
// copied with each piece.
const maxHeld = 64

type thinkState int

const (
	thinkStart thinkState = iota
	thinkInside
	thinkAfter
)

type sink func(providers.DeltaKind, []byte)

func (t *thinkTags) feed(text []byte, out sink) {
	if !t.on || (t.state == thinkAfter && !t.strip) {
		out(providers.DeltaText, text)
		return
	}
	if len(t.held) > 0 {
		text = append(t.held, text...)
		t.held = nil
	}
	for {
		switch t.state {
		case thinkStart:
			trimmed := bytes.TrimLeft(text, " \t\r\n")
			switch {
			case bytes.HasPrefix(trimmed, openTag):
				t.state, text = thinkInside, trimmed[len(openTag):]
				continue
			case bytes.HasPrefix(openTag, trimmed) && len(text) <= maxHeld: // also when it is empty
				t.held = bytes.Clone(text)
				return
			}
			t.state = thinkAfter
		case thinkInside:
			if i := bytes.Index(text, closeTag); i >= 0 {
				out(providers.DeltaThinking, text[:i])
				t.state, t.strip, text = thinkAfter, true, text[i+len(closeTag):]
				continue
			}
			keep := partialEnd(text, closeTag)
			out(providers.DeltaThinking, text[:len(text)-keep])
			t.held = bytes.Clone(text[len(text)-keep:])
			return
		case thinkAfter:
			if t.strip {
				text = bytes.TrimLeft(text, " \t\r\n")
				t.strip = len(text) == 0
			}
			out(providers.DeltaText, text)
			return
		}
	}
}

// flush gives out what was held back when no more comes.
func (t *thinkTags) flush(out sink) {
	kind := providers.DeltaText
	if t.state == thinkInside {
		kind = providers.DeltaThinking
	}
	out(kind, t.held)
	t.held = nil
}

// partialEnd is how many of text's last bytes are a beginning of tag.
func partialEnd(text, tag []byte) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if bytes.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}
