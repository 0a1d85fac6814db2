package machine

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestOnceMoreIsWithinTheLimit verifies that an action that a person repeats counts against the limit like any
// other; if the limit is reached, the AI receives an error instead.
func TestOnceMoreIsWithinTheLimit(t *testing.T) {
	again := &domain.PlannedCommands{Actions: []*domain.Execution{{ID: "exe_2"}}}
	for name, c := range map[string]struct {
		again *domain.PlannedCommands
		most  *int
		ran   int
		want  bool
	}{
		"no limit":                 {again, nil, 100, true},
		"room for one":             {again, new(3), 2, true},
		"no room":                  {again, new(3), 3, false},
		"it is not to be repeated": {nil, nil, 0, false},
		"there is nothing to run":  {&domain.PlannedCommands{}, nil, 0, false},
	} {
		w := newWorld(t, domain.Chat)
		w.settings.Limits.Chat.MaxCommandsPerSession = c.most
		w.s.State.CommandsRun = c.ran
		s := &step{session: w.s, policy: w.policy(), event: domain.ExternalResultReceived{Again: c.again}}
		if got := wantedAgain(s); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
