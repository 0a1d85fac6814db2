package commands

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/domain"
)

// params is an object of params in a form that can be written in many ways.
type params struct {
	keys   []string
	values map[string]any // string, int, bool, []any or params
}

func drawParams(t *rapid.T, depth int) params {
	p := params{keys: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"name", "a", "A", "b", "é", "a.b"}), 0, 3, rapid.ID[string]).Draw(t, "keys"), values: map[string]any{}}
	for _, key := range p.keys {
		p.values[key] = drawValue(t, depth)
	}
	return p
}

func drawValue(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
	case kind == 0:
		return rapid.SampledFrom([]string{"", "a", "1", "<&>", "é", "true"}).Draw(t, "text")
	case kind == 1:
		return rapid.Bool().Draw(t, "bool")
	case kind == 2 && depth > 0:
		return drawParams(t, depth-1)
	case kind == 3 && depth > 0:
		return []any{drawValue(t, depth-1), drawValue(t, depth-1)}
	}
	return rapid.IntRange(-2, 2).Draw(t, "number")
}

// write gives the JSON, with the keys in some order and spaces in some places.
func write(t *rapid.T, v any) string {
	space := rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "space")
	switch v := v.(type) {
	case params:
		var fields []string
		for _, key := range rapid.Permutation(v.keys).Draw(t, "order") {
			fields = append(fields, fmt.Sprintf("%q:%s%s", key, space, write(t, v.values[key])))
		}
		return "{" + space + strings.Join(fields, space+",") + "}"
	case []any:
		return "[" + write(t, v[0]) + "," + space + write(t, v[1]) + "]"
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// meaning is the same for two objects just when they are equal up to the order of keys.
func meaning(v any) string {
	if p, ok := v.(params); ok {
		fields := map[string]json.RawMessage{}
		for key, value := range p.values {
			fields[key] = json.RawMessage(meaning(value))
		}
		v = fields
	} else if list, ok := v.([]any); ok {
		v = []json.RawMessage{json.RawMessage(meaning(list[0])), json.RawMessage(meaning(list[1]))}
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// What a person approves is bound by its digest: two actions have the same one just when
// command, version and params are the same, whatever the order of the keys.
func TestDigestsAreEqualJustForEqualActions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"A", "AB"})
		version := rapid.SampledFrom([]string{"", "1", "12", "B"})
		sign := func(command, version string, p params) string {
			own, _, err := canonical(json.RawMessage(write(t, p)), definitions.Flags...)
			if err != nil {
				t.Fatal(err)
			}
			return digest(&domain.Execution{Command: command, Params: own}, card{version: version})
		}
		c1, v1, p1 := name.Draw(t, "command"), version.Draw(t, "version"), drawParams(t, 2)
		c2, v2, p2 := name.Draw(t, "command"), version.Draw(t, "version"), p1
		if rapid.Bool().Draw(t, "other params") {
			p2 = drawParams(t, 2)
		}
		same := c1 == c2 && v1 == v2 && meaning(p1) == meaning(p2)
		if equal := sign(c1, v1, p1) == sign(c2, v2, p2); equal != same {
			t.Fatalf("%s@%s %s and %s@%s %s: digests equal %v, actions equal %v", c1, v1, meaning(p1), c2, v2, meaning(p2), equal, same)
		}
	})
}
