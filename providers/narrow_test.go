package providers

import "testing"

// What a vendor does not know is left out, objects are closed, and the order of properties stays.
func TestNarrowSchemas(t *testing.T) {
	subset := Subset{Formats: []string{"date"}}
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"b":{"type":"string","minLength":2,"format":"date"},"a":{"type":"number","minimum":1,"format":"x"}},"required":["b"]}`: `{"type":"object","properties":{"b":{"type":"string","format":"date"},"a":{"type":"number"}},"required":["b"],"additionalProperties":false}`,
		`{"type":"array","minItems":1,"maxItems":3,"items":{"oneOf":[{"const":1},{"enum":["x"]}]}}`:                                                            `{"type":"array","minItems":1,"items":{"anyOf":[{"const":1},{"enum":["x"]}]}}`,
		`{"type":"array","minItems":2,"items":{"type":"null"}}`:                                                                                                `{"type":"array","items":{"type":"null"}}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"additionalProperties":{"type":"string"}},"additionalProperties":true}}}`:             `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"additionalProperties":{"type":"string"}},"additionalProperties":false}}}`,
		`{"type":"object"}`: "",
		`{"type":"object","properties":{"a":{"type":["object","null"],"additionalProperties":{"type":"string"}}}}`: "",
		`{"properties":{"a":true}}`: "",
		`true`:                      "",
		`{"minLength":3}`:           "",
	} {
		got, ok := subset.Narrow([]byte(schema))
		if ok != (want != "") || ok && string(got) != want {
			t.Errorf("%s:\n%s %v, want\n%s", schema, got, ok, want)
		}
	}
}
