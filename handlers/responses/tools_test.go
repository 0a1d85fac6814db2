package responses

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// Functions are offered, tools of other types are named once each, and malformed tools are refused.
func TestToolsOfAResponse(t *testing.T) {
	const function = `{"type":"function","name":"f","parameters":{"type":"object"}}`
	for name, c := range map[string]struct{ tools, choice, want string }{
		"a function":           {`[` + function + `]`, ``, "offered f at /tools/0"},
		"a hosted tool":        {`[{"type":"web_search"}]`, `"auto"`, "not offered web_search"},
		"a custom tool":        {`[{"type":"custom","name":"apply_patch"}]`, ``, "not offered custom apply_patch"},
		"a namespace":          {`[{"type":"namespace","name":"n","tools":[` + function + `]}]`, ``, "not offered namespace n"},
		"mixed":                {`[{"type":"local_shell"},` + function + `,{"type":"local_shell"}]`, ``, "offered f at /tools/1, not offered local_shell"},
		"a long name":          {`[{"type":"custom","name":"` + strings.Repeat("x", 200) + `"}]`, ``, "not offered custom " + strings.Repeat("x", maxUnofferedName-1)},
		"none is wanted":       {`[{"type":"web_search"},` + function + `]`, `"none"`, ""},
		"no type":              {`[{"name":"f"}]`, ``, "refused /tools/0"},
		"no object":            {`[` + function + `,7]`, ``, "refused /tools/1"},
		"a list of a kind":     {`{"type":"web_search"}`, ``, "refused /tools"},
		"a forced hosted tool": {`[{"type":"web_search"}]`, `{"type":"web_search"}`, "refused /tool_choice"},
		"too many":             {`[` + strings.Repeat(`{"type":"web_search"},`, 128) + function + `]`, ``, "refused /tools/128"},
	} {
		r := &request{Tools: []byte(c.tools), ToolChoice: []byte(c.choice)}
		got, err := r.tools()
		var all []string
		if got.offered != nil {
			for i, tool := range got.offered.List {
				all = append(all, fmt.Sprintf("offered %s at %s", tool.Name, got.pointer(i)))
			}
		}
		for _, tool := range got.unoffered {
			all = append(all, strings.TrimSpace("not offered "+tool.Type+" "+strings.TrimSuffix(tool.Name, "…")))
		}
		if invalid, ok := errors.AsType[*domain.Error](err); ok {
			all = []string{"refused " + invalid.Fields[0].Pointer}
		}
		if text := strings.Join(all, ", "); text != c.want {
			t.Errorf("%s: %q, want %q (%v)", name, text, c.want, err)
		}
	}
}
