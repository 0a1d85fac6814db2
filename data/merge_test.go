package data

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain/userdata"
)

// tripType has objects and lists within: what a form of one level never shows.
const tripType = `{"type":"object","additionalProperties":false,"required":["from"],"properties":{
	"from":{"type":"object","required":["city"],"properties":{"city":{"type":"string"},"zip":{"type":"string"}}},
	"stops":{"type":"array","items":{"type":["string","null"]}},"price":{"type":"number"}}}`

// A config and an entry's data are merged, and what comes out must fit the type: a patch
// that names half of an object is no half of an object.
func TestAnObjectIsMerged(t *testing.T) {
	s, _ := newService(t)
	ctx := t.Context()
	schema, before := json.RawMessage(tripType), json.RawMessage(`{"from":{"city":"Lyon","zip":"69001"},"price":1e2,"stops":["Nice"]}`)
	_, _, err := s.CreateToolType(ctx, ws, userdata.NewToolType{ID: "trip", ToolTypeFields: userdata.ToolTypeFields{Name: "Trip", ConfigSchema: schema, EntrySchema: schema}})
	if err != nil {
		t.Fatal(err)
	}
	for patch, c := range map[string]struct{ want, wrong string }{
		``:                            {want: `{"from":{"city":"Lyon","zip":"69001"},"price":1e2,"stops":["Nice"]}`},
		`{}`:                          {want: `{"from":{"city":"Lyon","zip":"69001"},"price":1e2,"stops":["Nice"]}`},
		`{"price":99999999999999999}`: {want: `{"from":{"city":"Lyon","zip":"69001"},"price":99999999999999999,"stops":["Nice"]}`},
		`{"price":null}`:              {want: `{"from":{"city":"Lyon","zip":"69001"},"stops":["Nice"]}`},
		`{"from":{"zip":null}}`:       {want: `{"from":{"city":"Lyon"},"price":1e2,"stops":["Nice"]}`},
		`{"from":{"city":"Metz"}}`:    {want: `{"from":{"city":"Metz","zip":"69001"},"price":1e2,"stops":["Nice"]}`},
		`{"stops":["Pau",null]}`:      {want: `{"from":{"city":"Lyon","zip":"69001"},"price":1e2,"stops":["Pau",null]}`},
		`{"from":null}`:               {wrong: "@/from"},
		`{"from":{"city":null}}`:      {wrong: "@/from/city"},
		`{"from":{"city":7}}`:         {wrong: "@/from/city"},
		`{"colour":"red"}`:            {wrong: "@/colour"},
		`null`:                        {wrong: "@"},
		`[]`:                          {wrong: "@"},
	} {
		tool, _, err := s.CreateTool(ctx, ws, userdata.ToolFields{ZoneID: "zon_h", ToolType: "trip", Name: "Trip", Config: before})
		if err != nil {
			t.Fatal(err)
		}
		made, _, err := s.CreateEntries(ctx, ws, tool.ID, []userdata.EntryFields{{Data: before}})
		if err != nil {
			t.Fatal(err)
		}
		changed, _, err := s.UpdateTool(ctx, ws, tool.ID, 0, userdata.ToolPatch(named("config", patch)))
		expectMerged(t, "/config", patch, c.want, c.wrong, configOf(changed), err)
		entry, _, err := s.UpdateEntry(ctx, ws, made[0].ID, 0, userdata.EntryPatch(named("data", patch)))
		expectMerged(t, "/data", patch, c.want, c.wrong, dataOf(entry), err)
	}
}

// named is a patch of one field; of none where there is no value.
func named(field, value string) string {
	if value == "" {
		return "{}"
	}
	return `{"` + field + `":` + value + "}"
}

// expectMerged wants an object, or an error at a place in it: @ is where it stands.
func expectMerged(t *testing.T, at, patch, want, wrong string, got json.RawMessage, err error) {
	t.Helper()
	if wrong = strings.Replace(wrong, "@", at, 1); wrong != "" {
		if pointerOf(err) != wrong {
			t.Errorf("%s %s: %v at %s, not %s", at, patch, err, pointerOf(err), wrong)
		}
		return
	}
	if err != nil || string(got) != want {
		t.Errorf("%s %s: %s, %v", at, patch, got, err)
	}
}

func configOf(t *userdata.Tool) json.RawMessage {
	if t == nil {
		return nil
	}
	return t.Config
}

func dataOf(e *userdata.Entry) json.RawMessage {
	if e == nil {
		return nil
	}
	return e.Data
}
