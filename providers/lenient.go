package providers

import "bytes"

// Lenient gives JSON in which words that are no values of JSON (NaN, Infinity) are null: some
// servers write them for numbers that are none, in members that nobody needs. Anything else
// stays as it is, valid or not.
func Lenient(data []byte) []byte {
	var out []byte
	inString, kept := false, 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == 'N' || c == 'I' || c == '-':
			word := notANumber(data[i:])
			if word == 0 {
				continue
			}
			out = append(append(out, data[kept:i]...), "null"...)
			i += word - 1
			kept = i + 1
		}
	}
	if out == nil {
		return data
	}
	return append(out, data[kept:]...)
}

// notANumber is the length of the word at the beginning that stands for no number; 0: none.
func notANumber(data []byte) int {
	for _, word := range []string{"NaN", "Infinity", "-Infinity", "-NaN"} {
		if bytes.HasPrefix(data, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// ByteOrderMark is what some servers put before a stream. It is no part of it.
var ByteOrderMark = []byte("\xef\xbb\xbf")

// IsObject says whether data of an event can be a piece of an answer. Servers put other
// things between them to keep a connection open: null, the word ping, a number.
func IsObject(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte{'{'}) }
