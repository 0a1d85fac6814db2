package jsonbody

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"
)

// Read reads one JSON value: nil, bool, string, json.Number, []any or map[string]any. The mistakes are
// texts that cannot be stored; if there are any, the value is incomplete. The error is always an *Error.
func Read(text []byte, rules Rules) (any, *Mistakes, error) {
	if len(text) > rules.Bytes {
		return nil, nil, refuse(TooLarge, "larger than %d bytes", rules.Bytes)
	}
	if !utf8.Valid(text) {
		return nil, nil, refuse(Malformed, "not UTF-8")
	}
	LetOthers(len(text))
	r := reader{scanner: scanner{text: string(text)}, lenient: rules.Lenient, mistakes: &Mistakes{}}
	value, err := r.whole()
	if err != nil {
		// One pass stops at the first error. The report must not depend on its position: that the text is
		// not JSON takes precedence over any other error.
		if malformed := check(text); malformed != nil {
			return nil, nil, malformed
		}
	}
	switch {
	case errors.Is(err, errFull):
		return nil, r.mistakes, nil
	case err != nil:
		return nil, nil, err
	}
	return value, r.mistakes, nil
}

// largeText is a text whose processing takes longer than other requests should wait.
const largeText = 64 << 10

// LetOthers yields to other goroutines between two passes over a text of the given size: each pass over a
// megabyte takes some milliseconds, and Go preempts only after ten.
func LetOthers(bytes int) {
	if bytes >= largeText {
		runtime.Gosched()
	}
}

// check returns an error for a text that is not one JSON value.
func check(text []byte) error {
	if tooDeep(text) {
		return refuse(TooDeep, "nested more than %d deep", MaxDepth)
	}
	LetOthers(len(text))
	if json.Valid(text) {
		return nil
	}
	err := json.Unmarshal(text, new(json.RawMessage))
	wrong, ok := errors.AsType[*json.SyntaxError](err)
	switch {
	case !ok:
		return refuse(Malformed, "not JSON")
	case strings.HasSuffix(wrong.Error(), "after top-level value"):
		return refuse(Malformed, "not JSON: there is text after the end of the value")
	case strings.HasPrefix(wrong.Error(), "unexpected end"):
		return refuse(Malformed, "not JSON: it ends too early (near byte %d)", wrong.Offset)
	}
	return refuse(Malformed, "not JSON: %s (near byte %d)", wrong.Error(), wrong.Offset)
}

// tooDeep checks the nesting by counting brackets outside of strings.
func tooDeep(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return false
}

// errFull stops reading: the maximum number of mistakes has been found.
var errFull = errors.New("too many mistakes")

// reader decodes a text and validates the JSON at the same time.
type reader struct {
	scanner
	depth    int
	values   int
	lenient  bool
	path     Path
	mistakes *Mistakes
}

// whole reads the value and rejects any text after it.
func (r *reader) whole() (any, error) {
	value, err := r.value()
	if err == nil && r.space() != 0 {
		err = errNotJSON
	}
	return value, err
}

func (r *reader) value() (any, error) {
	if r.values++; r.values > MaxValues {
		return nil, refuse(TooLarge, "too much: it holds more than %d values", MaxValues)
	}
	switch r.space() {
	case '{':
		return r.nested(r.object)
	case '[':
		return r.nested(r.array)
	case '"':
		return r.string()
	case 't':
		return true, r.word("true")
	case 'f':
		return false, r.word("false")
	case 'n':
		return nil, r.word("null")
	default:
		number, err := r.number()
		return json.Number(number), err
	}
}

// nested reads a compound value, within the maximum depth.
func (r *reader) nested(read func() (any, error)) (any, error) {
	if r.depth++; r.depth > MaxDepth {
		return nil, errNotJSON // check describes it
	}
	value, err := read()
	r.depth--
	return value, err
}

func (r *reader) object() (any, error) {
	out := map[string]any{}
	for r.begin(); ; {
		if more, err := r.more('}'); !more {
			return out, err
		}
		name, err := r.name()
		if err != nil {
			return nil, err
		}
		if _, twice := out[name]; twice && !r.lenient {
			return nil, refuse(Repeated, "ambiguous: one name occurs twice in an object, at %s", r.path.String())
		}
		if out[name], err = r.value(); err != nil {
			return nil, err
		}
		r.path.Up()
	}
}

const tooLong = "too_long"

// name reads the name of a field and the colon after it, and enters the field.
func (r *reader) name() (string, error) {
	quoted, err := r.quoted()
	if err != nil {
		return "", err
	}
	name, wrong := unquote(quoted)
	if len(name) > MaxName {
		wrong = &defect{tooLong, fmt.Sprintf("A name may have at most %d bytes.", MaxName)}
	}
	r.path.Name(name)
	if err := r.note(wrong); err != nil {
		return "", err
	}
	return name, r.colon()
}

func (r *reader) array() (any, error) {
	out := []any{}
	for r.begin(); ; {
		if more, err := r.more(']'); !more {
			return out, err
		}
		r.path.Index(len(out))
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		out = append(out, item)
		r.path.Up()
	}
}

func (r *reader) string() (any, error) {
	quoted, err := r.quoted()
	if err != nil {
		return nil, err
	}
	text, wrong := unquote(quoted)
	return text, r.note(wrong)
}

// note records a defect of a text, unless the reader is lenient.
func (r *reader) note(wrong *defect) error {
	if wrong == nil {
		return nil
	}
	if r.lenient && wrong.code != tooLong {
		r.mistakes.Replaced = true
		return nil
	}
	r.mistakes.Add(&r.path, wrong.code, "%s", wrong.message)
	if r.mistakes.Full() {
		return errFull
	}
	return nil
}
