package data

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// TestChangedMeanwhile verifies that a concurrent change between reading and writing is reported as a conflict and
// not overwritten.
func TestChangedMeanwhile(t *testing.T) {
	w := newWorld(t)
	zone, err := w.data.Zone(t.Context(), "zon_h")
	w.ok(err)
	race := staleZones{w.data}
	_, err = w.rules.UpdateZone(t.Context(), race, w.env, zone, userdata.ZonePatch(`{"name":"New"}`))
	if domain.ErrorCode(err) != domain.CodeConflict || !errors.Is(err, domain.ErrStale) {
		t.Errorf("a lost race: %v", err)
	}
}

type staleZones struct{ Store }

func (staleZones) UpdateZone(context.Context, *userdata.Zone) error { return domain.ErrStale }

func TestEntriesAreAddedAllOrNone(t *testing.T) {
	w := newWorld(t)
	count := func() int64 {
		n, err := w.data.CountEntries(t.Context(), "tol_w")
		w.ok(err)
		return n
	}
	in := make([]userdata.EntryFields, 500)
	for i := range in {
		in[i].Data = json.RawMessage(`{"value":70}`)
	}
	entries, change, err := w.rules.CreateEntries(t.Context(), w.data, w.env, "tol_w", in)
	if err != nil || len(entries) != 500 || change.Count != 500 || change.ID != "" || change.ToolID != "tol_w" || change.ZoneID != "zon_h" {
		t.Fatalf("%d entries, %+v, %v", len(entries), change, err)
	}
	in[499].Data = json.RawMessage(`{"value":7}`)
	before := count()
	_, _, err = w.rules.CreateEntries(t.Context(), w.data, w.env, "tol_w", in)
	if pointerOf(err) != "/entries/499/data/value" || count() != before {
		t.Errorf("%v, %d entries", err, count())
	}
	for _, n := range []int{0, 501} {
		_, _, err := w.rules.CreateEntries(t.Context(), w.data, w.env, "tol_w", make([]userdata.EntryFields, n))
		if domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%d entries: %v", n, err)
		}
	}
}

// TestDeletedEntriesAreCountedByTool verifies that deleting entries of several tools reports each tool once, with
// its count.
func TestDeletedEntriesAreCountedByTool(t *testing.T) {
	w := newWorld(t)
	w.ok(w.data.InsertTool(t.Context(), &userdata.Tool{
		ID:         "tol_j",
		ToolFields: userdata.ToolFields{ZoneID: "zon_h", ToolType: "journal", Name: "Diary", Config: json.RawMessage(`{}`)},
		CreatedAt:  noon,
		UpdatedAt:  noon,
	}))
	w.ok(w.data.InsertEntries(t.Context(), []userdata.Entry{{
		ID: "ent_j", ToolID: "tol_j", Timestamp: noon, Data: json.RawMessage(`{"text":"Rain."}`), Version: 1, CreatedAt: noon, UpdatedAt: noon,
	}}))
	found, err := FindEntries(t.Context(), w.data, []string{"ent_a", "ent_j", "ent_b", "ent_a"})
	if err != nil || len(found) != 3 {
		t.Fatalf("%d entries, %v", len(found), err)
	}
	changes, err := w.rules.DeleteEntries(t.Context(), w.data, w.env, found...)
	if err != nil || len(changes) != 2 || changes[0].Count != 2 || changes[0].ID != "" ||
		changes[1].ID != "ent_j" || changes[1].SessionID != "ses_1" {
		t.Errorf("%+v, %v", changes, err)
	}
	if _, err := FindEntries(t.Context(), w.data, []string{"ent_x", "ent_a"}); pointerOf(err) != "/entry_ids/0" {
		t.Errorf("an unknown entry: %v", err)
	}
}

// What is refused, where, and in whose words.
func TestWhatMayBeStored(t *testing.T) {
	long := strings.Repeat("x", 201)
	for about, tt := range map[string]struct {
		try     func(w *world) error
		pointer string
	}{
		"a zone without a name": {func(w *world) error {
			_, _, err := w.rules.CreateZone(t.Context(), w.data, w.env, userdata.ZoneFields{Name: " "})
			return err
		}, "/name"},
		"a long name":              {func(w *world) error { return w.zone(userdata.ZonePatch(`{"name":"` + long + `"}`)) }, "/name"},
		"a name of two lines":      {func(w *world) error { return w.zone(userdata.ZonePatch(`{"name":"a\nb"}`)) }, "/name"},
		"no colour":                {func(w *world) error { return w.zone(userdata.ZonePatch(`{"colour":"#12"}`)) }, "/colour"},
		"a zone that is not there": {func(w *world) error { return w.tool(userdata.ToolPatch(`{"zone_id":"zon_x"}`)) }, "/zone_id"},
		"min above max": {func(w *world) error {
			return w.tool(userdata.ToolPatch(`{"config":{"min":300}}`))
		}, "/config/max"},
		"a field that the type has not": {func(w *world) error {
			return w.tool(userdata.ToolPatch(`{"config":{"colour":"red"}}`))
		}, "/config/colour"},
		"a config that is no object": {func(w *world) error {
			return w.tool(userdata.ToolPatch(`{"config":[]}`))
		}, "/config"},
		"a type that is not there": {func(w *world) error {
			_, _, err := w.rules.CreateTool(t.Context(), w.data, w.env, userdata.ToolFields{ZoneID: "zon_h", ToolType: "mood", Name: "Mood"})
			return err
		}, "/tool_type"},
		"a key with spaces": {func(w *world) error {
			_, _, err := w.rules.CreateDocument(t.Context(), w.data, w.env, userdata.NewDocument{Key: "No Spaces", DocumentFields: userdata.DocumentFields{Body: "a"}})
			return err
		}, "/key"},
		"a schema of texts": {func(w *world) error {
			_, _, err := w.rules.CreateToolType(t.Context(), w.data, w.env, userdata.NewToolType{
				ID:             "mood",
				ToolTypeFields: userdata.ToolTypeFields{Name: "Mood", ConfigSchema: json.RawMessage(`{"type":"object"}`), EntrySchema: json.RawMessage(`{"type":"string"}`)},
			})
			return err
		}, "/entry_schema"},
	} {
		w := newWorld(t)
		if err := tt.try(w); err == nil || pointerOf(err) != tt.pointer {
			t.Errorf("%s: %v at %s, want %s", about, err, pointerOf(err), tt.pointer)
		}
	}
}

func (w *world) zone(p userdata.ZonePatch) error {
	zone, err := w.data.Zone(w.t.Context(), "zon_h")
	w.ok(err)
	_, err = w.rules.UpdateZone(w.t.Context(), w.data, w.env, zone, p)
	return err
}

func (w *world) tool(p userdata.ToolPatch) error {
	tool, err := w.data.Tool(w.t.Context(), "tol_w")
	w.ok(err)
	_, err = w.rules.UpdateTool(w.t.Context(), w.data, w.env, tool, p)
	return err
}
