package handlers_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// nodesOf counts the values of a document.
func nodesOf(doc any) int {
	n := 1
	switch v := doc.(type) {
	case map[string]any:
		for _, child := range v {
			n += nodesOf(child)
		}
	case []any:
		for _, child := range v {
			n += nodesOf(child)
		}
	}
	return n
}

// changed is a document whose value number at (in the order of the names) is another one: from the
// list, gone, or twice.
func changed(doc any, at *int, how byte) any {
	if *at == 0 {
		*at = -1
		return deepCopy(instead[int(how)%len(instead)])
	}
	*at--
	switch v := doc.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if *at == 0 && int(how)%7 == 6 {
				*at = -1
				delete(v, name)
			} else if *at >= 0 {
				v[name] = changed(v[name], at, how)
			}
		}
	case []any:
		for i := range v {
			if *at == 0 && int(how)%5 == 4 {
				*at = -1
				return append(slices.Clone(v), deepCopy(v[i]))
			} else if *at >= 0 {
				v[i] = changed(v[i], at, how)
			}
		}
	}
	return doc
}

// deepCopy returns an independent copy: changes of one do not affect the other.
func deepCopy(v any) (out any) {
	raw, _ := json.Marshal(v) // it was read as JSON, or may be: cannot fail
	_ = json.Unmarshal(raw, &out)
	return out
}

// instead are values that a client may send in place of others.
var instead = []any{
	nil, true, false, 0, -1, 1.5, 1e300, "", " \n\t", "x", "a\x00b", "a\u202eb", "\u00e9\U0001d110", "ses_far", "ses_1", "msg_1",
	"ses_00000000000000000000000000000000", "apr_00000000000000000000000000000000", "resp_" + strings.Repeat("0", 64),
	"$session", "$approval", "$approval.$execution", "$execution", "$call", "$response", "$state", "$task", "talk $n", "m$n",
	"hello", "Ask me.", "yes", "user", "assistant", "system", "tool", "developer", "fermata", "fermata/raw", "fermata/Local", "none", "auto",
	"resolved", "cancelled", "approval-responded", "output-available", "output-error", "data:,", "data:text/plain;base64,aGk=",
	"https://example.org/a.png", "../..", "2026-07-28", "send_message", "tools/call", "tasks/get", "answer_pending",
	strings.Repeat("n", 300), strings.Repeat("long ", 21_000), strings.Repeat("\U0001d110", 100),
	[]any{}, []any{nil}, []any{"x"}, []any{[]any{}}, []any{map[string]any{}}, map[string]any{}, map[string]any{"x": nil},
	map[string]any{"": []any{}}, map[string]any{"type": "text", "text": "hi"}, map[string]any{"approved": true},
	map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"$ref": "#"}}},
	map[string]any{"role": "user", "content": "again"}, map[string]any{"approved": true, "loudly": true},
	nested(40), wide(3000),
}

func nested(deep int) any {
	var v any = "deep"
	for range deep {
		v = []any{v}
	}
	return v
}

func wide(n int) any {
	v := make([]any, n)
	for i := range v {
		v[i] = map[string]any{"role": "user", "content": "a", "id": "a"}
	}
	return v
}
