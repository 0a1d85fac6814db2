package card

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestChangesHideNothing: what differs is said, and looks different.
func TestChangesHideNothing(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          []string
	}{
		{``, `{"name":"a","more":null}`, []string{"name: a"}},
		{`{"value":7}`, `null`, []string{"value: 7 (goes)"}},
		{`{"value":7,"note":"x"}`, `{"value":8,"note":"x"}`, []string{"value: 7 -> 8"}},
		{`{"value":"7"}`, `{"value":7}`, []string{`value: "7" -> 7`}},
		{`{"on":"true","a":1}`, `{"on":true,"a":1}`, []string{`on: "true" -> true`}},
		{`{"a":1}`, `{"a":null,"b":2}`, []string{"a: 1 -> nothing", "b: nothing -> 2"}},
		{``, `{"to":{"name":"ada"},"to.name":"eve"}`, []string{"to.name: ada", `"to.name": eve`}},
		{``, `[{"v":1},{"v":2}]`, []string{"1.v: 1", "2.v: 2"}},
	} {
		if got := Changes(json.RawMessage(c.before), json.RawMessage(c.after)); !slices.Equal(got, c.want) {
			t.Errorf("%s to %s: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}
