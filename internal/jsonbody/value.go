package jsonbody

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/internal/shorten"
)

// Value reads one JSON value, within the limits of paramLimits, with its numbers unchanged. NUL and invalid
// text become U+FFFD.
func Value(raw []byte) (any, error) {
	value, mistakes, err := Read(bytes.ToValidUTF8(raw, []byte("\uFFFD")), paramLimits)
	if err == nil {
		err = mistakes.First()
	}
	if err == nil {
		err = checkNumbers(value)
	}
	return value, err
}

// Unread is the mistake of a value that Value rejected; what ends with "is" or "are".
func Unread(pointer, what string, err error) Mistake {
	code := "json"
	if unread, ok := errors.AsType[*Error](err); ok && unread.Reason == TooLarge {
		code = "too_large"
	}
	return Mistake{Pointer: pointer, Code: code, Message: fmt.Sprintf("%s %v.", what, err)}
}

// checkNumbers rejects numbers that would need excessive memory when written out.
func checkNumbers(value any) error {
	switch v := value.(type) {
	case json.Number:
		if !ordinary(string(v)) {
			return fmt.Errorf("a value with the number %s, which is too large, too small or too long", shorten.Characters(string(v), 40))
		}
	case []any:
		for _, inner := range v {
			if err := checkNumbers(inner); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, inner := range v {
			if err := checkNumbers(inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// ordinary reports whether a number fits a float64 and has a reasonable length.
func ordinary(n string) bool {
	if len(n) > 400 {
		return false
	}
	if at := strings.IndexAny(n, "eE"); at >= 0 {
		if exponent, err := strconv.Atoi(n[at+1:]); err != nil || exponent > 400 || exponent < -400 {
			return false
		}
	}
	_, err := strconv.ParseFloat(n, 64)
	return err == nil
}

// Encode writes JSON with sorted keys and without HTML escapes. It panics if the value cannot be encoded:
// values come from JSON or are structs of this module, so that is a bug.
func Encode(value any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("jsonbody: encode %T: %v", value, err))
	}
	return bytes.TrimSpace(out.Bytes())
}

// EncodeGiven is Encode of the fields of a struct that are not empty, in their order.
func EncodeGiven(fields any) json.RawMessage {
	v := reflect.ValueOf(fields)
	var out []string
	for _, field := range reflect.VisibleFields(v.Type()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if value := v.FieldByIndex(field.Index); !field.Anonymous && !value.IsZero() {
			out = append(out, strconv.Quote(name)+":"+string(Encode(value.Interface())))
		}
	}
	return json.RawMessage("{" + strings.Join(out, ",") + "}")
}

// Quote shortens and quotes a name that a model has invented.
func Quote(name string) string { return strconv.Quote(shorten.Characters(name, 80)) }
