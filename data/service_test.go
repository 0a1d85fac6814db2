package data

import (
	"encoding/json"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// A patch changes what it names and nothing else, once: each field of each noun.
func TestAPatchChangesWhatItNames(t *testing.T) {
	s, _ := newService(t)
	ctx := t.Context()
	zone, seq, err := s.UpdateZone(ctx, ws, "zon_h", 0, userdata.ZonePatch(`{"colour":"teal","description":null}`))
	if err != nil || seq == 0 || zone.Name != "Health" || zone.Colour != "teal" || zone.Description != "" || zone.Version != 2 {
		t.Errorf("the zone: %+v, %d, %v", zone, seq, err)
	}
	if stored, err := s.Zone(ctx, ws, "zon_h"); err != nil || stored.Colour != "teal" || stored.Version != 2 || !stored.UpdatedAt.Equal(noon) {
		t.Errorf("stored: %+v, %v", stored, err)
	}
	work, _, err := s.CreateZone(ctx, ws, userdata.ZoneFields{Name: "Work", Position: 3})
	if err != nil || work.Version != 1 || work.Position != 3 {
		t.Fatalf("%+v, %v", work, err)
	}
	tool, _, err := s.UpdateTool(ctx, ws, "tol_w", 0, userdata.ToolPatch(`{"zone_id":"`+work.ID+`","always_send":true,"position":9}`))
	if err != nil || tool.ZoneID != work.ID || !tool.AlwaysSend || tool.Position != 9 || tool.Name != "Weight" ||
		string(tool.Config) != `{"max":200,"min":30,"unit":"kg"}` {
		t.Errorf("the tool: %+v, %v", tool, err)
	}
	entry, _, err := s.UpdateEntry(ctx, ws, "ent_a", 0, userdata.EntryPatch(`{"timestamp":"2026-11-02T08:00"}`))
	if err != nil || entry.Timestamp.Hour() != 8 || string(entry.Data) != `{"value":72.5}` {
		t.Errorf("the entry: %+v, %v", entry, err)
	}
	doc, _, err := s.CreateDocument(ctx, ws, userdata.NewDocument{Key: "about", DocumentFields: userdata.DocumentFields{Body: "I run."}})
	if err != nil || doc.Title != "about" {
		t.Fatalf("%+v, %v", doc, err)
	}
	doc, _, err = s.UpdateDocument(ctx, ws, doc.ID, 1, userdata.DocumentPatch(`{"title":"About"}`))
	if err != nil || doc.Title != "About" || doc.Body != "I run." || doc.Version != 2 {
		t.Errorf("the document: %+v, %v", doc, err)
	}
	object := json.RawMessage(`{"type":"object"}`)
	mood, _, err := s.CreateToolType(ctx, ws, userdata.NewToolType{ID: "mood", ToolTypeFields: userdata.ToolTypeFields{Name: "Mood", ConfigSchema: object, EntrySchema: object}})
	if err != nil {
		t.Fatal(err)
	}
	few := userdata.ToolTypePatch(`{"entry_schema":{ "type": "object", "maxProperties": 1 }}`)
	mood, _, err = s.UpdateToolType(ctx, ws, mood.ID, mood.Version, few)
	if err != nil || mood.Name != "Mood" || string(mood.ConfigSchema) != string(object) ||
		string(mood.EntrySchema) != `{"maxProperties":1,"type":"object"}` {
		t.Errorf("the tool type: %+v, %v", mood, err)
	}
}

// TestStaleVersionsChangeNothing verifies that a request with a stale version changes and deletes nothing of any
// kind; a record that does not exist is not found, whatever the version.
func TestStaleVersionsChangeNothing(t *testing.T) {
	s, _ := newService(t)
	ctx := t.Context()
	doc, _, err := s.CreateDocument(ctx, ws, userdata.NewDocument{Key: "about", DocumentFields: userdata.DocumentFields{Body: "I run."}})
	if err != nil {
		t.Fatal(err)
	}
	object := json.RawMessage(`{"type":"object"}`)
	mood := userdata.NewToolType{ID: "mood", ToolTypeFields: userdata.ToolTypeFields{Name: "Mood", ConfigSchema: object, EntrySchema: object}}
	if _, _, err := s.CreateToolType(ctx, ws, mood); err != nil {
		t.Fatal(err)
	}
	name := `{"name":"New"}`
	for noun, tt := range map[string]struct {
		id  string
		try map[string]func(id string, version int64) error
	}{
		"zone": {"zon_h", map[string]func(string, int64) error{
			"update": func(id string, v int64) error {
				_, _, err := s.UpdateZone(ctx, ws, id, v, userdata.ZonePatch(`{"name":"New"}`))
				return err
			},
			"delete": func(id string, v int64) error { _, err := s.DeleteZone(ctx, ws, id, v, true); return err },
		}},
		"tool": {"tol_w", map[string]func(string, int64) error{
			"update": func(id string, v int64) error {
				_, _, err := s.UpdateTool(ctx, ws, id, v, userdata.ToolPatch(name))
				return err
			},
			"delete": func(id string, v int64) error { _, err := s.DeleteTool(ctx, ws, id, v, true); return err },
		}},
		"tool type": {"mood", map[string]func(string, int64) error{
			"update": func(id string, v int64) error {
				_, _, err := s.UpdateToolType(ctx, ws, id, v, userdata.ToolTypePatch(name))
				return err
			},
			"delete": func(id string, v int64) error { _, err := s.DeleteToolType(ctx, ws, id, v); return err },
		}},
		"entry": {"ent_a", map[string]func(string, int64) error{
			"update": func(id string, v int64) error {
				_, _, err := s.UpdateEntry(ctx, ws, id, v, nil)
				return err
			},
			"delete": func(id string, v int64) error { _, err := s.DeleteEntry(ctx, ws, id, v); return err },
		}},
		"document": {doc.ID, map[string]func(string, int64) error{
			"update": func(id string, v int64) error {
				_, _, err := s.UpdateDocument(ctx, ws, id, v, userdata.DocumentPatch(`{"title":"New"}`))
				return err
			},
			"publish": func(id string, v int64) error {
				_, _, err := s.PublishDocument(ctx, ws, id, v, domain.Author{})
				return err
			},
			"delete": func(id string, v int64) error { _, err := s.DeleteDocument(ctx, ws, id, v); return err },
		}},
	} {
		for what, try := range tt.try {
			err := try(tt.id, 7)
			changed := "The " + noun + " changed since you read it. Nothing was written; read it again."
			if domain.ErrorCode(err) != domain.CodePreconditionFailed || err.(*domain.Error).Message != changed {
				t.Errorf("%s a %s with another version: %v", what, noun, err)
			}
			err = try("xxx_1", 7)
			if domain.ErrorCode(err) != domain.CodeNotFound || err.(*domain.Error).Message != domain.NotFound(noun).Message {
				t.Errorf("%s a %s that is not there: %v", what, noun, err)
			}
			if what != "update" {
				continue
			}
			if err := try(tt.id, 1); err != nil {
				t.Errorf("%s a %s: %v", what, noun, err)
			}
		}
	}
}

// TestARefusedChangeLeavesNothing verifies that a rejected change stores nothing and emits no event.
func TestARefusedChangeLeavesNothing(t *testing.T) {
	s, _ := newService(t)
	ctx := t.Context()
	_, _, err := s.UpdateTool(ctx, ws, "tol_w", 1, userdata.ToolPatch(`{"name":"Mass","config":{"min":"light"}}`))
	if pointerOf(err) != "/config/min" {
		t.Errorf("%v", err)
	}
	if tool, err := s.Tool(ctx, ws, "tol_w"); err != nil || tool.Name != "Weight" || tool.Version != 1 {
		t.Errorf("%+v, %v", tool, err)
	}
	if _, err := s.DeleteTool(ctx, ws, "tol_w", 1, false); domain.ErrorCode(err) != domain.CodeNotEmpty {
		t.Errorf("a tool with entries: %v", err)
	}
	if _, err := s.DeleteZone(ctx, ws, "zon_h", 1, false); domain.ErrorCode(err) != domain.CodeNotEmpty {
		t.Errorf("a zone with tools: %v", err)
	}
	for _, change := range []func() error{
		func() error {
			_, _, err := s.UpdateToolType(ctx, ws, "tracking", 1, userdata.ToolTypePatch(`{"name":"X"}`))
			return err
		},
		func() error { _, err := s.DeleteToolType(ctx, ws, "goal", 0); return err },
	} {
		if err := change(); domain.ErrorCode(err) != domain.CodeForbidden {
			t.Errorf("a built-in type: %v", err)
		}
	}
	_, _, err = s.CreateEntries(ctx, ws, "tol_x", []userdata.EntryFields{{Data: json.RawMessage(`{}`)}})
	if domain.ErrorCode(err) != domain.CodeNotFound || pointerOf(err) != "none" {
		t.Errorf("entries of a tool that is not there: %v", err)
	}
}

// What was deleted comes back whole, once.
func TestADeletionIsUndone(t *testing.T) {
	s, _ := newService(t)
	ctx := t.Context()
	if _, err := s.DeleteZone(ctx, ws, "zon_h", 0, true); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.RestoreTool(ctx, ws, "tol_w"); domain.ErrorCode(err) != domain.CodeParentDeleted {
		t.Errorf("a tool of a zone that is gone: %v", err)
	}
	zone, first, err := s.RestoreZone(ctx, ws, "zon_h")
	if err != nil || zone.Name != "Health" {
		t.Fatalf("%+v, %v", zone, err)
	}
	if entry, err := s.Entry(ctx, ws, "ent_a"); err != nil || string(entry.Data) != `{"value":72.5}` {
		t.Errorf("%+v, %v", entry, err)
	}
	again, second, err := s.RestoreZone(ctx, ws, "zon_h")
	if err != nil || again.Version != zone.Version || second != first {
		t.Errorf("an undo of what is there: %+v, event %d after %d, %v", again, second, first, err)
	}
}
