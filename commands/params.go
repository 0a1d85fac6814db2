package commands

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// maxParams bounds the params of one command, in bytes.
const maxParams = 1 << 20

// maxDepth bounds how deep JSON may be nested.
const maxDepth = 64

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
	if len(params) > maxParams {
		return nil, f, domain.Invalid("", "too_large", "The params have %d bytes; at most %d are read.", len(params), maxParams)
	}
	value, err := parseJSON(params)
	if err != nil {
		return nil, f, domain.Invalid("", "json", "The params are not JSON: %v.", err)
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

// parseJSON reads one JSON value with its numbers as they are written.
func parseJSON(raw []byte) (any, error) {
	if deeper(raw, maxDepth) {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is something after the end of the value")
	}
	return tidy(value)
}

func deeper(raw []byte, n int) bool {
	depth, inText := 0, false
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case inText && b == '\\':
			i++
		case b == '"':
			inText = !inText
		case inText:
		case b == '{' || b == '[':
			if depth++; depth > n {
				return true
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return false
}

// tidy replaces NUL in texts, and refuses numbers that would take all memory once
// they are written out.
func tidy(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", "\uFFFD"), nil
	case json.Number:
		if !ordinary(string(v)) {
			return nil, fmt.Errorf("the number %s is too large, too small or too long", shorten(string(v), 40))
		}
	case []any:
		for i := range v {
			if v[i], err = tidy(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key, inner := range v {
			clean := strings.ReplaceAll(key, "\x00", "\uFFFD")
			if clean != key {
				delete(v, key)
			}
			if v[clean], err = tidy(inner); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
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
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}
