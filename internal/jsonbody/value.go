package jsonbody

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Value reads one JSON value, within the ceilings of Params, with its numbers as they are
// written. NUL and what is no text become U+FFFD.
func Value(raw []byte) (any, error) {
	value, mistakes, err := Read(bytes.ToValidUTF8(raw, []byte("\uFFFD")), Params)
	if err == nil {
		err = mistakes.First()
	}
	if err == nil {
		err = checkNumbers(value)
	}
	return value, err
}

// Unread is the mistake of a value that Value did not read; what ends with "is" or "are".
func Unread(pointer, what string, err error) Mistake {
	code := "json"
	if unread, ok := errors.AsType[*Error](err); ok && unread.Reason == TooLarge {
		code = "too_large"
	}
	return Mistake{Pointer: pointer, Code: code, Message: fmt.Sprintf("%s %v.", what, err)}
}

// checkNumbers refuses numbers that would take all memory once they are written out.
func checkNumbers(value any) error {
	switch v := value.(type) {
	case json.Number:
		if !ordinary(string(v)) {
			return fmt.Errorf("the number %s is too large, too small or too long", Cut(string(v), 40))
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

// ordinary says that a number fits a float64 and is not absurdly long.
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

// Encode writes JSON with sorted keys and without the escapes meant for HTML. The value
// comes from JSON or is a struct of this module: one that cannot be written is a mistake
// in the program.
func Encode(value any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("jsonbody: encode %T: %v", value, err))
	}
	return bytes.TrimSpace(out.Bytes())
}

// Quote shortens a name that a model made up and puts it in quotes.
func Quote(name string) string { return strconv.Quote(Cut(name, 80)) }
