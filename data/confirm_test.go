package data

import (
	"encoding/json"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// TestRowsHaveTheTrustOfTheirWriter: what a round writes after it has read external content is outside, in every noun, and
// stays so until a person has changed the fields.
func TestRowsHaveTheTrustOfTheirWriter(t *testing.T) {
	w := newWorld(t)
	var taint *domain.Taint
	person := w.env
	person.Writer = trust.ByPerson()
	w.env.Writer = trust.BySession(taint.With(*domain.From(domain.OriginMCP, "WEB.GET (Web)")))
	ctx := t.Context()
	zone, _, err := w.rules.CreateZone(ctx, w.data, w.env, userdata.ZoneFields{Name: "A"})
	w.ok(err)
	tool, _, err := w.rules.CreateTool(ctx, w.data, w.env, userdata.ToolFields{ZoneID: zone.ID, ToolType: "notes", Name: "B"})
	w.ok(err)
	kind, _, err := w.rules.CreateToolType(ctx, w.data, w.env, userdata.NewToolType{ID: "own", ToolTypeFields: userdata.ToolTypeFields{
		Name: "C", ConfigSchema: json.RawMessage(`{"type":"object"}`), EntrySchema: json.RawMessage(`{"type":"object"}`)}})
	w.ok(err)
	entries, _, err := w.rules.CreateEntries(ctx, w.data, w.env, tool.ID, []userdata.EntryFields{{Data: json.RawMessage(`{"title":"t","text":"d"}`)}})
	w.ok(err)
	doc, _, err := w.rules.WriteDocument(ctx, w.data, w.env, "e", userdata.DocumentPatch(`{"body":"e"}`))
	w.ok(err)
	_, err = w.rules.PublishDocument(ctx, w.data, person, doc)
	w.ok(err)
	entry := &entries[0]
	levels := func() (all []string) {
		for _, r := range []trust.Record{zone.Trust, tool.Trust, kind.Trust, entry.Trust, doc.Trust} {
			all = append(all, r.Level.String())
		}
		return all
	}
	for _, level := range levels() {
		if level != "outside" {
			t.Fatalf("the rows are %v", levels())
		}
	}
	_, err = w.rules.UpdateZone(ctx, w.data, person, zone, userdata.ZonePatch(`{"name":"A2"}`))
	w.ok(err)
	_, err = w.rules.UpdateTool(ctx, w.data, person, tool, userdata.ToolPatch(`{"name":"B2"}`))
	w.ok(err)
	_, err = w.rules.UpdateToolType(ctx, w.data, person, kind, userdata.ToolTypePatch(`{"name":"C2"}`))
	w.ok(err)
	_, err = w.rules.UpdateEntry(ctx, w.data, person, entry, userdata.EntryPatch(`{"data":{"text":"d2"}}`))
	w.ok(err)
	_, err = w.rules.UpdateDocument(ctx, w.data, person, doc, userdata.DocumentPatch(`{"body":"e2"}`))
	w.ok(err)
	want := []string{"own", "own", "outside", "outside", "outside"} // the schemas, the title and the published text remain
	for i, level := range levels() {
		if level != want[i] {
			t.Errorf("after a person changed one field the rows are %v, want %v", levels(), want)
		}
	}
	stats, err := w.data.Stats(ctx, userdata.StatsFilter{ToolID: tool.ID})
	w.ok(err)
	if stats.Trust.Level != trust.Outside {
		t.Errorf("statistics of such entries are %v", stats.Trust)
	}
}
