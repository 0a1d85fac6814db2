package prompt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth  = 64
	maxAnswer = 2 << 20 // bytes
)

// cleanText replaces what no database and no API takes: NUL and invalid UTF-8.
func cleanText(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// cleanJSON checks that text is one JSON value and gives it back as it stands, but for
// NUL and lone surrogates in strings, escaped or not, which become U+FFFD.
func cleanJSON(text string) (json.RawMessage, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !json.Valid([]byte(text)) {
		return nil, decode(text, new(any))
	}
	if !strings.Contains(text, `\u`) {
		return json.RawMessage(text), nil
	}
	var value any
	if err := decode(text, &value); err != nil {
		return nil, err
	}
	again, changed := withoutNUL(value)
	if !changed && !strings.Contains(strings.ToLower(text), `\ud`) {
		return json.RawMessage(text), nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(again); err != nil {
		return nil, fmt.Errorf("write the arguments again: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

func decode(text string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errTrailing
	}
	return nil
}

var errTrailing = errors.New("there is something after the end of the object")

func withoutNUL(value any) (any, bool) {
	changed := false
	switch v := value.(type) {
	case string:
		if strings.IndexByte(v, 0) >= 0 {
			return strings.ReplaceAll(v, "\x00", "\uFFFD"), true
		}
	case []any:
		for i := range v {
			again, c := withoutNUL(v[i])
			v[i], changed = again, changed || c
		}
	case map[string]any:
		for key, inner := range v {
			again, c := withoutNUL(inner)
			name, k := withoutNUL(key)
			if k {
				delete(v, key)
			}
			v[name.(string)] = again
			changed = changed || c || k
		}
	}
	return value, changed
}

// isObject says whether the bytes are one valid JSON object.
func isObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == '{' && json.Valid(b)
}

// deeper says whether brackets are nested deeper than n, outside of strings.
func deeper(text string, n int) bool {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > n {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// syntaxProblem says what is wrong with JSON, shortly.
func syntaxProblem(err error) string {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "they end in the middle"
	case errors.As(err, &syntax):
		return fmt.Sprintf("%s, at byte %d", syntax.Error(), syntax.Offset)
	}
	return err.Error()
}

// cut shortens a name that is quoted back.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
