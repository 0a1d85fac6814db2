package jsonbody

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"
)

// Read reads one JSON value: nil, bool, string, json.Number, []any or map[string]any.
// The mistakes are of text that cannot be kept; with some, the value is not whole. The
// error is always an *Error.
func Read(text []byte, rules Rules) (any, *Mistakes, error) {
	if len(text) > rules.Bytes {
		return nil, nil, refuse(TooLarge, "larger than %d bytes", rules.Bytes)
	}
	if err := check(text); err != nil {
		return nil, nil, err
	}
	LetOthers(len(text))
	r := reader{text: string(text), lenient: rules.Lenient, mistakes: &Mistakes{}}
	value, err := r.value()
	switch {
	case errors.Is(err, errFull):
		return nil, r.mistakes, nil
	case err != nil:
		return nil, nil, err
	}
	return value, r.mistakes, nil
}

// largeText is what takes longer to look at than others should wait.
const largeText = 64 << 10

// LetOthers lets other requests run between two looks at a text of so many bytes: each
// look at a megabyte takes some milliseconds, and Go interrupts only after ten.
func LetOthers(bytes int) {
	if bytes >= largeText {
		runtime.Gosched()
	}
}

// check sees to it that the text is one JSON value, so that the reader need not.
func check(text []byte) error {
	if !utf8.Valid(text) {
		return refuse(Malformed, "not UTF-8")
	}
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
		return refuse(Malformed, "not JSON: it goes on after the end of the value")
	case strings.HasPrefix(wrong.Error(), "unexpected end"):
		return refuse(Malformed, "not JSON: it ends too early (near byte %d)", wrong.Offset)
	}
	return refuse(Malformed, "not JSON: %s (near byte %d)", wrong.Error(), wrong.Offset)
}

// tooDeep counts brackets outside of text.
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

// errFull ends the reading: as many mistakes as are told have been found.
var errFull = errors.New("as many mistakes as are told")

// reader walks over a text that is known to be JSON.
type reader struct {
	text     string
	at       int
	values   int
	lenient  bool
	path     Path
	mistakes *Mistakes
}

func (r *reader) value() (any, error) {
	if r.values++; r.values > MaxValues {
		return nil, refuse(TooLarge, "too much: it holds more than %d values", MaxValues)
	}
	r.space()
	switch r.text[r.at] {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return r.string()
	case 't':
		r.at += len("true")
		return true, nil
	case 'f':
		r.at += len("false")
		return false, nil
	case 'n':
		r.at += len("null")
		return nil, nil
	default:
		return r.number(), nil
	}
}

func (r *reader) object() (any, error) {
	out := map[string]any{}
	r.at++
	for r.more('}') {
		name, err := r.name()
		if err != nil {
			return nil, err
		}
		if _, twice := out[name]; twice && !r.lenient {
			return nil, refuse(Repeated, "ambiguous: one name stands twice in an object, at %s", r.path.String())
		}
		if out[name], err = r.value(); err != nil {
			return nil, err
		}
		r.path.Up()
	}
	return out, nil
}

const tooLong = "too_long"

// name reads the name of a field and the colon behind it. The reader then stands in the
// field.
func (r *reader) name() (string, error) {
	name, wrong := unquote(r.quoted())
	if len(name) > MaxName {
		wrong = &defect{tooLong, fmt.Sprintf("A name may have %d bytes at most.", MaxName)}
	}
	r.path.Name(name)
	err := r.note(wrong)
	r.space()
	r.at++ // the colon
	return name, err
}

func (r *reader) array() (any, error) {
	out := []any{}
	r.at++
	for r.more(']') {
		r.path.Index(len(out))
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		out = append(out, item)
		r.path.Up()
	}
	return out, nil
}

func (r *reader) string() (any, error) {
	text, wrong := unquote(r.quoted())
	return text, r.note(wrong)
}

// note keeps what is wrong with a text, where that is of interest.
func (r *reader) note(wrong *defect) error {
	if wrong == nil {
		return nil
	}
	if r.lenient && wrong.code != tooLong {
		r.mistakes.Mended = true
		return nil
	}
	r.mistakes.Add(&r.path, wrong.code, "%s", wrong.message)
	if r.mistakes.Full() {
		return errFull
	}
	return nil
}

func (r *reader) number() json.Number {
	from := r.at
	for r.at < len(r.text) && strings.IndexByte("+-.0123456789Ee", r.text[r.at]) >= 0 {
		r.at++
	}
	return json.Number(r.text[from:r.at])
}

// quoted passes over a string and gives what stands between the quotes.
func (r *reader) quoted() string {
	r.at++
	from := r.at
	for r.text[r.at] != '"' {
		if r.text[r.at] == '\\' {
			r.at++
		}
		r.at++
	}
	r.at++
	return r.text[from : r.at-1]
}

// more goes to the next item of an object or list, or past its end.
func (r *reader) more(end byte) bool {
	if r.space(); r.text[r.at] == ',' {
		r.at++
		r.space()
	}
	if r.text[r.at] != end {
		return true
	}
	r.at++
	return false
}

func (r *reader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}
