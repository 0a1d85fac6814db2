package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// A schema written by a model reads no files, makes no requests, and takes little time.
func TestSchemasThatAreRefused(t *testing.T) {
	doubling := `{"type":"object","$ref":"#/$defs/d0","$defs":{`
	for i := range 40 {
		doubling += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	doubling += `"d40":{"type":"object"}}}`
	for _, tt := range []struct{ about, schema, message string }{
		{"a file", `{"$ref":"file:///etc/passwd"}`, "other documents"},
		{"another host", `{"properties":{"a":{"$ref":"http://127.0.0.1/x"}}}`, "other documents"},
		{"a relative one", `{"$ref":"other.json"}`, "other documents"},
		{"a meta schema elsewhere", `{"$schema":"http://127.0.0.1/meta"}`, "other documents"},
		{"a new base", `{"$id":"http://example.com/","properties":{"a":{"$ref":"#/x"}}}`, "$id"},
		{"itself", `{"properties":{"a":{"$ref":"#"}}}`, "itself"},
		{"itself by a detour", `{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/a"}}}}}`, "itself"},
		{"references that double", doubling, "parts"},
		{"what is not there", `{"$ref":"#/$defs/a"}`, "does not exist"},
		{"a type that does not exist", `{"type":"text"}`, "type"},
		{"an endless pattern", `{"pattern":"(a{1000}){1000}"}`, "regex"},
		{"too large", `{"title":"` + strings.Repeat("x", maxSchema) + `"}`, "bytes"},
		{"too deep", strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70), "nested more"},
		{"not JSON", `{`, "read the schema"},
	} {
		var cache Cache
		started := testkit.CPU(t)
		if err := cache.Compile(json.RawMessage(tt.schema)); err == nil || !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%s: %v", tt.about, err)
		}
		if took := testkit.CPU(t) - started; took > 2*time.Second {
			t.Errorf("%s took %s", tt.about, took)
		}
	}
}

func TestPropertiesOfAStruct(t *testing.T) {
	type fields struct {
		Name   string          `json:"name"`
		Count  int             `json:"count,omitempty"`
		Share  float64         `json:"share"`
		Config json.RawMessage `json:"config"`
		Secret bool            `json:"secret"`
		On     bool            `json:"on"`
	}
	got := Object(Properties[fields](map[string]string{"name": `"minLength": 1`, "secret": "-", "config": `"description": "Any."`}), "name")
	want := `{"type":"object","properties":{"name":{"type":"string","minLength":1},"count":{"type":"integer"},"share":{"type":"number"},` +
		`"config":{"type":"object","description":"Any."},"on":{"type":"boolean"}},"additionalProperties":false,"required":["name"]}`
	if string(got) != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a list became an object")
		}
	}()
	Properties[struct {
		Names []string `json:"names"`
	}](nil)
}

func TestAllSchemaErrorsAreReported(t *testing.T) {
	var cache Cache
	schema := json.RawMessage(`{"type":"object","required":["a"],"properties":{"b":{"$ref":"#/$defs/number"},"c/d":{"type":"string","minLength":2},"e":{"enum":[1,"x"]},
		"f":{"type":"array","maxItems":1},"g":{"type":"string","format":"date"},"h":{"type":"number","maximum":2.5}},"additionalProperties":false,"$defs":{"number":{"type":"number"}}}`)
	err := cache.Check(schema, json.RawMessage(`{"b":"1","c/d":"x","e":2,"f":[1,2],"g":"soon","h":3,"i":1}`), "/data")
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatal(err)
	}
	var got []string
	for _, f := range e.Mistakes {
		got = append(got, f.Pointer+" "+f.Code+" "+f.Message)
	}
	want := strings.Join([]string{
		`/data/a required "a" is required.`,
		`/data/b type This must be a number (without quotes), not a text.`,
		`/data/c~1d min_length This must have at least 2 characters.`,
		`/data/e enum This must be one of 1, "x".`,
		`/data/f max_items At most 1 items are allowed.`,
		`/data/g format This is not a valid date.`,
		`/data/h maximum This must be at most 2.5.`,
		`/data/i unknown_field There is no field "i" here.`,
	}, "\n")
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if e.Message != `/data/a: "a" is required.` {
		t.Errorf("message %q", e.Message)
	}
	if err := cache.Check(schema, json.RawMessage(`{"a":1,"b":2}`), ""); err == nil {
		t.Error("a has no schema of its own, and additional fields are refused")
	}
	err = cache.Check(schema, json.RawMessage("["+strings.Repeat("1,", jsonbody.MaxValues)+"1]"), "")
	if e, ok = errors.AsType[*Error](err); !ok || e.Mistakes[0].Pointer != "" || !strings.Contains(err.Error(), "more than 20000 values") {
		t.Error(err)
	}
}

// TestSchemaErrorsAreShort: a value may be wrong in thousands of places, deep
// down, below long names, with long texts; the report stays small.
func TestSchemaErrorsAreShort(t *testing.T) {
	long := strings.Repeat("<", jsonbody.MaxName-10)
	var many strings.Builder
	for i := range 900 {
		fmt.Fprintf(&many, `,"%s%d":1`, long, i)
	}
	for name, c := range map[string]struct{ schema, value string }{
		"unknown fields": {`{"additionalProperties":false}`, `{"a":1` + many.String() + `}`},
		"a long text":    {`{"pattern":"^a$"}`, `"` + strings.Repeat("<", 500_000) + `"`},
		"many texts":     {`{"items":{"pattern":"^a$"}}`, "[" + strings.Repeat(`"`+strings.Repeat("<", 900)+`",`, 1000) + `"b"]`},
		"long names": {`{"additionalProperties":{"additionalProperties":{"type":"number"}}}`,
			`{"` + long + `":{"a":""` + strings.ReplaceAll(many.String(), ":1", `:""`) + `}}`},
		"a long list of what is allowed": {`{"enum":["` + strings.Repeat("b", 60_000) + `"]}`, `1`},
	} {
		var cache Cache
		var e *Error
		if err := cache.Check(json.RawMessage(c.schema), json.RawMessage(c.value), "/data"); !errors.As(err, &e) {
			t.Fatalf("%s: %v", name, err)
		}
		report, err := json.Marshal(e.Mistakes)
		if err != nil || len(report)+len(e.Message) > 64<<10 || len(e.Mistakes) > jsonbody.MaxMistakes {
			t.Errorf("%s: %d mistakes in %d bytes, a message of %d", name, len(e.Mistakes), len(report), len(e.Message))
		}
	}
}
