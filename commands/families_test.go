package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

func namesOf(specs []domain.CommandSpec) []string {
	names := make([]string, len(specs))
	for i := range specs {
		names[i] = specs[i].Name
	}
	return names
}

// manyTools are commands of a connector.
func manyTools(n, description int) []domain.CommandSpec {
	var specs []domain.CommandSpec
	for i := range n {
		specs = append(specs, domain.CommandSpec{
			Name: fmt.Sprintf("SHOP.TOOL_%02d", i), Kind: domain.KindAction, Source: domain.SourceHTTP, Connector: "con_1",
			Effect: domain.EffectIdempotent, Description: "Does it. " + strings.Repeat("x", description),
			Params: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`),
		})
	}
	return specs
}

// TestFamiliesWithoutUse: the catalogue's commands are offered whole, once the workspace has something that they act
// on. The commands of connectors and agents are by name where they are many or large.
func TestFamiliesWithoutUse(t *testing.T) {
	ours := domain.CommandSpec{Name: "AGENT.CLERK", Kind: domain.KindQuery, Source: domain.SourceAgent}
	standard := domain.CommandSpec{Name: "AGENT.CONTEXT_MANAGER", Kind: domain.KindQuery, Source: domain.SourceAgent, BuiltInAgent: true}
	ofData := []string{"ZONES", "TOOL_DATA", "CREATE_TOOL", "DELETE_ZONE", "CREATE_TOOL_TYPE"}
	ofDocuments := []string{"CONTEXT", "CONTEXT_EDIT", "CONTEXT_UPDATE", "CONTEXT_PUBLISH"}
	for name, tt := range map[string]struct {
		uses    definitions.Uses
		added   []string
		outside []domain.CommandSpec
		whole   []string
		named   []string
		neither []string
	}{
		"nothing": {
			whole:   []string{"APP_STATE", "SCHEMA", "CREATE_ZONE", createAutomation, "ASK_USER"},
			neither: append(append(ofData, ofDocuments...), "SEARCH", "COMMANDS"),
		},
		"zones":                   {uses: definitions.Uses{Zones: true}, whole: append(ofData, "SEARCH"), neither: ofDocuments},
		"documents":               {uses: definitions.Uses{Documents: true}, whole: append(ofDocuments, "SEARCH"), neither: ofData},
		"an agent of everybody's": {outside: []domain.CommandSpec{standard}, whole: ofDocuments, neither: []string{"AGENT.CONTEXT_MANAGER", "COMMANDS"}},
		"one that was called":     {outside: []domain.CommandSpec{standard}, added: []string{"AGENT.CONTEXT_MANAGER"}, whole: []string{"AGENT.CONTEXT_MANAGER"}},
		"an agent of its own":     {outside: []domain.CommandSpec{standard, ours}, whole: []string{"AGENT.CONTEXT_MANAGER", "AGENT.CLERK"}},
		"a small connector":       {outside: manyTools(20, 10), whole: []string{"SHOP.TOOL_00"}, neither: []string{"COMMANDS"}},
		"a connector of many":     {outside: manyTools(21, 10), named: []string{"SHOP.TOOL_00"}, whole: []string{"COMMANDS"}},
		"large definitions":       {outside: manyTools(10, 2000), named: []string{"SHOP.TOOL_09"}},
		"a large one that is used": {
			outside: manyTools(21, 10), added: []string{"SHOP.TOOL_03"}, named: []string{"SHOP.TOOL_04"}, whole: []string{"SHOP.TOOL_03"},
		},
	} {
		w := newWorld(t)
		w.env.Uses, w.env.Outside = tt.uses, tt.outside
		w.env.Uses.Added = tt.added
		offer := w.c.Offer(&w.env)
		whole, named := namesOf(offer.Whole), namesOf(offer.Named)
		check := func(list []string, isWhole, isNamed bool) {
			for _, want := range list {
				if slices.Contains(whole, want) != isWhole || slices.Contains(named, want) != isNamed {
					t.Errorf("%s: %s: whole are %v, and by name %v", name, want, whole, named)
				}
			}
		}
		check(tt.whole, true, false)
		check(tt.named, false, true)
		check(tt.neither, false, false)
	}
}

// TestNothingIsLostWithItsUse: a workspace that has everything is offered all commands of the catalogue whole.
func TestNothingIsLostWithItsUse(t *testing.T) {
	w := newWorld(t)
	w.env.Uses = definitions.Uses{Zones: true, Documents: true}
	if got, all := namesOf(w.c.Offer(&w.env).Whole), namesOf(w.c.SpecsIn(&w.env)); !slices.Equal(got, all) {
		t.Errorf("offered are %v, of %v", got, all)
	}
}

// TestMinimalDescribesNoParams, and names them all, whole as they are. What the definition of an agent names is
// offered in any case.
func TestMinimalDescribesNoParams(t *testing.T) {
	w := newWorld(t)
	w.env.Uses = definitions.Uses{Zones: true, Documents: true}
	normal := w.c.Offer(&w.env).Whole
	w.env.Settings.PromptDetail = "minimal"
	minimal := w.c.Offer(&w.env).Whole
	if !slices.Equal(namesOf(normal), namesOf(minimal)) {
		t.Fatalf("minimal offers %v", namesOf(minimal))
	}
	for i := range minimal {
		text := string(minimal[i].Params)
		if minimal[i].Name != "TOOL_DATA" && minimal[i].Name != "TOOL_STATS" && strings.Contains(text, `"description":"`) {
			t.Errorf("%s describes params: %s", minimal[i].Name, text)
		}
		if got, want := keysOf(t, minimal[i].Params), keysOf(t, normal[i].Params); !slices.Equal(got, want) {
			t.Errorf("%s takes %v, of %v", minimal[i].Name, got, want)
		}
	}
	w.env.Uses, w.env.SessionType, w.env.Restricted, w.env.Only = definitions.Uses{}, domain.Agent, true, []string{"DELETE_ZONE"}
	if offer := w.c.Offer(&w.env); !slices.Contains(namesOf(offer.Whole), "DELETE_ZONE") {
		t.Errorf("an agent is offered %v", namesOf(offer.Whole))
	}
}

func keysOf(t *testing.T, params json.RawMessage) []string {
	t.Helper()
	var schema struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(params, &schema); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(schema.Properties))
}

