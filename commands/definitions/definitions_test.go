package definitions

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestShortSchemas: what only a check needs is left out at every depth; what a model needs to choose stays.
func TestShortSchemas(t *testing.T) {
	var cached Cache
	for own, want := range map[string]string{
		`{"type":"object","properties":{},"additionalProperties":false}`:                                                                            `{"properties":{},"type":"object"}`,
		`{"type":"object","properties":{"a":{"type":"string","minLength":1,"maxLength":9,"pattern":"x","description":"A."}},"required":["a"]}`:      `{"properties":{"a":{"description":"A.","type":"string"}},"required":["a"],"type":"object"}`,
		`{"type":"object","properties":{"list":{"type":"array","minItems":1,"maxItems":5,"items":{"type":"object","additionalProperties":false}}}}`: `{"properties":{"list":{"items":{"type":"object"},"maxItems":5,"type":"array"}},"type":"object"}`,
		`{"type":"object","properties":{"where":{"type":"object","description":"Long."}}}`:                                                          `{"properties":{"where":{"description":"{paid: false, amount: {gt: 1000}}","type":"object"}},"type":"object"}`,
		`no schema`: `no schema`,
	} {
		for range 2 { // the second one is cached
			if got := string(cached.Short(json.RawMessage(own))); got != want {
				t.Errorf("%s is shortened to %s, want %s", own, got, want)
			}
		}
	}
}

// TestBareSchemas name the params and describe none, except for the forms of a period and of conditions.
func TestBareSchemas(t *testing.T) {
	var cached Cache
	own := `{"type":"object","properties":{"n":{"type":"integer","maximum":9,"description":"A."},"period":{"type":"object"}},"required":["n"]}`
	want := `{"properties":{"n":{"type":"integer"},"period":{"description":"` + jsonText(t, shortForms["period"]) + `","type":"object"}},"required":["n"],"type":"object"}`
	if got := string(cached.Bare(json.RawMessage(own))); got != want {
		t.Errorf("%s is shortened to %s, want %s", own, got, want)
	}
}

func jsonText(t *testing.T, text string) string {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(quoted[1 : len(quoted)-1])
}

// TestOpenSchemas: an external action takes the params of all actions beside its own, and stays as it is otherwise.
func TestOpenSchemas(t *testing.T) {
	var cached Cache
	for own, want := range map[string]string{
		`{"type":"object","additionalProperties":false}`:              `{"type":"object"}`,
		`{"type":"object","additionalProperties":{"type":"string"}}`:  `{"type":"object","additionalProperties":{"type":"string"}}`,
		`{"type": "object", "properties": {"a": {"type": "string"}}}`: `{"type": "object", "properties": {"a": {"type": "string"}}}`,
		`[]`: `[]`,
	} {
		if got := string(cached.Open(json.RawMessage(own))); got != want {
			t.Errorf("%s is %s, want %s", own, got, want)
		}
	}
}

