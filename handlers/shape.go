package handlers

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// firstMessage is the message of a new session: a text, or what sendMessage takes.
type firstMessage struct{ messageContent }

func (m *firstMessage) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &m.Text)
	}
	return json.Unmarshal(b, &m.messageContent)
}

var (
	rawType          = reflect.TypeFor[json.RawMessage]()
	firstMessageType = reflect.TypeFor[firstMessage]()
	unmarshalerType  = reflect.TypeFor[json.Unmarshaler]()
)

// checkShape compares a JSON value with the Go type that is to take it. A pointer is
// an optional field, a nullable.Nullable one that may be null too, a json.RawMessage
// takes anything.
func checkShape(node any, t reflect.Type, pointer string) []domain.FieldError {
	switch {
	case t == rawType:
		return nil
	case t == firstMessageType:
		if _, ok := node.(string); ok {
			return nil
		}
		return checkShape(node, reflect.TypeFor[messageContent](), pointer)
	case t.Kind() == reflect.Pointer:
		return checkShape(node, t.Elem(), pointer)
	case isNullable(t):
		if node == nil {
			return nil
		}
		return checkShape(node, t.Elem(), pointer)
	case reflect.PointerTo(t).Implements(unmarshalerType):
		return checkCustom(node, t, pointer)
	}
	switch t.Kind() {
	case reflect.Struct:
		return checkStruct(node, t, pointer)
	case reflect.Map:
		object, ok := node.(map[string]any)
		if !ok {
			return wrongType(node, "an object", pointer)
		}
		var problems []domain.FieldError
		for _, name := range slices.Sorted(maps.Keys(object)) {
			problems = append(problems, checkShape(object[name], t.Elem(), pointer+"/"+escapePointer(name))...)
		}
		return problems
	case reflect.Slice:
		list, ok := node.([]any)
		if !ok {
			return wrongType(node, "a list", pointer)
		}
		var problems []domain.FieldError
		for i, item := range list {
			problems = append(problems, checkShape(item, t.Elem(), fmt.Sprintf("%s/%d", pointer, i))...)
		}
		return problems
	default:
		return checkScalar(node, t, pointer)
	}
}

// isNullable recognises nullable.Nullable[T], which is a map of bool to T.
func isNullable(t reflect.Type) bool {
	return t.Kind() == reflect.Map && t.Key().Kind() == reflect.Bool
}

func checkStruct(node any, t reflect.Type, pointer string) []domain.FieldError {
	object, ok := node.(map[string]any)
	if !ok {
		return wrongType(node, "an object", pointer)
	}
	fields := fieldsOf(t)
	var problems []domain.FieldError
	for _, name := range slices.Sorted(maps.Keys(object)) {
		at := pointer + "/" + escapePointer(name)
		field, known := fields[name]
		if !known {
			problems = append(problems, domain.FieldError{Pointer: at, Code: "unknown_field", Message: unknownField(name, fields)})
			continue
		}
		problems = append(problems, checkShape(object[name], field, at)...)
	}
	return problems
}

// fieldsOf maps the JSON names of a struct to the types of its fields.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" && !f.Anonymous {
			out[name] = f.Type
		}
	}
	return out
}

func unknownField(name string, fields map[string]reflect.Type) string {
	const longest = 60
	shown := name
	if len(shown) > longest {
		shown = strings.ToValidUTF8(shown[:longest], "") + "…"
	}
	if near := nearest(name, slices.Sorted(maps.Keys(fields))); near != "" {
		return fmt.Sprintf("There is no field %q. Did you mean %q?", shown, near)
	}
	return fmt.Sprintf("There is no field %q.", shown)
}

// checkScalar checks text, numbers and booleans.
func checkScalar(node any, t reflect.Type, pointer string) []domain.FieldError {
	switch t.Kind() {
	case reflect.String:
		if _, ok := node.(string); !ok {
			return wrongType(node, "text", pointer)
		}
	case reflect.Bool:
		if _, ok := node.(bool); !ok {
			return wrongType(node, "true or false", pointer)
		}
	case reflect.Float64:
		n, ok := node.(json.Number)
		if !ok {
			return wrongType(node, "a number", pointer)
		}
		if _, err := n.Float64(); err != nil {
			return []domain.FieldError{{Pointer: pointer, Code: "out_of_range", Message: "This number is too large."}}
		}
	case reflect.Int, reflect.Int64:
		n, ok := node.(json.Number)
		if !ok {
			return wrongType(node, "a whole number", pointer)
		}
		if _, err := n.Int64(); err != nil {
			return []domain.FieldError{{Pointer: pointer, Code: "wrong_type", Message: "This must be a whole number, written without a point or exponent."}}
		}
	default:
		panic("a request has a field of a kind that is not read: " + t.String())
	}
	return nil
}

// checkCustom lets a type that reads itself (a time, a duration) read the value.
func checkCustom(node any, t reflect.Type, pointer string) []domain.FieldError {
	raw, err := json.Marshal(node)
	if err == nil && node != nil {
		err = json.Unmarshal(raw, reflect.New(t).Interface())
	}
	if err == nil && node != nil {
		return nil
	}
	expected := "a valid value"
	switch t.String() {
	case "time.Time":
		expected = `a time like "2026-03-02T07:30:00Z"`
	case "domain.Duration":
		expected = `a duration like "5m" or "1h30m"`
	}
	return wrongType(node, expected, pointer)
}

func wrongType(node any, expected, pointer string) []domain.FieldError {
	found := "an object"
	switch node.(type) {
	case nil:
		found = "null"
	case string:
		found = "text"
	case bool:
		found = "true or false"
	case json.Number:
		found = "a number"
	case []any:
		found = "a list"
	}
	message := fmt.Sprintf("This must be %s, not %s.", expected, found)
	if strings.HasPrefix(expected, "a time") || strings.HasPrefix(expected, "a duration") {
		message = fmt.Sprintf("This must be %s.", expected)
	}
	return []domain.FieldError{{Pointer: pointer, Code: "wrong_type", Message: message}}
}

// nearest is the name that was probably meant, or "".
func nearest(name string, names []string) string {
	best, distance := "", min(3, 1+len(name)/3)
	if len(name) > 50 {
		return ""
	}
	for _, n := range names {
		if d := editDistance(strings.ToLower(name), n); d < distance || d == distance && best == "" {
			best, distance = n, d
		}
	}
	return best
}

// editDistance counts the letters to insert, delete or replace (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, corner+cost)
			corner, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
