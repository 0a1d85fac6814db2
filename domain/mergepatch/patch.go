package mergepatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Patch is a JSON merge patch (RFC 7396) of the fields F of a noun: a JSON object with the names of F's JSON. A field
// that it does not name stays, null empties one, an object is merged, and everything else replaces, lists too. With the
// tag patch:"replace" a field is replaced by an object as well.
type Patch[F any] json.RawMessage

// Empty reports whether the patch changes nothing.
func (p Patch[F]) Empty() bool {
	given, err := p.given()
	return err == nil && len(given) == 0
}

// Get returns the value that the patch has for a field; nil if it does not name it.
func (p Patch[F]) Get(name string) json.RawMessage {
	given, _ := p.given() // Apply reports an error
	return given[name]
}

func (p Patch[F]) given() (map[string]json.RawMessage, error) {
	var given map[string]json.RawMessage
	if len(p) == 0 {
		return given, nil
	}
	if err := json.Unmarshal(p, &given); err != nil {
		return nil, fmt.Errorf("read a patch: %w", err)
	}
	return given, nil
}

// Apply merges the patch into the fields of a noun. What they share with others, such as the items of a list, is not
// modified. A name that F does not have and a value that does not fit its type are errors: a patch from
// outside is checked first.
func (p Patch[F]) Apply(to *F) error {
	given, err := p.given()
	if err != nil {
		return err
	}
	fields := reflect.ValueOf(to).Elem()
	for _, field := range reflect.VisibleFields(fields.Type()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		value, named := given[name]
		if !named || field.Anonymous {
			continue
		}
		delete(given, name)
		if err := patchField(fields.FieldByIndex(field.Index), value, field.Tag.Get("patch") == "replace"); err != nil {
			return fmt.Errorf("patch %s: %w", name, err)
		}
	}
	for name := range given {
		return fmt.Errorf("patch %T: it has no field %q", *to, name)
	}
	return nil
}

// IDAndPatch reads an object that has the id of a noun, under a name, and beside it a patch of the noun's fields.
func IDAndPatch[F any](text []byte, name string) (id string, patch Patch[F], err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", nil, err
	}
	if err := json.Unmarshal(fields[name], &id); fields[name] != nil && err != nil {
		return "", nil, err
	}
	delete(fields, name)
	rest, err := encoded(fields)
	if err != nil {
		return "", nil, err
	}
	patch = Patch[F](rest)
	return id, patch, patch.Apply(new(F)) // its values fit, or nothing is read
}

func patchField(field reflect.Value, value json.RawMessage, replace bool) error {
	if bytes.HasPrefix(bytes.TrimSpace(value), []byte("{")) && !replace {
		old, err := json.Marshal(field.Interface())
		if err == nil {
			value, err = mergedText(old, value)
		}
		if err != nil {
			return err
		}
	}
	field.SetZero() // what it held may be shared
	return json.Unmarshal(value, field.Addr().Interface())
}

// mergedText is Merge of texts. Numbers keep their digits.
func mergedText(old, patch json.RawMessage) (json.RawMessage, error) {
	var values [2]any
	for i, text := range []json.RawMessage{old, patch} {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&values[i]); err != nil {
			return nil, err
		}
	}
	return encoded(Merge(values[0], values[1]))
}

// encoded is the JSON of a value, whose texts keep their characters.
func encoded(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(out.Bytes()), err
}
