package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Object makes the schema of an object from its properties, as JSON. It has no others.
func Object(properties string, required ...string) json.RawMessage {
	text := `{"type": "object", "properties": {` + properties + `}, "additionalProperties": false`
	if len(required) > 0 {
		names, _ := json.Marshal(required) // strings only: it cannot fail
		text += `, "required": ` + string(names)
	}
	return Compact(text + "}")
}

// Compact takes the spaces out of a schema that stands in the program. It panics if that
// is no JSON: a mistake that the first test finds.
func Compact(text string) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		panic(fmt.Sprintf("schema: a built-in schema is not JSON: %v: %s", err, text))
	}
	return out.Bytes()
}
