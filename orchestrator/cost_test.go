package orchestrator

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/testkit/golden"
	"github.com/fermata-dev/fermata/prompt"
)

// standardAgents are the agents that every workspace has.
type standardAgents struct{}

func (standardAgents) Offered(context.Context, string, int64) ([]*userdata.AgentDefinition, error) {
	return []*userdata.AgentDefinition{{
		ID: "agt_1", BuiltIn: true,
		AgentFields: userdata.AgentFields{Name: "ContextManager", Enabled: true, Description: "Looks after the documents."},
	}}, nil
}

func (standardAgents) AgentVersion(context.Context, string, string, int64) (*userdata.AgentDefinition, error) {
	return nil, nil
}

// usedData is a workspace that uses every family.
type usedData struct{ noData }

func (usedData) Zones(context.Context) ([]userdata.Zone, error) {
	return []userdata.Zone{{ID: "zon_1"}}, nil
}
func (usedData) Documents(context.Context) ([]userdata.Document, error) {
	return []userdata.Document{{ID: "doc_1"}}, nil
}

// firstCall is the prompt of the first "hi" in a workspace.
func firstCall(t *testing.T, detail string, data commands.Data) *ai.Prompt {
	t.Helper()
	w := newWorld(t)
	w.ws.Settings.PromptDetail = detail
	w.ws.Settings.Commands = []string{domain.AllCommands}
	w.loop.agents = newAgents(standardAgents{})
	w.loop.cfg.Data = func(string) commands.Data { return data }
	w.model.text("Hello.")
	w.say("hi")
	w.rest()
	return w.model.asked[0]
}

// TestWhatTheFirstCallCosts bounds the first call in an empty workspace, and keeps the table in docs/prompt.md true.
func TestWhatTheFirstCallCosts(t *testing.T) {
	var table strings.Builder
	table.WriteString("| `prompt_detail` | workspace | rules | commands | the rest | all |\n| --- | --- | ---: | ---: | ---: | ---: |\n")
	for _, detail := range []string{"minimal", "normal", "full"} {
		for _, name := range []string{"empty", "used"} {
			data := map[string]commands.Data{"empty": noData{}, "used": usedData{}}[name]
			ask := firstCall(t, detail, data)
			all := prompt.Size(ask, prompt.EstimateTurns(ask.Turns))
			if most := map[string]int{"minimal": 1_500, "normal": 3_000}[detail]; name == "empty" && most > 0 && all > most {
				t.Errorf("%s: %d tokens, at most %d are wanted", detail, all, most)
			}
			table.WriteString(row(detail, name, ask, all))
		}
	}
	checkTable(t, "first call", table.String())
}

func row(detail, name string, ask *ai.Prompt, all int) string {
	offered := 0
	for i := range ask.Commands {
		offered += ai.DefinitionTokens(&ask.Commands[i])
	}
	rules := prompt.EstimateTokens(ask.System)
	return fmt.Sprintf("| `%s` | %s | %d | %d | %d | %d |\n", detail, name, rules, offered, all-rules-offered, all)
}

// TestWhatEachPartCosts keeps the table of the parts in docs/prompt.md true.
func TestWhatEachPartCosts(t *testing.T) {
	ask := firstCall(t, "normal", usedData{})
	var table strings.Builder
	table.WriteString("| part | tokens |\n| --- | ---: |\n")
	for part := range strings.SplitSeq(ask.System, "\n\n# ") {
		title, _, _ := strings.Cut(part, "\n")
		if len(title) > 40 {
			title = "Role and language"
		}
		fmt.Fprintf(&table, "| %s | %d |\n", title, prompt.EstimateTokens(part))
	}
	for i := range ask.Commands {
		fmt.Fprintf(&table, "| `%s` | %d |\n", ask.Commands[i].Name, ai.DefinitionTokens(&ask.Commands[i]))
	}
	checkTable(t, "parts", table.String())
}

// TestACallRecordsTheParts of its prompt, and how much of that the call before had sent.
func TestACallRecordsTheParts(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.model.text("Hello.")
		w.say("hi")
		w.rest()
	}
	for i, call := range w.roundtrips {
		p := call.PromptSize
		if sum := p.Rules + p.Commands + p.Data + p.History; sum != call.PromptTokens || p.Rules == 0 || p.Commands == 0 || p.History == 0 {
			t.Errorf("call %d of %d tokens has the parts %+v", i, call.PromptTokens, p)
		}
		if fixed := p.Rules + p.Commands + p.Data; i == 0 && call.Reused != 0 || i > 0 && (call.Reused <= fixed || call.Reused >= call.PromptTokens) {
			t.Errorf("call %d reuses %d of %d tokens", i, call.Reused, call.PromptTokens)
		}
	}
	if len(w.roundtrips) != 3 {
		t.Errorf("%d calls", len(w.roundtrips))
	}
}

// checkTable compares a table in the page with what was measured; -update writes it.
func checkTable(t *testing.T, name, table string) {
	t.Helper()
	const path = "../docs/prompt.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	before, rest, begins := strings.Cut(string(page), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s has no table %q", path, name)
	}
	golden.Check(t, path, before+begin+table+end+after)
}
