package main

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	aTime    = "{type: string, format: date-time}"
	anObject = "{type: object, properties: {b: {type: boolean}}}"
)

// field is a line of a struct, of its name, type and rules.
func field(short string) string {
	name, rest, _ := strings.Cut(short, " ")
	kind, rules, _ := strings.Cut(rest, ` "`)
	line := name + " " + kind + ` ` + "`" + `json:"` + strings.ToLower(name) + `,omitzero"`
	if rules = strings.TrimSuffix(rules, `"`); rules != "" {
		line += ` validate:"` + rules + `"`
	}
	return line + "`\n"
}

// TestFields: what a field of the contract becomes in Go, alone in a request.
func TestFields(t *testing.T) {
	for property, want := range map[string]string{
		"required: [a]\nproperties: {a: {type: string, minLength: 1, maxLength: 9}}":       `A string "required,max=9"`,
		"properties: {a: {type: string, minLength: 1, maxLength: 9}}":                      `A *string "omitempty,min=1,max=9"`,
		"required: [a]\nproperties: {a: {type: string, maxLength: 9}}":                     `A *string "required,max=9"`,
		"required: [a]\nproperties: {a: {type: string, enum: [x, y]}}":                     `A string "required,oneof=x y"`,
		"properties: {a: {type: [string, 'null'], enum: [x, y, null]}}":                    `A nullable.Nullable[string] "omitempty,dive,oneof=x y"`,
		"required: [a]\nproperties: {a: {type: boolean}}":                                  `A *bool "required"`,
		"required: [a]\nproperties: {a: {type: integer, minimum: 1, maximum: 9}}":          `A int "min=1,max=9"`,
		"required: [a]\nproperties: {a: {type: number, minimum: 0}}":                       `A *float64 "required,min=0"`,
		"properties: {a: {type: integer, format: int64, exclusiveMinimum: 0}}":             `A *int64 "omitempty,gt=0"`,
		"properties: {a: {anyOf: [" + aTime + ", {type: 'null'}]}}":                        `A nullable.Nullable[time.Time] ""`,
		"properties: {a: {type: object, maxProperties: 9}}":                                `A json.RawMessage "omitempty,object"`,
		"required: [name]\nproperties: {name: {type: string, minLength: 1, maxLength: 9}}": `Name string "visible,name,max=9"`,
		"required: [a]\nproperties: {a: {}}":                                               `A json.RawMessage "required"`,
		"properties: {a: {type: array, maxItems: 9, items: " + anObject + "}}":             `A []BodyA "max=9,dive"`,
		"required: [a]\nproperties: {a: {type: array, minItems: 1, maxItems: 9, items: {type: string, maxLength: 5}}}"://
		`A []string "required,min=1,max=9,dive,max=5"`,
		"properties: {a: {anyOf: [" + anObject + ", {type: 'null'}]}}":                              `A nullable.Nullable[BodyA] "omitempty,dive"`,
		"properties: {a: {type: object, maxProperties: 9, additionalProperties: " + anObject + "}}": `A map[string]BodyA "max=9"`,
	} {
		if got := structFor(t, "type: object\n"+property); !strings.Contains(got, field(want)) {
			t.Errorf("%s:\n%s\nnot: %s", property, got, want)
		}
	}
}

// TestUnions: of several forms there is one struct, whose required fields are those that
// all of them require.
func TestUnions(t *testing.T) {
	got := structFor(t, `
oneOf:
  - {type: object, required: [kind, a], properties: {kind: {type: string, const: x}, a: {type: boolean}}}
  - {type: object, required: [kind], properties: {kind: {type: string, const: y}, b: {type: boolean}}}`)
	for _, want := range []string{`Kind string "required,oneof=x y"`, `A *bool ""`, `B *bool ""`} {
		if !strings.Contains(got, field(want)) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if _, err := (&contract{}).merged(&schema{OneOf: []*schema{{Types: words{"string"}}}}); err == nil {
		t.Error("a text was taken for a form of an object")
	}
}

// structFor is the struct for a body with this schema.
func structFor(t *testing.T, text string) string {
	t.Helper()
	body := &schema{}
	if err := yaml.Unmarshal([]byte(text), body); err != nil {
		t.Fatal(err)
	}
	g := &generator{structs: map[string]string{}, patterns: map[string]string{}}
	g.contract.Components.Schemas = map[string]*schema{"Body": body}
	g.answers.Options.Exclude = []string{"Body"}
	if _, err := g.goType("Body", &schema{Ref: "#/components/schemas/Body"}); err != nil {
		t.Fatal(err)
	}
	return g.structs["Body"]
}
