package prompt

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Spoken extracts the pre_text of a JSON answer while it streams, so that people see text instead
// of JSON, whatever the provider's protocol.
type Spoken struct {
	depth   int    // of brackets and braces
	in      bool   // inside a string
	said    bool   // inside the pre_text
	over    bool   // the pre_text has ended
	text    []byte // of an outer-level string that may be a key
	name    string // the current key
	escape  []byte // the received part of an escape
	high    rune   // the first half of a surrogate pair
	partial []byte // the received part of a character that is split between pieces
}

// longestName bounds the stored part of a possible key.
const longestName = 32

// More processes the next piece of the answer and returns its text.
func (s *Spoken) More(piece string) string {
	var out strings.Builder
	for i := 0; i < len(piece) && !s.over; i++ {
		s.take(piece[i], &out)
	}
	return s.whole(out.String())
}

func (s *Spoken) take(c byte, out *strings.Builder) {
	switch {
	case s.in && len(s.escape) > 0:
		s.escaped(c, out)
	case s.in && c == '\\':
		s.escape = append(s.escape[:0], c)
	case s.in && c == '"':
		s.in, s.over = false, s.said
		if s.depth == 1 {
			s.name = string(s.text)
		}
	case s.said:
		s.lone(out)
		out.WriteByte(c)
	case s.in && len(s.text) < longestName:
		s.text = append(s.text, c)
	case s.in:
	case c == '"' && s.depth > 0:
		s.in, s.said = true, s.depth == 1 && s.name == "pre_text:"
		s.text, s.name = s.text[:0], ""
	case c == ':' && s.depth == 1:
		s.name += ":"
	case c == '{' || c == '[' && s.depth > 0:
		s.depth++
	case (c == '}' || c == ']') && s.depth > 0:
		s.depth--
	case c == ',':
		s.name = ""
	}
}

// escaped processes the character after a backslash.
func (s *Spoken) escaped(c byte, out *strings.Builder) {
	s.escape = append(s.escape, c)
	if s.escape[1] == 'u' && len(s.escape) < len(`\u0000`) {
		return
	}
	text := string(s.escape)
	s.escape = s.escape[:0]
	if !s.said {
		return
	}
	if r, ok := strings.CutPrefix(text, `\u`); ok {
		s.character(r, out)
		return
	}
	s.lone(out)
	if at := strings.IndexByte("ntrbf", c); at >= 0 {
		c = "\n\t\r\b\f"[at]
	}
	out.WriteByte(c)
}

// character decodes four hexadecimal digits, or stores them until the surrogate pair is complete.
func (s *Spoken) character(digits string, out *strings.Builder) {
	n, err := strconv.ParseUint(digits, 16, 32)
	r := rune(n)
	switch {
	case err != nil || r == 0:
		r = utf8.RuneError
	case s.high != 0 && utf16.DecodeRune(s.high, r) != utf8.RuneError:
		r, s.high = utf16.DecodeRune(s.high, r), 0
	case utf16.IsSurrogate(r):
		s.lone(out)
		s.high = r
		return
	}
	s.lone(out)
	out.WriteRune(r)
}

// lone writes U+FFFD for an incomplete surrogate pair.
func (s *Spoken) lone(out *strings.Builder) {
	if s.high != 0 {
		s.high = 0
		out.WriteRune(utf8.RuneError)
	}
}

// whole holds back the beginning of a character until it is complete: pieces may be split anywhere.
func (s *Spoken) whole(text string) string {
	text = string(s.partial) + text
	s.partial = s.partial[:0]
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRuneInString(last) {
				s.partial = append(s.partial, last...)
				text = text[:len(text)-n]
			}
			break
		}
	}
	return text
}