// TestTheRequestIsLeftOut where it has no effect, and only the flag: another server's param of that name stays.
func TestTheRequestIsLeftOut(t *testing.T) {
	var cached Cache
	with := cached.WithFlags(json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`))
	var schema struct{ Properties map[string]json.RawMessage }
	if json.Unmarshal(with, &schema) != nil || len(schema.Properties) != 3 {
		t.Errorf("with flags: %s", with)
	}
	schema.Properties = nil
	if json.Unmarshal(cached.Unasked(with), &schema) != nil || len(schema.Properties) != 2 || schema.Properties[Validation] != nil {
		t.Errorf("without the request: %s", cached.Unasked(with))
	}
	if got := fmt.Sprint(Taken(json.RawMessage(`{"properties":{"repeat":{}}}`))); got != "[validation_request keep_control]" {
		t.Errorf("the flags are %s", got)
	}
}

// TestFind: by the name in the catalogue, or as a model writes it.
func TestFind(t *testing.T) {
	specs := []domain.CommandSpec{{Name: "ZONES"}, {Name: "SHOP.PAY"}}
	for _, c := range []struct{ name, want string }{{"ZONES", "ZONES"}, {" shop.pay", "SHOP.PAY"}, {"SHOP_PAY", "SHOP.PAY"}} {
		if got := Find(specs, c.name); got == nil || got.Name != c.want {
			t.Errorf("%q is %v", c.name, got)
		}
	}
	if Find(specs, "PAY") != nil {
		t.Error("a part of a name is found")
	}
}

// TestUses: what acts on something is used once the workspace has it.
func TestUses(t *testing.T) {
	writer := []domain.CommandSpec{{Name: "AGENT.OURS", Source: domain.SourceAgent, BuiltInAgent: true}}
	for _, tt := range []struct {
		uses    Uses
		family  string
		name    string
		outside []domain.CommandSpec
		want    bool
	}{
		{Uses{}, FamilyData, "ZONES", nil, false},
		{Uses{}, FamilyData, "APP_STATE", nil, true},
		{Uses{Zones: true}, FamilyData, "ZONES", nil, true},
		{Uses{}, FamilyDataChanges, "CREATE_ZONE", nil, true},
		{Uses{}, FamilyDataChanges, "CREATE_DATA", nil, false},
		{Uses{Documents: true}, FamilySearch, "SEARCH", nil, true},
		{Uses{}, FamilySearch, "SEARCH", writer, false},
		{Uses{}, FamilyDocuments, "CONTEXT", nil, false},
		{Uses{}, FamilyDocuments, "CONTEXT", writer, true},
		{Uses{Documents: true}, FamilyDocuments, "CONTEXT", nil, true},
		{Uses{}, FamilyTypes, "CREATE_TOOL_TYPE", nil, false},
		{Uses{}, FamilyControl, "ASK_USER", nil, true},
	} {
		if got := tt.uses.Has(tt.family, tt.name, tt.outside); got != tt.want {
			t.Errorf("%+v uses %s of %s: %v", tt.uses, tt.name, tt.family, got)
		}
	}
}

// TestAgents are offered where there is one that is not everybody's, or one was called.
func TestAgents(t *testing.T) {
	ours := domain.CommandSpec{Name: "AGENT.OURS", Source: domain.SourceAgent, BuiltInAgent: true}
	theirs := domain.CommandSpec{Name: "AGENT.THEIRS", Source: domain.SourceAgent}
	called := Uses{Added: []string{"AGENT.OURS"}}
	if (Uses{}).Agents([]domain.CommandSpec{ours}) || !called.Agents([]domain.CommandSpec{ours}) || !(Uses{}).Agents([]domain.CommandSpec{ours, theirs}) || called.Agents(nil) {
		t.Error("agents are offered with one of the workspace's own, or one that was called")
	}
}

// TestNamed: by the size of all definitions, and by the number of a connector's.
func TestNamed(t *testing.T) {
	of := func(n int, spec domain.CommandSpec) (specs []domain.CommandSpec) {
		for i := range n {
			own := spec
			own.Name = fmt.Sprintf("%s_%d", spec.Name, i)
			specs = append(specs, own)
		}
		return specs
	}
	small := domain.CommandSpec{Name: "SHOP.A", Source: domain.SourceHTTP, Connector: "con_1", Description: "Short."}
	large := small
	large.Description = string(make([]byte, 20_000))
	for name, tt := range map[string]struct {
		outside []domain.CommandSpec
		named   int
	}{
		"none":                  {},
		"a few":                 {outside: of(20, small)},
		"many of one connector": {outside: of(21, small), named: 21},
		"one that is large":     {outside: of(1, large), named: 1},
	} {
		if named := (Uses{}).Named(tt.outside); len(named) != tt.named {
			t.Errorf("%s: %v are by name, want %d", name, named, tt.named)
		}
	}
	if got := string(OwnParams([]domain.CommandSpec{small})[small.Name]); got != `{"type":"object"}` {
		t.Errorf("params that are not stated: %s", got)
	}
}
