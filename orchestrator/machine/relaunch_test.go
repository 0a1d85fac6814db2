package machine

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestResultsGood: whether the call that comes brings nothing but good results, which is
// when relaunch=on_error_only offers no commands.
func TestResultsGood(t *testing.T) {
	for _, c := range []struct {
		name    string
		kind    domain.SessionType
		parts   []part
		failing int
		status  domain.ExecutionStatus
		want    bool
	}{
		{"queries that went well", domain.Chat, []part{{"query", "ZONES"}, {"query", "APP_STATE"}}, 0, "", true},
		{"a query that failed", domain.Chat, []part{{"query", "ZONES"}, {"query", "ZONE_CONFIG"}}, 2, domain.ExecFailed, false},
		{"a query with wrong params", domain.Chat, []part{{"query", "ZONES"}, {"badquery", "ZONE_CONFIG"}}, 0, "", false},
		{"actions that went well", domain.Chat, []part{{"action", "CREATE_ZONE"}}, 0, "", true},
		{"an action that failed", domain.Chat, []part{{"action", "CREATE_ZONE"}}, 1, domain.ExecFailed, false},
		{"an action whose reply was lost", domain.Run, []part{{"action", "CREATE_ZONE"}}, 1, domain.ExecUnknown, false},
		{"a query that failed before an action that went well", domain.Chat, []part{{"query", "ZONES"}, {"action", "CREATE_ZONE"}}, 1, domain.ExecFailed, false},
		{"nothing but words", domain.Run, nil, 0, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c.kind)
			w.replans = true
			must := func(e domain.Event) {
				t.Helper()
				if _, err := w.do(e); err != nil {
					t.Fatal(err)
				}
			}
			if c.kind == domain.Chat {
				must(domain.UserMessageSent{Message: w.message("go")})
			} else {
				must(domain.SessionActivationRequested{})
				must(domain.EnrichmentsExecuted{})
			}
			received, parsed := w.answer("so", c.parts)
			must(received)
			must(parsed)
			for w.s.Phase == domain.ExecutingDataQueries || w.s.Phase == domain.ExecutingActions {
				e, _ := w.ran(c.failing, c.status)
				c.failing = 0
				must(e)
			}
			if w.s.Phase != domain.CallingAI || w.s.State.ResultsGood != c.want {
				t.Errorf("in %s the results are good: %v, want %v", w.s.Phase, w.s.State.ResultsGood, c.want)
			}
		})
	}
}
