// Package exactjson decodes JSON with exact names. encoding/json accepts "AUD" for "aud" and the last of two
// equal names, so that two readers can see different content: what was signed or approved is then not what is
// used. Everything that is signed, or approved by its hash, is decoded here, and so is all other JSON from
// external servers.
package exactjson

import (
	"bytes"
	stdjson "encoding/json"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unmarshal decodes JSON that was signed, or is approved by its hash. A name that occurs twice in an object, at
// any depth, and invalid UTF-8 are errors: the content would be ambiguous.
func Unmarshal(text []byte, dst any) error {
	return wrong(json.Unmarshal(text, dst))
}

// Closed is Unmarshal that rejects unknown members.
func Closed(text []byte, dst any) error {
	return wrong(json.Unmarshal(text, dst, json.RejectUnknownMembers(true)))
}

// Lenient decodes JSON that is neither signed nor approved, such as the result of a call. Names are exact; of
// two equal ones the last counts, and invalid UTF-8 becomes U+FFFD.
func Lenient(text []byte, dst any) error {
	return wrong(json.Unmarshal(text, dst, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)))
}

// Object decodes an object with its numbers unchanged, to be hashed.
func Object(text []byte) (map[string]any, error) {
	var members map[string]jsontext.Value
	if err := Unmarshal(text, &members); err != nil {
		return nil, err
	}
	decoder := stdjson.NewDecoder(bytes.NewReader(text)) // a map has no field names to confuse
	decoder.UseNumber()
	var object map[string]any
	return object, wrong(decoder.Decode(&object))
}

// Error is invalid JSON. It is never io.ErrUnexpectedEOF, which the library returns for a truncated text: that
// would look like an error of the connection.
type Error struct{ reason string }

func (e *Error) Error() string { return "read JSON: " + e.reason }

func wrong(err error) error {
	if err == nil {
		return nil
	}
	return &Error{err.Error()}
}
