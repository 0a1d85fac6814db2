package commands

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// inventedNames are calls of what no session is offered: misspelled, made up, another workspace's, or cut.
var inventedNames = []string{
	"", " ", "zones", "Create_Zone", "CREATE_ZONES", "CREATE ZONE", "CREATE-ZONE", "CREATE_ZONE ", "CREATE_ZONE\n", "CREATE_ZONE\x00",
	"CREATE_ZONE;DELETE_ZONE", "CREATE_ZONE()", "functions.CREATE_ZONE", "../CREATE_ZONE", "*", "AGENT.*", "AGENT.", "AGENT.NOBODY", "AGENT_CLERK",
	"SHOP.PAY", "SHOP_PAY", "shop.pay", "SQL", "DROP_TABLE", "EXECUTE", "bash", "__proto__", "null", "{}", "CREATE_ZON\u0415", "\xff\xfe",
	strings.Repeat("CREATE_", 5_000),
}

// TestWhatIsNotOfferedIsRefused: whatever a model calls that its session may not call, it is refused and informed, and
// nothing beside it runs.
func TestWhatIsNotOfferedIsRefused(t *testing.T) {
	type call struct{ session, name string }
	calls := make([]call, 0, 100)
	for _, name := range inventedNames {
		calls = append(calls, call{"chat", name})
	}
	for _, name := range []string{listTasks, cancelTask} {
		calls = append(calls, call{"chat", name}, call{"run", name}, call{"agent", name})
	}
	calls = append(calls, call{"run", createAutomation})
	for _, spec := range newWorld(t).c.Specs() {
		if spec.Kind != domain.KindControl && spec.Name != "CONTEXT" && spec.Name != listTasks {
			calls = append(calls, call{"agent", spec.Name})
		}
	}
	if len(calls) < 50 {
		t.Fatalf("%d calls", len(calls))
	}
	for _, c := range calls {
		w := newWorld(t)
		beside := w.command("CREATE_ZONE", `{"name":"Beside"}`)
		switch c.session {
		case "run":
			w.env.SessionType, w.env.Approving.Type = domain.Run, domain.Run
		case "agent":
			w.env.SessionType, w.env.Approving.Type, w.env.Restricted, w.env.Only = domain.Agent, domain.Agent, true, []string{"CONTEXT"}
			beside = w.command("CONTEXT", `{}`)
		}
		plan := w.plan(w.command(c.name, `{}`), beside)
		if len(plan.Commands.Queries)+len(plan.Commands.Actions) > 0 || plan.Problem == "" || len(plan.Refused) != 2 {
			t.Errorf("%s: %.50q is planned: %+v", c.session, c.name, plan)
			continue
		}
		refused := plan.Refused
		if e := refused[0]; e.Status != domain.ExecFailed || e.Error.Code != codeUnknown {
			t.Errorf("%s: %.50q is %s: %+v", c.session, c.name, e.Status, e.Error)
		}
		if e := refused[1]; e.Status != domain.ExecCancelled {
			t.Errorf("%s: beside %.50q, %s is %s", c.session, c.name, e.Command, e.Status)
		}
	}
}
