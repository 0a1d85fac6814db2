package commands

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// object makes the schema of an object from its properties.
func object(properties string, required ...string) json.RawMessage {
	schema := `{"type": "object", "properties": {` + properties + `}, "additionalProperties": false`
	if len(required) > 0 {
		names, _ := json.Marshal(required) // strings only: it cannot fail
		schema += `, "required": ` + string(names)
	}
	return compact(schema + "}")
}

func compact(text string) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		panic(fmt.Sprintf("commands: a built-in schema is not JSON: %v: %s", err, text))
	}
	return out.Bytes()
}

const flagProperties = `"repeat": {"type": "boolean", "description": "Run it although the same action ran just before."},
	"validation_request": {"type": "boolean", "description": "Ask the person for a yes before it runs."}`

// withFlags adds to an action's schema the params that every action takes.
func withFlags(own json.RawMessage) json.RawMessage {
	text := string(own)
	const opening = `"properties":{`
	at := strings.Index(text, opening) + len(opening)
	comma := ","
	if text[at] == '}' {
		comma = ""
	}
	return compact(text[:at] + flagProperties + comma + text[at:])
}

// decode reads params that fit their schema already.
func decode[P any](params json.RawMessage) (P, error) {
	var p P
	decoder := json.NewDecoder(bytes.NewReader(params))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return p, domain.Invalid("", "params", "The params cannot be read: %v.", err)
	}
	return p, nil
}

// flags are the params that every action takes beside its own.
type flags struct {
	repeat     bool
	validation bool
}

// canonical reads a model's params, takes the flags off an action's, and gives them
// back with sorted keys and no spaces, so that the same request has the same bytes.
// Null counts as absent; NUL becomes U+FFFD, which every database takes.
func canonical(params json.RawMessage, action bool) (json.RawMessage, flags, error) {
	var f flags
	if len(bytes.TrimSpace(params)) == 0 {
		return json.RawMessage("{}"), f, nil
	}
	value, err := parseJSON(params)
	if err != nil {
		return nil, f, unreadJSON("", "The params are", err)
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, f, domain.Invalid("", "type", "The params are an object, like {}.")
	}
	for name, v := range fields {
		if v == nil {
			delete(fields, name)
		}
	}
	if action {
		if f.repeat, err = takeFlag(fields, "repeat"); err != nil {
			return nil, f, err
		}
		if f.validation, err = takeFlag(fields, "validation_request"); err != nil {
			return nil, f, err
		}
	}
	return encode(fields), f, nil
}

func takeFlag(fields map[string]any, name string) (bool, error) {
	value, ok := fields[name]
	if !ok {
		return false, nil
	}
	flag, ok := value.(bool)
	if !ok {
		return false, domain.Invalid("/"+name, "type", "%s is true or false.", name)
	}
	delete(fields, name)
	return flag, nil
}

// parseJSON reads one JSON value with its numbers as they are written. NUL and what is
// no text become U+FFFD.
func parseJSON(raw []byte) (any, error) {
	value, mistakes, err := jsonbody.Read(bytes.ToValidUTF8(raw, []byte("\uFFFD")), jsonbody.Params)
	if err == nil {
		err = mistakes.First()
	}
	if err == nil {
		err = checkNumbers(value)
	}
	return value, err
}

// unreadJSON is the error for a value that parseJSON did not read; what ends with "is"
// or "are".
func unreadJSON(pointer, what string, err error) *domain.Error {
	code := "json"
	if unread, ok := errors.AsType[*jsonbody.Error](err); ok && unread.Reason == jsonbody.TooLarge {
		code = "too_large"
	}
	return domain.Invalid(pointer, code, "%s %v.", what, err)
}

// checkNumbers refuses numbers that would take all memory once they are written out.
func checkNumbers(value any) error {
	switch v := value.(type) {
	case json.Number:
		if !ordinary(string(v)) {
			return fmt.Errorf("the number %s is too large, too small or too long", shorten(string(v), 40))
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

// encode writes JSON with sorted keys and without the escapes meant for HTML.
func encode(value any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		// Values come from JSON or are structs of this module.
		panic(fmt.Sprintf("commands: encode %T: %v", value, err))
	}
	return bytes.TrimSpace(out.Bytes())
}

// commandID is the hash of type and sorted params.
func commandID(name string, params json.RawMessage) string {
	return hash("command", name, string(params))
}

// hash joins parts so that no two lists of parts give the same bytes.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// storable makes params that can be kept as JSON of whatever a model sent.
func storable(params json.RawMessage) json.RawMessage {
	if value, err := parseJSON(params); err == nil {
		return encode(value)
	}
	text := string(params)
	if len(text) > 4096 {
		text = text[:4096]
	}
	return encode(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD"))
}

// quoted shortens a name that a model made up and puts it in quotes.
func quoted(name string) string { return strconv.Quote(shorten(name, 80)) }

// shorten cuts a text to n runes.
func shorten(text string, n int) string {
	return jsonbody.Cut(text, n)
}