// TestACallByNameIsAnsweredWithTheDefinition: it is neither an error nor run, and the actions beside it wait. A
// command of the catalogue that has nothing to act on yet finds nothing.
func TestACallByNameIsAnsweredWithTheDefinition(t *testing.T) {
	w := newWorld(t)
	w.env.Outside = manyTools(21, 10)
	w.env.Uses = definitions.Uses{}
	plan := w.plan(w.command("SHOP.TOOL_03", `{"n":1}`), w.command("CREATE_ZONE", `{"name":"a"}`))
	got := plan.Commands
	if plan.Problem != "" || len(got.Queries) != 1 || len(got.Actions) != 0 || len(got.Refused) != 1 {
		t.Fatalf("planned %+v, problem %q", got, plan.Problem)
	}
	sent := func(context.Context, outside.Call) (outside.Result, error) {
		t.Error("it was sent")
		return outside.Result{}, nil
	}
	outcome := w.c.RunQueries(t.Context(), w.data, sent, w.env, got.Queries)
	if !slices.Equal(outcome.Added, []string{"SHOP.TOOL_03"}) || got.Queries[0].Status != domain.ExecSuccess ||
		!strings.Contains(got.Queries[0].Text, "Nothing was run.") || !strings.Contains(got.Queries[0].Text, `"SHOP_TOOL_03"`) {
		t.Errorf("added %v, %s: %s", outcome.Added, got.Queries[0].Status, got.Queries[0].Text)
	}
	w.env.Uses.Added = outcome.Added
	if again := w.plan(w.command("SHOP.TOOL_03", `{"n":1}`)).Commands; len(again.Actions) != 1 {
		t.Errorf("with its definition: %+v", again)
	}
	if fits := w.plan(w.command("ZONES", `{}`)).Commands.Queries[0]; fits.Command != "ZONES" || fits.Error != nil {
		t.Errorf("a call without use: %+v", fits)
	}
	if misfits := w.plan(w.command("ZONE_CONFIG", `{"zone":"x"}`)).Commands.Queries[0]; misfits.Command != "ZONE_CONFIG" || misfits.Status != domain.ExecFailed {
		t.Errorf("a call that does not fit: %+v", misfits)
	}
}

// TestCommands: names as the catalogue or a model writes them. An unknown one lists those offered by name.
func TestCommands(t *testing.T) {
	w := newWorld(t)
	w.env.Outside, w.env.Uses = manyTools(21, 10), definitions.Uses{}
	plan := w.plan(w.command(domain.AddCommands, `{"names":["SHOP_TOOL_01","shop.tool_02","CREATE_ZONE"]}`), w.command(domain.AddCommands, `{"names":["NOPE"]}`)).Commands
	outcome := w.c.RunQueries(t.Context(), w.data, nil, w.env, plan.Queries)
	if want := []string{"SHOP.TOOL_01", "SHOP.TOOL_02", "CREATE_ZONE"}; !slices.Equal(outcome.Added, want) {
		t.Errorf("added %v", outcome.Added)
	}
	if e := plan.Queries[1]; e.Status != domain.ExecFailed || !strings.Contains(e.Error.Message, "SHOP.TOOL_20") {
		t.Errorf("an unknown name: %s, %+v", e.Status, e.Error)
	}
	var schema map[string]any
	for _, spec := range w.c.Offer(&w.env).Whole {
		if strings.Contains(string(spec.Params), "validation_request") || strings.Contains(string(spec.Params), `"repeat"`) {
			t.Errorf("%s repeats what holds for all actions: %s", spec.Name, spec.Params)
		}
		if json.Unmarshal(spec.Params, &schema) != nil || schema["type"] != "object" {
			t.Errorf("%s: %s", spec.Name, spec.Params)
		}
	}
}
