package jsonbody

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Fill decodes a text that Read has accepted into the value that dst points to, like Unmarshal. It does
// not validate the JSON again, and skips raw values. What it does not support it leaves to Unmarshal,
// including errors.
func Fill(text []byte, dst any) error {
	v := reflect.ValueOf(dst).Elem()
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	f := filler{scanner{text: string(text)}}
	if f.value(v) == nil && f.space() == 0 {
		return nil
	}
	v.Set(before)
	return Unmarshal(text, dst)
}

// filler decodes a text by the type of its destination.
type filler struct{ scanner }

func (f *filler) value(v reflect.Value) error {
	form := formOf(v.Type())
	c := f.space()
	switch {
	case form.raw || form.own && v.Kind() != reflect.Pointer:
		return f.asItIs(v, form)
	case c == 'n':
		if k := v.Kind(); k == reflect.Pointer || k == reflect.Map || k == reflect.Slice {
			v.SetZero()
		}
		return f.word("null")
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return f.value(v.Elem())
	case reflect.Struct:
		return f.object(v, form)
	case reflect.Map:
		return f.mapping(v)
	case reflect.Slice:
		return f.list(v)
	default:
		return f.scalar(v)
	}
}

// asItIs passes its part of the text to a type that decodes itself.
func (f *filler) asItIs(v reflect.Value, form *form) error {
	from := f.at
	if err := f.skip(); err != nil {
		return err
	}
	part := []byte(f.text[from:f.at])
	if form.raw {
		v.SetBytes(part)
		return nil
	}
	return json.Unmarshal(part, v.Addr().Interface()) //nolint:wrapcheck // Fill leaves it to Unmarshal
}

func (f *filler) object(v reflect.Value, form *form) error {
	if f.space() != '{' {
		return errNotJSON
	}
	for f.begin(); ; {
		name, more, err := f.field()
		if !more || err != nil {
			return err
		}
		at, known := form.fields[name]
		if !known {
			return errNotJSON // json.Unmarshal also accepts names of another case
		}
		if err := f.value(v.Field(at)); err != nil {
			return err
		}
	}
}

func (f *filler) mapping(v reflect.Value) error {
	if f.space() != '{' {
		return errNotJSON
	}
	t := v.Type()
	if v.IsNil() {
		v.Set(reflect.MakeMap(t))
	}
	for f.begin(); ; {
		name, more, err := f.field()
		if !more || err != nil {
			return err
		}
		item := reflect.New(t.Elem()).Elem()
		if err := f.value(item); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(strings.Clone(name)).Convert(t.Key()), item)
	}
}

func (f *filler) list(v reflect.Value) error {
	if f.space() != '[' {
		return errNotJSON
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for f.begin(); ; {
		if more, err := f.more(']'); !more {
			return err
		}
		n := v.Len()
		v.Grow(1)
		v.SetLen(n + 1)
		if err := f.value(v.Index(n)); err != nil {
			return err
		}
	}
}

// field advances to the next field of an object, or past its end.
func (f *filler) field() (name string, more bool, err error) {
	if more, err := f.more('}'); !more {
		return "", false, err
	}
	if name, err = f.plainText(); err != nil {
		return "", false, err
	}
	return name, true, f.colon()
}

// plainText returns a text without defects: Read has reported those.
func (f *filler) plainText() (string, error) {
	quoted, err := f.quoted()
	if err != nil {
		return "", err
	}
	text, wrong := unquote(quoted)
	if wrong != nil {
		return "", errNotJSON
	}
	return text, nil
}

func (f *filler) scalar(v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		text, err := f.plainText()
		if err != nil {
			return err
		}
		v.SetString(strings.Clone(text)) // a short text must not keep the whole body in memory
		return nil
	case reflect.Bool:
		yes := f.space() == 't'
		v.SetBool(yes)
		return f.word(strconv.FormatBool(yes))
	}
	number, err := f.number()
	if err != nil {
		return err
	}
	if v.Kind() == reflect.Float64 {
		n, err := strconv.ParseFloat(number, 64)
		v.SetFloat(n)
		return err //nolint:wrapcheck // json.Unmarshal describes it
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err == nil && v.OverflowInt(n) {
		err = strconv.ErrRange
	}
	v.SetInt(n)
	return err //nolint:wrapcheck // json.Unmarshal describes it
}

// skip skips a value.
func (f *filler) skip() error {
	switch c := f.space(); c {
	case '{', '[':
		for f.begin(); ; {
			if more, err := f.more(c + 2); !more { // closing brackets follow two code points after opening ones
				return err
			}
			if c == '{' {
				if _, err := f.quoted(); err != nil {
					return err
				}
				if err := f.colon(); err != nil {
					return err
				}
			}
			if err := f.skip(); err != nil {
				return err
			}
		}
	case '"':
		_, err := f.quoted()
		return err
	case 't':
		return f.word("true")
	case 'f':
		return f.word("false")
	case 'n':
		return f.word("null")
	default:
		_, err := f.number()
		return err
	}
}

// form is how a type is decoded.
type form struct {
	raw    bool // takes its part of the text unchanged
	own    bool // is left to json.Unmarshal
	fields map[string]int
}

var (
	forms           sync.Map // by type
	rawMessageType  = reflect.TypeFor[json.RawMessage]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	textType        = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func formOf(t reflect.Type) *form {
	if known, ok := forms.Load(t); ok {
		return known.(*form)
	}
	f := &form{raw: t == rawMessageType}
	to := reflect.PointerTo(t)
	f.own = to.Implements(unmarshalerType) || to.Implements(textType)
	switch t.Kind() {
	case reflect.Struct:
		f.fields = fieldsOf(t)
		f.own = f.own || f.fields == nil
	case reflect.Map:
		f.own = f.own || t.Key().Kind() != reflect.String || reflect.PointerTo(t.Key()).Implements(textType)
	case reflect.Slice:
		f.own = f.own || t.Elem().Kind() == reflect.Uint8 // base64
	case reflect.Pointer, reflect.String, reflect.Bool, reflect.Float64, reflect.Int, reflect.Int64:
	default:
		f.own = true
	}
	forms.Store(t, f)
	return f
}

// fieldsOf maps the JSON names of a struct's fields to their indexes; nil for a struct that Fill does not
// support.
func fieldsOf(t reflect.Type) map[string]int {
	out := map[string]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous || strings.Contains(options, "string"):
			return nil
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			name = f.Name
		}
		if _, twice := out[name]; twice {
			return nil
		}
		out[name] = i
	}
	return out
}
