package checks

import (
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// TestTheCatalogueListsCommandsOfConnectorsAndAgents that the settings allow, and no disabled agent.
func TestTheCatalogueListsCommandsOfConnectorsAndAgents(t *testing.T) {
	external := []domain.CommandSpec{{Name: "SHOP.ORDER"}, {Name: "SHOP.PAY"}}
	agents := []*userdata.AgentDefinition{
		{AgentFields: userdata.AgentFields{Name: "ContextManager", Enabled: true}}, {AgentFields: userdata.AgentFields{Name: "Critic", Enabled: true}}, {AgentFields: userdata.AgentFields{Name: "Retired"}},
	}
	for _, test := range []struct{ allowed, want []string }{
		{[]string{"*"}, []string{"SHOP.ORDER", "SHOP.PAY", "AGENT.CONTEXT_MANAGER", "AGENT.CRITIC"}},
		{[]string{"AGENT.*"}, []string{"AGENT.CONTEXT_MANAGER", "AGENT.CRITIC"}},
		{[]string{"AGENT.CRITIC", "SHOP.PAY"}, []string{"SHOP.PAY", "AGENT.CRITIC"}},
		{[]string{"AGENT.RETIRED"}, nil},
		{nil, nil},
	} {
		var got []string
		checks := Config{AgentCommand: func(a *userdata.AgentDefinition) domain.CommandSpec {
			return domain.CommandSpec{Name: a.Command(), Source: domain.SourceAgent}
		}}
		for _, spec := range checks.allowed(&domain.Settings{Commands: test.allowed}, external, agents) {
			got = append(got, spec.Name)
			if source := spec.Source; domain.CallsAgent(spec.Name) != (source == domain.SourceAgent) {
				t.Errorf("%s has the source %q", spec.Name, source)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("settings %v: got %v, want %v", test.allowed, got, test.want)
		}
	}
	if external[0].Name != "SHOP.ORDER" || external[1].Name != "SHOP.PAY" {
		t.Errorf("the connectors' list was changed: %v", external)
	}
}
