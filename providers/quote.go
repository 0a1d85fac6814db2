package providers

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// plain marks the bytes that need no escape in a JSON string.
var plain = func() (t [256]bool) {
	for i := range t {
		t[i] = i >= 0x20 && i != '"' && i != '\\'
	}
	return t
}()

// AppendString appends s as a JSON string with its quotes.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, s)
	return append(dst, '"')
}

// AppendEscaped appends s as the inside of a JSON string. Invalid UTF-8 and NUL become U+FFFD: some
// servers reject the whole request otherwise.
func AppendEscaped(dst []byte, s string) []byte {
	valid := utf8.ValidString(s)
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] && (c < utf8.RuneSelf || valid) {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i++
		start = i
	}
	return append(dst, s[start:]...)
}

func appendEscape(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c == '\n':
		return append(dst, '\\', 'n')
	case c == '\t':
		return append(dst, '\\', 't')
	case c == '\r':
		return append(dst, '\\', 'r')
	case c == 0 || c >= utf8.RuneSelf:
		return append(dst, "\uFFFD"...)
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}
