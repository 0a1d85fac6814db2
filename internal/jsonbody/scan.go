package jsonbody

import (
	"errors"
	"math/bits"
	"strings"
)

// errNotJSON: the text is not one JSON value, or nested too deeply.
var errNotJSON = errors.New("not JSON")

// scanner reads the tokens of a text, and accepts only the grammar of RFC 8259.
type scanner struct {
	text  string
	at    int
	first bool // at the start of an object or list
}

// space advances to the next significant byte and returns it; 0 at the end of the text.
func (s *scanner) space() byte {
	for ; s.at < len(s.text); s.at++ {
		if c := s.text[s.at]; c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return max(c, 1) // NUL is a byte, too
		}
	}
	return 0
}

// begin enters an object or list.
func (s *scanner) begin() {
	s.at++
	s.first = true
}

// more advances to the next item of an object or list, or past its end.
func (s *scanner) more(end byte) (bool, error) {
	first := s.first
	s.first = false
	switch c := s.space(); {
	case c == end:
		s.at++
		return false, nil
	case first:
		return true, nil
	case c == ',':
		s.at++
		if s.space() == end {
			return false, errNotJSON
		}
		return true, nil
	}
	return false, errNotJSON
}

func (s *scanner) colon() error {
	if s.space() != ':' {
		return errNotJSON
	}
	s.at++
	return nil
}

func (s *scanner) word(word string) error {
	if !strings.HasPrefix(s.text[s.at:], word) {
		return errNotJSON
	}
	s.at += len(word)
	return nil
}

func (s *scanner) number() (string, error) {
	from := s.at
	if s.at < len(s.text) && s.text[s.at] == '-' {
		s.at++
	}
	whole := s.at
	if s.digits() == 0 || s.text[whole] == '0' && s.at > whole+1 {
		return "", errNotJSON
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		if s.digits() == 0 {
			return "", errNotJSON
		}
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		s.at++
		if s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			return "", errNotJSON
		}
	}
	return s.text[from:s.at], nil
}

// digits skips digits and counts them.
func (s *scanner) digits() int {
	from := s.at
	for s.at < len(s.text) && s.text[s.at]-'0' <= 9 {
		s.at++
	}
	return s.at - from
}

// quoted reads a string and returns the text between the quotes.
func (s *scanner) quoted() (string, error) {
	if s.space() != '"' {
		return "", errNotJSON
	}
	s.at++
	from := s.at
	for {
		s.at += plain(s.text[s.at:])
		switch {
		case s.at == len(s.text):
			return "", errNotJSON
		case s.text[s.at] == '"':
			s.at++
			return s.text[from : s.at-1], nil
		case s.text[s.at] != '\\':
			return "", errNotJSON // a control character
		}
		width := escapeWidth(s.text[s.at:])
		if width == 0 {
			return "", errNotJSON
		}
		s.at += width
	}
}

// escapeWidth is the length of an escape in bytes; 0 if it is invalid.
func escapeWidth(text string) int {
	if len(text) < 2 {
		return 0
	}
	if text[1] != 'u' {
		if unescape[text[1]] == 0 {
			return 0
		}
		return 2
	}
	const width = len(`\u0000`)
	if len(text) < width {
		return 0
	}
	for i := 2; i < width; i++ {
		if c := text[i] | 0x20; text[i]-'0' > 9 && (c < 'a' || c > 'f') {
			return 0
		}
	}
	return width
}

// eight loads the first eight bytes as a little-endian number.
func eight(b string) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// plain counts the bytes before the next quote, backslash or control character, eight at a time: nearly
// all of a large body is text.
func plain(text string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	at := 0
	for ; at+8 <= len(text); at += 8 {
		x := eight(text[at : at+8])
		quote, escape := x^('"'*ones), x^('\\'*ones)
		// The highest bit of a byte is set if it is one of the three. Bytes after the first match may be
		// wrong, and are not used.
		found := ((x-' '*ones)&^x | (quote-ones)&^quote | (escape-ones)&^escape) & high
		if found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for ; at < len(text); at++ {
		if c := text[at]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return at
}
