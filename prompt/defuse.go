package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const tagName = "fermata"

// unforged breaks our own tags inside words that come from elsewhere: in any case, with
// spaces or characters that nobody sees in between, and with other brackets that look
// like "<". It is the same bytes where there is nothing to break.
func unforged(text string) string {
	var b strings.Builder
	kept := 0 // what stands before it is in b
	for at := 0; at < len(text); {
		next := strings.IndexAny(text[at:], openings)
		if next < 0 {
			break
		}
		_, size := utf8.DecodeRuneInString(text[at+next:])
		at += next + size
		if name := nameAfter(text, at); name >= 0 {
			b.WriteString(text[kept:name] + "_")
			kept, at = name, name
		}
	}
	if kept == 0 {
		return text
	}
	return b.String() + text[kept:]
}

// openings begin a tag, or look as if they did.
const openings = "<＜﹤‹〈⟨〈˂"

// nameAfter is where our tag's name stands behind an opening bracket, -1 if it does not.
func nameAfter(text string, at int) int {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r != '/' && r != '\\' && r != '／' && !unicode.IsSpace(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) {
			break
		}
		at += size
	}
	if at+len(tagName) > len(text) || !strings.EqualFold(text[at:at+len(tagName)], tagName) {
		return -1
	}
	return at
}
