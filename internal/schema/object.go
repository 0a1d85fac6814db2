package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// Compact removes the whitespace of a schema in the source. It panics if that is not JSON: a bug that the
// first test finds.
func Compact(text string) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		panic(fmt.Sprintf("schema: a built-in schema is not JSON: %v: %s", err, text))
	}
	return out.Bytes()
}
