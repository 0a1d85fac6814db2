package domain

import (
	"fmt"
	"strings"
	"testing"
)

// A call's id leads back to its approval and its place there, and nothing else does.
func TestClientCallIDs(t *testing.T) {
	const approval = "apr_01a208c209447a45851e744c286bd8b0"
	for _, place := range []int{0, 7, 99} {
		id := ClientCallID(approval, place)
		if len(id) > 40 {
			t.Errorf("%s is longer than OpenAI takes", id)
		}
		if a, p, ok := ClientCallOf(id); !ok || a != approval || p != place {
			t.Errorf("%s is read as %s, %d, %t", id, a, p, ok)
		}
	}
	for _, wrong := range []string{"", "call_", "call__0", "call_1", "apr_1_0", "call_x_01", "call_x_-1", "call_x_+1", "call_x_", "call_x_9999999999999999999999"} {
		if a, p, ok := ClientCallOf(wrong); ok {
			t.Errorf("%q is read as %s, %d", wrong, a, p)
		}
	}
	if id := ClientResultsID(approval); id != "msg_of_01a208c209447a45851e744c286bd8b0" {
		t.Errorf("the results are in %s", id)
	}
}

// Each call has exactly one result, whatever the order; all together have a bound.
func TestClientResultsFor(t *testing.T) {
	a := &Approval{ID: "apr_1", Actions: []ApprovalAction{{ID: "x", Command: "f"}, {ID: "y", Command: "g"}}}
	id := func(place int) string { return ClientCallID("apr_1", place) }
	half := strings.Repeat("h", MaxClientResults/2)
	for name, c := range map[string]struct {
		ids, texts []string
		code, at   string
	}{
		"both":          {[]string{id(1), id(0)}, []string{"of y", ""}, "", ""},
		"as long as is": {[]string{id(1), id(0)}, []string{half, half}, "", ""},
		"too long":      {[]string{id(1), id(0)}, []string{half, half + "h"}, "too_long", "1"},
		"twice":         {[]string{id(0), id(0), id(1)}, []string{"a", "b", "c"}, "result_twice", "1"},
		"missing":       {[]string{id(0)}, []string{"a"}, "result_missing", "0"},
		"beyond":        {[]string{id(2)}, []string{"a"}, "unknown_call", "0"},
		"of another":    {[]string{id(0), ClientCallID("apr_2", 1)}, []string{"a", "b"}, "unknown_call", "1"},
		"the server's":  {[]string{"x"}, []string{"a"}, "unknown_call", "0"},
	} {
		got, err := ClientResultsFor(a, c.ids, c.texts, func(i int) string { return fmt.Sprint(i) })
		if c.code == "" {
			if err != nil || len(got) != 2 || got[0].CallID != "x" || got[1].CallID != "y" || got[1].Text != c.texts[0] {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			continue
		}
		field := fieldOf(err)
		if field.Code != c.code || field.Pointer != c.at {
			t.Errorf("%s: %+v", name, field)
		}
	}
}

func fieldOf(err error) FieldError {
	if e, ok := err.(*Error); ok && len(e.Fields) == 1 {
		return e.Fields[0]
	}
	return FieldError{}
}

// A command that came later than the message keeps its name.
func TestSpecsOfClientTools(t *testing.T) {
	tools := &ClientTools{List: []ClientTool{{Name: "GITHUB_READ"}, {Name: "f"}}}
	specs := tools.Specs([]CommandSpec{{Name: "GITHUB.READ"}})
	if len(specs) != 1 || specs[0].Name != "f" || specs[0].Source != SourceClient || !specs[0].External() {
		t.Errorf("%+v", specs)
	}
	if none := (*ClientTools)(nil); none.Specs(nil) != nil || none.Bytes() != 0 {
		t.Error("no tools are some")
	}
}
