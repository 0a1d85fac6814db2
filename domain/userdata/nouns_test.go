package userdata

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/fermata-dev/fermata/domain/mergepatch"
)

// TestFieldsAreFlatInJSON: the fields of a noun are beside its own, in the order in which the AI and archives have them.
func TestFieldsAreFlatInJSON(t *testing.T) {
	times := `"created_at":"0001-01-01T00:00:00Z","updated_at":"0001-01-01T00:00:00Z"`
	for _, tt := range []struct {
		noun any
		want string
	}{
		{
			Zone{ID: "zon_1", WorkspaceID: "ws", ZoneFields: ZoneFields{Name: "Home", Colour: "teal", Position: 2}, Version: 3},
			`{"id":"zon_1","name":"Home","description":"","colour":"teal","position":2,"require_validation":false,"version":3,` + times + `}`,
		},
		{
			Tool{ID: "tol_1", ToolFields: ToolFields{ZoneID: "zon_1", ToolType: "notes", Name: "N", Config: json.RawMessage(`{"a":1.0}`)}},
			`{"id":"tol_1","zone_id":"zon_1","tool_type":"notes","name":"N","description":"","config":{"a":1.0},"always_send":false,` +
				`"require_validation":false,"position":0,"version":0,` + times + `}`,
		},
		{
			ToolType{ID: "mood", ToolTypeFields: ToolTypeFields{Name: "Mood", ConfigSchema: json.RawMessage(`{}`)}, BuiltIn: true},
			`{"id":"mood","name":"Mood","description":"","config_schema":{},"entry_schema":null,"built_in":true,"version":0}`,
		},
		{
			Document{ID: "doc_1", Key: "about", DocumentFields: DocumentFields{Title: "About", Body: "I run."}, Version: 1},
			`{"id":"doc_1","key":"about","title":"About","body":"I run.","version":1,` + times + `}`,
		},
		{
			AgentFields{Name: "Finder", Commands: []string{"SEARCH"}, MaxTurns: 3, Enabled: true},
			`{"name":"Finder","commands":["SEARCH"],"max_turns":3,"token_budget":0,"enabled":true}`,
		},
		{EntryFields{Data: json.RawMessage(`{"value":1}`)}, `{"data":{"value":1}}`},
	} {
		if got, err := json.Marshal(tt.noun); err != nil || string(got) != tt.want {
			t.Errorf("%T: %s, %v\nnot %s", tt.noun, got, err, tt.want)
		}
	}
}

// TestPatchesOfTheUsersData: a schema is replaced whole, a config and an entry's data are merged, and a list of another
// noun is not shared.
func TestPatchesOfTheUsersData(t *testing.T) {
	was := json.RawMessage(`{"type":"object","x":{"a":1,"b":null}}`)
	expectPatched(t, ToolTypeFields{Name: "Mood", ConfigSchema: was, EntrySchema: was}, `{"config_schema":{"x":{"c":null}},"name":"M"}`,
		ToolTypeFields{Name: "M", ConfigSchema: json.RawMessage(`{"x":{"c":null}}`), EntrySchema: was})
	expectPatched(t, ToolFields{Name: "N", Config: was, Position: 3}, `{"config":{"x":{"a":null,"c":2}},"always_send":true}`,
		ToolFields{Name: "N", Config: json.RawMessage(`{"type":"object","x":{"b":null,"c":2}}`), Position: 3, AlwaysSend: true})
	expectPatched(t, EntryFields{Data: json.RawMessage(`{"a":1}`)}, `{"data":{"b":2}}`, EntryFields{Data: json.RawMessage(`{"a":1,"b":2}`)})
	expectPatched(t, DocumentFields{Title: "About", Body: "I run."}, `{"body":"I swim."}`, DocumentFields{Title: "About", Body: "I swim."})
	expectPatched(t, ZoneFields{Name: "Home", Description: "Ours"}, `{"description":null,"require_validation":true}`,
		ZoneFields{Name: "Home", RequireValidation: true})
	before := AgentFields{Name: "Old", Description: "finds", Commands: []string{"A", "B"}, MaxTurns: 3, Enabled: true}
	expectPatched(t, before, `{"name":"Finder","enabled":false,"commands":["SEARCH"]}`,
		AgentFields{Name: "Finder", Description: "finds", Commands: []string{"SEARCH"}, MaxTurns: 3})
	if before.Commands[0] != "A" {
		t.Error("the commands of another version were changed")
	}
}

// TestPatchesThatDoNotFitANoun: a name that a noun does not have, or has in another case, and a value of another type are
// errors, and what a client cannot set is no field.
func TestPatchesThatDoNotFitANoun(t *testing.T) {
	for _, patch := range []string{`{"Name":"Home"}`, `{"color":"teal"}`, `{"position":"2"}`, `{"version":3}`, `{"id":"zon_2"}`} {
		if err := ZonePatch(patch).Apply(&ZoneFields{}); err == nil {
			t.Errorf("%s was applied to a zone", patch)
		}
	}
	if err := DocumentPatch(`{"published_body":"x"}`).Apply(&DocumentFields{}); err == nil {
		t.Error("a draft was published by a patch")
	}
}

func expectPatched[F any](t *testing.T, fields F, patch string, want F) {
	t.Helper()
	if err := mergepatch.Patch[F](patch).Apply(&fields); err != nil || !reflect.DeepEqual(fields, want) {
		t.Errorf("%s: %+v, %v\nnot %+v", patch, fields, err, want)
	}
}
