package jsonbody

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// slowRead is Read in three passes: encoding/json says whether the text is JSON, and only
// then is it read. What Read makes of a text must be the same.
func slowRead(text []byte, rules Rules) (any, *Mistakes, error) {
	if len(text) > rules.Bytes {
		return nil, nil, refuse(TooLarge, "larger than %d bytes", rules.Bytes)
	}
	if !utf8.Valid(text) {
		return nil, nil, refuse(Malformed, "not UTF-8")
	}
	if err := check(text); err != nil {
		return nil, nil, err
	}
	r := slowReader{text: string(text), lenient: rules.Lenient, mistakes: &Mistakes{}}
	value, err := r.value()
	switch {
	case errors.Is(err, errFull):
		return nil, r.mistakes, nil
	case err != nil:
		return nil, nil, err
	}
	return value, r.mistakes, nil
}

// slowReader walks over a text that is known to be JSON.
type slowReader struct {
	text     string
	at       int
	values   int
	lenient  bool
	path     Path
	mistakes *Mistakes
}

func (r *slowReader) value() (any, error) {
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

func (r *slowReader) object() (any, error) {
	out := map[string]any{}
	r.at++
	for r.more('}') {
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
	return out, nil
}

// name reads the name of a field and the colon after it. The slowReader is then in the
// field.
func (r *slowReader) name() (string, error) {
	name, wrong := unquote(r.quoted())
	if len(name) > MaxName {
		wrong = &defect{tooLong, fmt.Sprintf("A name may have at most %d bytes.", MaxName)}
	}
	r.path.Name(name)
	err := r.note(wrong)
	r.space()
	r.at++ // the colon
	return name, err
}

func (r *slowReader) array() (any, error) {
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

func (r *slowReader) string() (any, error) {
	text, wrong := unquote(r.quoted())
	return text, r.note(wrong)
}

// note keeps what is wrong with a text, where that is of interest.
func (r *slowReader) note(wrong *defect) error {
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

func (r *slowReader) number() json.Number {
	from := r.at
	for r.at < len(r.text) && strings.IndexByte("+-.0123456789Ee", r.text[r.at]) >= 0 {
		r.at++
	}
	return json.Number(r.text[from:r.at])
}

// quoted reads a string and returns the text between the quotes.
func (r *slowReader) quoted() string {
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
func (r *slowReader) more(end byte) bool {
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

func (r *slowReader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}
