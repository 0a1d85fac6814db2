package userdata

import (
	"slices"
	"testing"
)

// TestAgentPatchLeavesTheRest: what a patch does not name is unchanged, and its list is not shared.
func TestAgentPatchLeavesTheRest(t *testing.T) {
	name, off, commands := "Finder", false, []string{"SEARCH"}
	a := AgentDefinition{Name: "Old", Description: "finds", Commands: []string{"A", "B"}, MaxTurns: 3, Enabled: true}
	AgentPatch{}.Apply(&a)
	if a.Name != "Old" || len(a.Commands) != 2 || !a.Enabled {
		t.Errorf("an empty patch changed the agent: %+v", a)
	}
	AgentPatch{Name: &name, Enabled: &off, Commands: &commands}.Apply(&a)
	commands[0] = "CHANGED"
	if a.Name != "Finder" || a.Enabled || a.Description != "finds" || a.MaxTurns != 3 || !slices.Equal(a.Commands, []string{"SEARCH"}) {
		t.Errorf("the patched agent is %+v", a)
	}
}

// TestAgentCommand: the words of a name are parted by underscores.
func TestAgentCommand(t *testing.T) {
	for name, want := range map[string]string{"ContextManager": "AGENT.CONTEXT_MANAGER", "finder": "AGENT.FINDER", "Agent2Agent": "AGENT.AGENT2_AGENT"} {
		if got := (&AgentDefinition{Name: name}).Command(); got != want {
			t.Errorf("the command of %s is %s, not %s", name, got, want)
		}
	}
}
