// Package exactjson reads JSON whose names count letter by letter. encoding/json takes "AUD"
// for "aud" and lets the last of two equal names win, so that two readers of one text can see
// two texts: what was signed or approved is then not what is used. Whatever carries a
// signature, or is approved by its hash, is read here, and so is all that other servers send
// beside it.
package exactjson

import (
	"bytes"
	stdjson "encoding/json"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unmarshal is for what was signed, or is approved by its hash. A name that occurs twice in an
// object, at any depth, and text that is not UTF-8 are errors: nobody can say which of two
// readings was meant.
func Unmarshal(text []byte, dst any) error {
	return wrong(json.Unmarshal(text, dst))
}

// Closed is Unmarshal of nothing but the members that dst has.
func Closed(text []byte, dst any) error {
	return wrong(json.Unmarshal(text, dst, json.RejectUnknownMembers(true)))
}

// Lenient is for what nobody signed or approves, such as the result of a call. Names are
// exact; of two equal ones the last counts, and bytes that are not UTF-8 become U+FFFD.
func Lenient(text []byte, dst any) error {
	return wrong(json.Unmarshal(text, dst, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)))
}

// Object reads an object with its numbers as they are written, for a hash over all of it.
func Object(text []byte) (map[string]any, error) {
	var members map[string]jsontext.Value
	if err := Unmarshal(text, &members); err != nil {
		return nil, err
	}
	decoder := stdjson.NewDecoder(bytes.NewReader(text)) // a map has no names to confuse
	decoder.UseNumber()
	var object map[string]any
	return object, wrong(decoder.Decode(&object))
}

// Error says what is wrong with a text. It is never io.ErrUnexpectedEOF, which the library
// reports of a text that ends early: nothing is wrong with the connection it came over.
type Error struct{ reason string }

func (e *Error) Error() string { return "read JSON: " + e.reason }

func wrong(err error) error {
	if err == nil {
		return nil
	}
	return &Error{err.Error()}
}
