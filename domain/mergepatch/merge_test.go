package mergepatch

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func parsed(t testing.TB, text string) any {
	t.Helper()
	var v any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// The first fifteen are the examples of RFC 7396, appendix A.
func TestMerge(t *testing.T) {
	for _, c := range []struct{ old, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		// A list is a value: what is in it is not merged, and keeps its nulls.
		{`{"a":[{"b":1}]}`, `{"a":[{"c":null},null]}`, `{"a":[{"c":null},null]}`},
		// What is no object becomes one.
		{`{"a":7}`, `{"a":{"b":1,"c":null}}`, `{"a":{"b":1}}`},
		{`{"a":{"b":1,"c":2}}`, `{"a":{}}`, `{"a":{"b":1,"c":2}}`},
	} {
		if got := Merge(parsed(t, c.old), parsed(t, c.patch)); !reflect.DeepEqual(got, parsed(t, c.want)) {
			t.Errorf("%s with %s: %v, not %s", c.old, c.patch, got, c.want)
		}
	}
}

// FuzzMergePatch: what the patch names is as it says, what it does not name is as it was,
// and the same patch again changes nothing.
func FuzzMergePatch(f *testing.F) {
	f.Add(`{"a":{"b":1,"c":[null]},"d":null}`, `{"a":{"b":null,"e":{"f":null}},"g":2}`)
	f.Add(`[1]`, `{"a":null}`)
	f.Add(`{"a":1}`, `null`)
	f.Fuzz(func(t *testing.T, old, patch string) {
		if !json.Valid([]byte(old)) || !json.Valid([]byte(patch)) {
			t.Skip()
		}
		merged := Merge(parsed(t, old), parsed(t, patch))
		checkMerged(t, parsed(t, old), parsed(t, patch), merged)
		text, err := json.Marshal(merged)
		if err != nil {
			t.Fatal(err)
		}
		if again := Merge(merged, parsed(t, patch)); !reflect.DeepEqual(again, parsed(t, string(text))) {
			t.Errorf("once %s, twice %v", text, again)
		}
	})
}

func checkMerged(t *testing.T, old, patch, merged any) {
	fields, isObject := patch.(map[string]any)
	if !isObject {
		if !reflect.DeepEqual(merged, patch) {
			t.Errorf("%v was not replaced by %v: %v", old, patch, merged)
		}
		return
	}
	result, isObject := merged.(map[string]any)
	if !isObject {
		t.Fatalf("the patch %v made %v", patch, merged)
	}
	before, _ := old.(map[string]any)
	for name, value := range fields {
		now, there := result[name]
		if value == nil && there {
			t.Errorf("null left %q there", name)
		} else if value != nil {
			checkMerged(t, before[name], value, now)
		}
	}
	for name, value := range before {
		if _, named := fields[name]; !named && !reflect.DeepEqual(result[name], value) {
			t.Errorf("%q was not named, and is %v instead of %v", name, result[name], value)
		}
	}
	for name := range result {
		_, had := before[name]
		if _, named := fields[name]; !named && !had {
			t.Errorf("%q comes from nowhere", name)
		}
	}
}
