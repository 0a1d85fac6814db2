package providers

import "bytes"

// Lenient replaces values that are not valid JSON (NaN, Infinity) with null: some servers write
// them in fields that are not needed. Everything else is unchanged, valid or not.
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

// notANumber returns the length of such a value at the beginning of data; 0: none.
func notANumber(data []byte) int {
	for _, word := range []string{"NaN", "Infinity", "-Infinity", "-NaN"} {
		if bytes.HasPrefix(data, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// ByteOrderMark is sent by some servers before a stream. It is not part of it.
var ByteOrderMark = []byte("\xef\xbb\xbf")

// IsObject reports whether an event's data can be part of an answer. Servers also send null, "ping"
// or numbers to keep a connection open.
func IsObject(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte{'{'}) }
