package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// Each schema that no value can be produced by has an error of its own, with the position of its cause.
func TestSchemasThatCannotBeUsed(t *testing.T) {
	for schema, want := range map[string]string{
		`{`: " schema",
		`7`: " schema",
		`{"title":"` + strings.Repeat("x", 1<<20) + `"}`: " too_large",
		`{"type":"text"}`:                                                   "/type schema",
		`{"properties":{"a/b":{"type":"text"}}}`:                            "/properties/a~1b/type schema",
		`{"properties":{"a":{"pattern":"("}}}`:                              "/properties/a/pattern schema",
		`{"properties":{"next":{"$ref":"#"}}}`:                              "/properties/next/$ref recursive",
		`{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}`: "/$defs/a/items/$ref recursive",
		`{"$ref":"#/$defs/a"}`:                                              "/$ref schema",
		`{"items":{"$ref":"http://127.0.0.1/x"}}`:                           "/items/$ref not_supported",
		`{"items":[{"$anchor":"x"}]}`:                                       "/items/0 not_supported",
		`false`:                                                             " unsatisfiable",
		`{"not":{}}`:                                                        " unsatisfiable",
		`{"not":true}`:                                                      " unsatisfiable",
		`{"enum":[]}`:                                                       " unsatisfiable",
		`{"type":"string","const":1}`:                                       " unsatisfiable",
		`{"type":"integer","enum":[1.5,"2"]}`:                               " unsatisfiable",
		`{"type":"number","minimum":2,"maximum":1}`:                         " unsatisfiable",
		`{"type":"object","required":["n"],"properties":{"n":{"type":"integer","minimum":2,"maximum":1}}}`: "/properties/n unsatisfiable",
		`{"type":"object","required":["b"],"properties":{},"additionalProperties":false}`:                  " unsatisfiable",
		`{"allOf":[{},{"$ref":"#/$defs/no"}],"$defs":{"no":{"enum":[]}}}`:                                  "/$defs/no unsatisfiable",
		`{"anyOf":[false,{"enum":[]}]}`:               " unsatisfiable",
		`{"type":"array","minItems":1,"items":false}`: "/items unsatisfiable",
		// Some value satisfies these.
		`{"minimum":2,"maximum":1}`:                        "",
		`{"anyOf":[false,{"type":"string"}]}`:              "",
		`{"type":"array","items":false}`:                   "",
		`{"type":"object","properties":{"n":{"enum":[]}}}`: "",
		`{"type":["string","null"],"enum":[null]}`:         "",
		`{"type":"integer","const":1.0}`:                   "",
		`{"type":"object","required":["b"],"additionalProperties":false,"patternProperties":{"^b":{}}}`: "",
		`{"type":"object"}`: "",
		`true`:              "",
	} {
		var cache Cache
		got := ""
		err := cache.CheckUsable(json.RawMessage(schema), "/at")
		if e, ok := errors.AsType[*Error](err); ok {
			got = strings.TrimPrefix(e.Mistakes[0].Pointer, "/at") + " " + e.Mistakes[0].Code
		}
		if got != want || err != nil && !strings.HasSuffix(err.Error(), ".") {
			t.Errorf("%.80s: %q (%v), want %q", schema, got, err, want)
		}
	}
}

// A schema is said to contradict itself only where no value satisfies it.
func TestContradictionsAreRight(t *testing.T) {
	values := []string{
		`null`, `true`, `false`, `0`, `1`, `1.5`, `-3`, `1e3`, `""`, `"a"`, `"ab"`, `[]`, `[1]`, `["a","b"]`, `{}`, `{"a":1}`, `{"a":"x","b":null}`,
	}
	parts := []string{
		`true`, `false`, `{}`, `{"not":{}}`, `{"type":"string"}`, `{"type":["integer","null"]}`, `{"enum":["a",1]}`, `{"const":1.5}`, `{"minimum":1}`,
		`{"type":"number","minimum":2,"maximum":1}`, `{"minLength":2,"maxLength":1}`, `{"type":"array","minItems":1}`,
		`{"type":"object","required":["a"]}`, `{"required":["a"],"additionalProperties":false}`,
	}
	wholes := []string{
		`%s`, `{"allOf":[%s,%s]}`, `{"anyOf":[%s,%s]}`, `{"oneOf":[%s,%s]}`, `{"type":"array","minItems":1,"items":%s}`,
		`{"type":"object","required":["a"],"properties":{"a":%s,"b":%s}}`, `{"type":"object","properties":{"a":%s}}`,
		`{"$ref":"#/$defs/x","$defs":{"x":%s}}`,
	}
	var cache Cache
	found := 0
	for _, whole := range wholes {
		for _, a := range parts {
			for _, b := range parts {
				schema := json.RawMessage(strings.Replace(strings.Replace(whole, "%s", a, 1), "%s", b, 1))
				e, ok := errors.AsType[*Error](cache.CheckUsable(schema, ""))
				if !ok {
					continue
				}
				found++
				for _, value := range values {
					if e.Mistakes[0].Code != codeUnsatisfiable || cache.Check(schema, json.RawMessage(value), "") == nil {
						t.Fatalf("%s is refused (%v), and takes %s", schema, e, value)
					}
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("%d contradictions were found", found)
	}
}
