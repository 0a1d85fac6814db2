package commands

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestTheAIMayNotStoreABadSchema: CREATE_TOOL_TYPE fails with what is wrong and where,
// and nothing is stored.
func TestTheAIMayNotStoreABadSchema(t *testing.T) {
	var many strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, `"p%d":{},`, i)
	}
	for about, schema := range map[string]string{
		"itself":          `{"type":"object","$ref":"#"}`,
		"a file":          `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
		"another host":    `{"type":"object","properties":{"a":{"$ref":"http://other.host/x"}}}`,
		"a pattern":       `{"type":"object","properties":{"a":{"pattern":"(a{1000}){1000}"}}}`,
		"deep":            `{"type":"object","properties":` + strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 71),
		"many properties": `{"type":"object","properties":{` + many.String() + `"last":{}}}`,
		"large":           `{"type":"object","description":"` + strings.Repeat("x", 1<<19) + `"}`,
		"no object":       `{"type":"array"}`,
	} {
		for _, field := range []string{"config_schema", "entry_schema"} {
			w := newWorld(t)
			other := map[string]string{"config_schema": "entry_schema", "entry_schema": "config_schema"}[field]
			params := fmt.Sprintf(`{"id":"bad","name":"Bad",%q:%s,%q:{"type":"object"}}`, field, schema, other)
			plan := w.plan(w.command("CREATE_TOOL_TYPE", params))
			failed := plan.Problem
			if failed == "" && len(plan.Commands.Actions) == 1 {
				e := plan.Commands.Actions[0]
				w.act(plan.Commands.Actions)
				if e.Status != domain.ExecFailed || e.Error == nil {
					t.Errorf("%s in %s: %s", about, field, e.Status)
					continue
				}
				failed = e.Error.Message
				for _, f := range e.Error.Fields {
					failed += " " + f.Pointer
				}
			}
			if !strings.Contains(failed, field) && about != "deep" || failed == "" || len(failed) > 3000 {
				t.Errorf("%s in %s: %.600s", about, field, failed)
			}
			if len(w.types()) != 0 {
				t.Errorf("%s in %s was stored", about, field)
			}
		}
	}
}
