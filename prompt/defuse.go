package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const tagName = "fermata"

// unforged disarms Fermata's tags inside other content: in any case, with spaces or invisible
// characters in between, and with brackets that look like "<". Without such tags it returns the
// same bytes.
func unforged(text string) string {
	var b strings.Builder
	kept := 0 // text before it is already in b
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

// openings are brackets that begin a tag, or look like it.
const openings = "<＜﹤‹〈⟨〈˂"

// nameAfter returns the position of our tag's name after an opening bracket, or -1.
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
