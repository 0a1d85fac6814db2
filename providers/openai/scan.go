package openai

import (
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

var errNotJSON = errors.New("not JSON")

// scanner walks one JSON text in a single pass and builds nothing: the caller takes
// the few values it needs and skips the others. What is taken is checked; what is
// skipped is only checked for balanced brackets and closed strings.
//
// After a mistake bad is set and every method ends at once, so that loops stop.
type scanner struct {
	b   []byte
	i   int
	bad bool
}

func (s *scanner) fail() {
	s.bad = true
	s.i = len(s.b)
}

// peek is the next byte that is not white space, 0 at the end.
func (s *scanner) peek() byte {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return c
		}
	}
	return 0
}

// open enters an object or a list ('{' or '['); false: it is empty, or not one.
func (s *scanner) open(c byte) bool {
	if s.peek() != c {
		s.fail()
		return false
	}
	s.i++
	if s.peek() == c+2 { // '}' is '{'+2 and ']' is '['+2
		s.i++
		return false
	}
	return true
}

// next goes to the following member; false: that was the last one.
func (s *scanner) next(c byte) bool {
	switch s.peek() {
	case ',':
		s.i++
		return true
	case c + 2:
		s.i++
		return false
	}
	s.fail()
	return false
}

// key reads a member's name and its colon. The bytes are valid until the next call.
func (s *scanner) key() []byte {
	if s.peek() != '"' {
		s.fail()
		return nil
	}
	start := s.i + 1
	for i := start; i < len(s.b); i++ {
		switch s.b[i] {
		case '"':
			s.i = i + 1
			return s.colon(s.b[start:i])
		case '\\':
			return s.colon(s.text(nil))
		}
	}
	s.fail()
	return nil
}

func (s *scanner) colon(key []byte) []byte {
	if s.peek() != ':' {
		s.fail()
		return nil
	}
	s.i++
	return key
}

// raw skips a value and returns its bytes, which belong to the text.
func (s *scanner) raw() []byte {
	s.peek()
	start := s.i
	s.skip()
	if s.bad {
		return nil
	}
	return s.b[start:s.i]
}

// null takes a null; false: the value is something else and still to be read.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.skip()
	return true
}

// skip passes over one value.
func (s *scanner) skip() {
	switch s.peek() {
	case '"':
		s.skipString()
	case '{', '[':
		s.skipNested()
	default:
		s.skipWord()
	}
}

func (s *scanner) skipString() {
	for i := s.i + 1; i < len(s.b); i++ {
		switch s.b[i] {
		case '\\':
			i++
		case '"':
			s.i = i + 1
			return
		}
	}
	s.fail()
}

// skipNested counts brackets and does not recurse: depth costs no stack.
func (s *scanner) skipNested() {
	depth := 0
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case '"':
			s.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				s.i++
				return
			}
		}
		s.i++
	}
	s.fail()
}

// skipWord passes over a number, true, false or null, and over NaN and Infinity, which some
// servers write for a number that is none.
func (s *scanner) skipWord() {
	start := s.i
	for s.i < len(s.b) {
		c := s.b[s.i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.') {
			break
		}
		s.i++
	}
	if s.i == start {
		s.fail()
	}
}

// number reads a small whole number; anything else gives ok false and is skipped.
func (s *scanner) number() (n int, ok bool) {
	word := s.raw()
	if len(word) == 0 || len(word) > 9 {
		return 0, false
	}
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// text appends the string that comes next to dst. Invalid UTF-8, lone surrogates and
// NUL become U+FFFD.
func (s *scanner) text(dst []byte) []byte {
	if s.peek() != '"' {
		s.fail()
		return dst
	}
	s.i++
	start := s.i
	for s.i < len(s.b) {
		c := s.b[s.i]
		switch {
		case c == '"':
			dst = append(dst, s.b[start:s.i]...)
			s.i++
			return dst
		case c == '\\':
			dst = append(dst, s.b[start:s.i]...)
			dst = s.escape(dst)
			start = s.i
		case c == 0:
			dst = append(append(dst, s.b[start:s.i]...), "\uFFFD"...)
			s.i++
			start = s.i
		case c < utf8.RuneSelf:
			s.i++
		default:
			r, size := utf8.DecodeRune(s.b[s.i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s.b[start:s.i]...), "\uFFFD"...)
				start = s.i + 1
			}
			s.i += size
		}
	}
	s.fail()
	return dst
}

// escape reads one escape, with s.i at its backslash.
func (s *scanner) escape(dst []byte) []byte {
	if s.i+1 >= len(s.b) {
		s.fail()
		return dst
	}
	c := s.b[s.i+1]
	s.i += 2
	switch c {
	case '"', '\\', '/':
		return append(dst, c)
	case 'b':
		return append(dst, '\b')
	case 'f':
		return append(dst, '\f')
	case 'n':
		return append(dst, '\n')
	case 'r':
		return append(dst, '\r')
	case 't':
		return append(dst, '\t')
	case 'u':
		return s.unicode(dst)
	}
	s.fail()
	return dst
}

// unicode reads the four digits after \u, and the second half of a surrogate pair.
func (s *scanner) unicode(dst []byte) []byte {
	r := hex4(s.b, s.i)
	if r < 0 {
		s.fail()
		return dst
	}
	s.i += 4
	if utf16.IsSurrogate(r) {
		second := rune(-1)
		if s.i+1 < len(s.b) && s.b[s.i] == '\\' && s.b[s.i+1] == 'u' {
			second = hex4(s.b, s.i+2)
		}
		if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
			s.i += 6
		}
	}
	if r == 0 {
		r = utf8.RuneError
	}
	return utf8.AppendRune(dst, r)
}

// hex4 is the number in the four hexadecimal digits at i, -1 if they are not there.
func hex4(b []byte, i int) rune {
	if i+4 > len(b) {
		return -1
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// end says whether the whole text was one good value.
func (s *scanner) end() bool { return s.peek() == 0 && s.i == len(s.b) && !s.bad }
