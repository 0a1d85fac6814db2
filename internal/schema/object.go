package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Object returns the schema of an object with the given properties only.
func Object(properties string, required ...string) json.RawMessage {
	text := `{"type": "object", "properties": {` + properties + `}, "additionalProperties": false`
	if len(required) > 0 {
		names, _ := json.Marshal(required) // strings only: it cannot fail
		text += `, "required": ` + string(names)
	}
	return Compact(text + "}")
}

// Properties returns those of an object with the fields of F, in their order, for Object. also has what a property has
// beside its type, such as a description, by the name of the field; "-" leaves the field out.
func Properties[F any](also map[string]string) string {
	types := map[reflect.Kind]string{
		reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Float64: "number", reflect.Slice: "object",
	}
	var all []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[F]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		kind, known := types[field.Type.Kind()]
		if !known || kind == "object" && field.Type != reflect.TypeFor[json.RawMessage]() {
			panic(fmt.Sprintf("schema: the field %s of %v has no simple type", name, reflect.TypeFor[F]()))
		}
		property := `"type": "` + kind + `"`
		if also[name] != "" {
			property += ", " + also[name]
		}
		if also[name] != "-" {
			all = append(all, `"`+name+`": {`+property+"}")
		}
	}
	return strings.Join(all, ", ")
}

// Compact removes the whitespace of a schema in the source. It panics if that is not JSON: a bug that the
// first test finds.
func Compact(text string) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		panic(fmt.Sprintf("schema: a built-in schema is not JSON: %v: %s", err, text))
	}
	return out.Bytes()
}
