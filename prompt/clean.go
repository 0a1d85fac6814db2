package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// cleanText replaces NUL and invalid UTF-8, which databases and APIs reject.
func cleanText(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// cleanJSON checks that text is one JSON value within the limits, and returns it unchanged except
// for NUL and lone surrogates in strings, escaped or not, which become U+FFFD.
func cleanJSON(text string) (json.RawMessage, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	value, mistakes, err := jsonbody.Read([]byte(text), jsonbody.Answer)
	if err == nil {
		err = mistakes.First()
	}
	if err != nil {
		return nil, err
	}
	if !mistakes.Replaced {
		return json.RawMessage(text), nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("write the arguments again: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// isObject reports whether the bytes are one valid JSON object.
func isObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == '{' && json.Valid(b)
}

// CutMiddle keeps the beginning and the end of a long text, at most limit bytes, and marks the cut.
func CutMiddle(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const gap = "\n[… cut here …]\n"
	head := max(0, limit*2/3-len(gap))
	tail := text[len(text)-limit/3:]
	return cleanText(strings.ToValidUTF8(text[:head], "")) + gap + cleanText(strings.ToValidUTF8(tail, ""))
}
