package userdata

import "testing"

// TestAgentCommand: the words of a name are parted by underscores.
func TestAgentCommand(t *testing.T) {
	for name, want := range map[string]string{"ContextManager": "AGENT.CONTEXT_MANAGER", "finder": "AGENT.FINDER", "Agent2Agent": "AGENT.AGENT2_AGENT"} {
		if got := (&AgentDefinition{AgentFields: AgentFields{Name: name}}).Command(); got != want {
			t.Errorf("the command of %s is %s, not %s", name, got, want)
		}
	}
}
