package handlers_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// values makes values that a schema allows.
type values struct{ *rand.Rand }

// of gives a value that fits; deep bounds how far optional parts are filled in.
func (v values) of(s *openapi3.Schema, deep int) any {
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[v.IntN(len(s.Enum))]
	case len(s.OneOf) > 0:
		return v.of(s.OneOf[v.IntN(len(s.OneOf))].Value, deep)
	case len(s.AnyOf) > 0:
		return v.of(s.AnyOf[v.IntN(len(s.AnyOf))].Value, deep)
	case len(s.AllOf) > 0:
		return v.of(s.AllOf[0].Value, deep)
	}
	types := s.Type.Slice()
	if len(types) == 0 {
		types = []string{"null", "boolean", "string", "number"}
	}
	switch types[v.IntN(len(types))] {
	case "object":
		return v.object(s, deep-1)
	case "array":
		return v.list(s, deep-1)
	case "string":
		return v.text(s)
	case "boolean":
		return v.IntN(2) == 0
	case "integer":
		return v.number(s)
	case "number":
		return v.number(s) + 0.5*float64(v.IntN(2))*float64(min(1, len(s.Type.Slice())))
	}
	return nil
}

func (v values) object(s *openapi3.Schema, deep int) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || deep > 0 && v.IntN(3) == 0 {
			out[name] = v.of(s.Properties[name].Value, deep)
		}
	}
	if more := s.AdditionalProperties.Schema; more != nil && deep > 0 {
		out["exe_1"] = v.of(more.Value, deep)
	}
	return out
}

func (v values) list(s *openapi3.Schema, deep int) []any {
	if s.Items == nil {
		return []any{"anything"}
	}
	most := int(s.MinItems) + 2
	if s.MaxItems != nil {
		most = min(most, int(*s.MaxItems))
	}
	out := []any{}
	for range int(s.MinItems) + v.IntN(most-int(s.MinItems)+1) {
		out = append(out, v.of(s.Items.Value, deep))
	}
	return out
}

// text is one of those that programs stumble over; where a form is asked for, one that has it.
func (v values) text(s *openapi3.Schema) string {
	switch {
	case s.Format == "date-time":
		return []string{"2026-03-02T07:30:00Z", "2026-03-02T07:30:00.123Z", "2026-03-02T07:30:00+05:30"}[v.IntN(3)]
	case s.Pattern != "":
		form, known := forms[s.Pattern]
		if !known {
			panic("contract_values_test.go has no text for the pattern " + s.Pattern)
		}
		return form
	}
	texts := []string{"x", "Größe", "日本語のテキスト", `"quoted" \ <b>&amp;`, "👩‍👩‍👧", "0", "null", "a\nb", "'; DROP TABLE zones; --"}
	text := texts[v.IntN(len(texts))]
	if s.MaxLength != nil && v.IntN(8) == 0 {
		text = strings.Repeat("é", int(*s.MaxLength)) // as long as may be
	}
	if s.MaxLength != nil && len([]rune(text)) > int(*s.MaxLength) {
		text = "x"
	}
	return text
}

// forms has a text for each pattern of the contract that a request meets.
var forms = map[string]string{
	`^[a-z][a-z0-9_-]{0,62}$`: "my_type", `^[a-z0-9-]{1,63}$`: "team-1", `^[a-z0-9][a-z0-9_.-]{0,99}$`: "notes.md",
	`^[A-Z][A-Z0-9]{0,19}$`: "SHOP2", `^[A-Z][A-Z0-9_]{0,42}$`: "GET_ITEM",
	`^[A-Za-z][A-Za-z0-9_]{0,39}$`:                  "NoteTaker",
	`^X-[A-Za-z0-9-]{1,62}$`:                        "X-Chat",
	`^([01][0-9]|2[0-3]):[0-5][0-9]$`:               "22:00",
	`^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$|^0$`: "1h30m", `^-?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$|^0$`: "90s",
}

func (v values) number(s *openapi3.Schema) float64 {
	least, most := 0.0, 1000.0
	if s.Min != nil {
		least = *s.Min
	}
	if s.ExclusiveMin.Value != nil {
		least = *s.ExclusiveMin.Value + 1
	}
	if s.Max != nil {
		most = *s.Max
	}
	switch v.IntN(4) {
	case 0:
		return least
	case 1:
		if s.Max != nil {
			return most
		}
	}
	return least + float64(v.IntN(int(min(most-least, 1000))+1))
}

// broken gives a copy of a value with one thing in it changed, somewhere.
func (v values) broken(value any) any {
	wrong := []any{nil, true, 1.0e15, -1.0, "", "x", []any{}, map[string]any{}, strings.Repeat("é", 120_000)}
	switch x := value.(type) {
	case map[string]any:
		out := maps.Clone(x)
		names := slices.Sorted(maps.Keys(x))
		switch n := v.IntN(4); {
		case n == 0 || len(names) == 0:
			out["bogus_field"] = 1
		case n == 1:
			delete(out, names[v.IntN(len(names))])
		default:
			name := names[v.IntN(len(names))]
			out[name] = v.broken(x[name])
		}
		return out
	case []any:
		if out := slices.Clone(x); len(out) > 0 && v.IntN(2) == 0 {
			at := v.IntN(len(out))
			out[at] = v.broken(out[at])
			return out
		}
	}
	return wrong[v.IntN(len(wrong))]
}
