package edge

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/spelling"
)

var (
	rawType          = reflect.TypeFor[json.RawMessage]()
	firstMessageType = reflect.TypeFor[api.FirstMessage]()
	unmarshalerType  = reflect.TypeFor[json.Unmarshaler]()
)

// shapeChecker compares a JSON value with the Go type that is to take it. A pointer is
// an optional field, a nullable.Nullable one that may be null too, a json.RawMessage
// takes anything. It stops when the maximum number of reported mistakes is reached.
type shapeChecker struct {
	at       jsonbody.Path
	mistakes *jsonbody.Mistakes
}

func (c *shapeChecker) check(node any, t reflect.Type) {
	switch {
	case t == rawType || c.mistakes.Full():
		return
	case t == firstMessageType:
		if _, ok := node.(string); !ok {
			c.check(node, reflect.TypeFor[api.MessageContent]())
		}
		return
	case t.Kind() == reflect.Pointer:
		c.check(node, t.Elem())
		return
	case isNullable(t):
		if node != nil {
			c.check(node, t.Elem())
		}
		return
	case reflect.PointerTo(t).Implements(unmarshalerType):
		c.checkCustom(node, t)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		c.checkStruct(node, t)
	case reflect.Map:
		c.checkMap(node, t)
	case reflect.Slice:
		c.checkList(node, t)
	default:
		c.checkScalar(node, t)
	}
}

// isNullable recognises nullable.Nullable[T], which is a map of bool to T.
func isNullable(t reflect.Type) bool {
	return t.Kind() == reflect.Map && t.Key().Kind() == reflect.Bool
}

func (c *shapeChecker) checkMap(node any, t reflect.Type) {
	object, ok := node.(map[string]any)
	if !ok {
		c.wrongType(node, "an object")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		c.at.Name(name)
		c.check(object[name], t.Elem())
		c.at.Up()
	}
}

func (c *shapeChecker) checkList(node any, t reflect.Type) {
	list, ok := node.([]any)
	if !ok {
		c.wrongType(node, "a list")
		return
	}
	for i, item := range list {
		c.at.Index(i)
		c.check(item, t.Elem())
		c.at.Up()
	}
}

func (c *shapeChecker) checkStruct(node any, t reflect.Type) {
	object, ok := node.(map[string]any)
	if !ok {
		c.wrongType(node, "an object")
		return
	}
	fields := fieldsOf(t)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if c.mistakes.Full() {
			return
		}
		c.at.Name(name)
		if field, known := fields[name]; known {
			c.check(object[name], field)
		} else {
			c.mistakes.Add(&c.at, "unknown_field", "%s", unknownField(name, fields))
		}
		c.at.Up()
	}
}

// structFields keeps what fieldsOf has found, for each type of a request: a list has one
// for every item.
var structFields sync.Map

// fieldsOf maps the JSON names of a struct to the types of its fields.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if known, ok := structFields.Load(t); ok {
		return known.(map[string]reflect.Type)
	}
	out := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" && !f.Anonymous {
			out[name] = f.Type
		}
	}
	structFields.Store(t, out)
	return out
}

func unknownField(name string, fields map[string]reflect.Type) string {
	shown := shorten.Characters(name, 60)
	if near := spelling.Nearest(name, slices.Sorted(maps.Keys(fields))); near != "" {
		return fmt.Sprintf("There is no field %q. Did you mean %q?", shown, near)
	}
	return fmt.Sprintf("There is no field %q.", shown)
}

// checkScalar checks text, numbers and booleans.
func (c *shapeChecker) checkScalar(node any, t reflect.Type) {
	switch t.Kind() {
	case reflect.String:
		if _, ok := node.(string); !ok {
			c.wrongType(node, "text")
		}
	case reflect.Bool:
		if _, ok := node.(bool); !ok {
			c.wrongType(node, "true or false")
		}
	case reflect.Float64:
		if n, ok := node.(json.Number); !ok {
			c.wrongType(node, "a number")
		} else if _, err := n.Float64(); err != nil {
			c.mistakes.Add(&c.at, "out_of_range", "This number is too large.")
		}
	case reflect.Int, reflect.Int64:
		if n, ok := node.(json.Number); !ok {
			c.wrongType(node, "a whole number")
		} else if _, ok := jsonbody.Whole(n.String()); !ok {
			c.mistakes.Add(&c.at, "wrong_type", "This must be a whole number, of 18 digits at most.")
		}
	default:
		panic("a request has a field of a kind that is not read: " + t.String())
	}
}

// checkCustom lets a type that reads itself (a time, a duration) read the value.
func (c *shapeChecker) checkCustom(node any, t reflect.Type) {
	raw, err := json.Marshal(node)
	if err == nil && node != nil {
		err = json.Unmarshal(raw, reflect.New(t).Interface())
	}
	if err == nil && node != nil {
		return
	}
	switch t.String() {
	case "time.Time":
		c.mistakes.Add(&c.at, "wrong_type", `This must be a time like "2026-03-02T07:30:00Z".`)
	case "domain.Duration":
		c.mistakes.Add(&c.at, "wrong_type", `This must be a duration like "5m" or "1h30m".`)
	default:
		c.wrongType(node, "a valid value")
	}
}

func (c *shapeChecker) wrongType(node any, expected string) {
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
	c.mistakes.Add(&c.at, "wrong_type", "This must be %s, not %s.", expected, found)
}
