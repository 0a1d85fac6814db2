package prompt

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// dataBlock is a part of level 2.
type dataBlock struct {
	kind, source, body string
}

// markLength is the length of a mark in hexadecimal digits: 96 bits.
const markLength = 24

// markOf computes the mark of all enclosed blocks with a key: data cannot contain its own mark, and
// a mark that was seen once is invalid after any change.
func markOf(key []byte, workspace string, blocks []dataBlock) string {
	h := hmac.New(sha256.New, key)
	part(h, workspace)
	for _, b := range blocks {
		part(h, b.kind)
		part(h, b.source)
		part(h, b.body)
	}
	return hex.EncodeToString(h.Sum(nil))[:markLength]
}

// text renders the block with its tags. Every line inside is indented, so that none can be taken
// for a heading or a tag.
func (b *dataBlock) text(mark string) string {
	without := func(text string) string { return strings.ReplaceAll(unforged(text), mark, "…") }
	return tagOpen + ` type="` + b.kind + `" mark="` + mark + `" source="` + without(attribute(b.source)) + "\">\n" +
		indented(without(b.body)) + "\n</fermata " + mark + ">"
}

// attribute returns a text for use between quotes in a tag.
func attribute(text string) string {
	return strings.NewReplacer(`"`, "'", "<", "‹", ">", "›").Replace(oneLine(text))
}

// otherBreaks are other characters that may be treated as line breaks.
var otherBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func indented(text string) string {
	const indent = "    "
	return indent + strings.ReplaceAll(otherBreaks.Replace(strings.TrimSpace(text)), "\n", "\n"+indent)
}
