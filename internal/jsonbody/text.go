package jsonbody

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// defect is a problem of a text that can be decoded.
type defect struct{ code, message string }

var (
	hasNUL       = &defect{"nul", "Text must not contain the character NUL."}
	hasSurrogate = &defect{"lone_surrogate", "Text must not contain half of a surrogate pair."}
)

// unquote decodes the escapes of a quoted string. What a database cannot store or other programs cannot
// read (NUL, half of a surrogate pair) is a defect, and becomes U+FFFD.
func unquote(quoted string) (string, *defect) {
	next := strings.IndexByte(quoted, '\\')
	if next < 0 {
		return quoted, nil
	}
	var wrong *defect
	out := make([]byte, 0, len(quoted))
	for ; next >= 0; next = strings.IndexByte(quoted, '\\') {
		out = append(out, quoted[:next]...)
		if quoted[next+1] != 'u' {
			out = append(out, unescape[quoted[next+1]])
			quoted = quoted[next+2:]
			continue
		}
		char, width, defect := unicodeEscape(quoted[next:])
		if wrong == nil {
			wrong = defect
		}
		out = utf8.AppendRune(out, char)
		quoted = quoted[next+width:]
	}
	return string(append(out, quoted...)), wrong
}

var unescape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unicodeEscape decodes \uXXXX, or a pair of them.
func unicodeEscape(text string) (char rune, width int, wrong *defect) {
	const one, pair = len(`\u0000`), len(`\u0000\u0000`)
	char = hex4(text[2:])
	switch {
	case char == 0:
		return utf8.RuneError, one, hasNUL
	case !utf16.IsSurrogate(char):
		return char, one, nil
	case len(text) >= pair && text[one:one+2] == `\u`:
		if both := utf16.DecodeRune(char, hex4(text[one+2:])); both != utf8.RuneError {
			return both, pair, nil
		}
	}
	return utf8.RuneError, one, hasSurrogate
}

// hex4 decodes four hexadecimal digits, which the caller has validated.
func hex4(text string) rune {
	n, _ := strconv.ParseUint(text[:4], 16, 16)
	return rune(n)
}
