package data

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// A tool type changes only as long as all that is stored fits it, and what was deleted
// under it comes back only if it still does.
func TestAToolTypeFitsWhatIsStored(t *testing.T) {
	s, _ := newService(t)
	ctx := t.Context()
	object := json.RawMessage(`{"type":"object"}`)
	mood, _, err := s.CreateToolType(ctx, ws, userdata.NewToolType{ID: "mood", ToolTypeFields: userdata.ToolTypeFields{Name: "Mood", ConfigSchema: object, EntrySchema: object}})
	if err != nil {
		t.Fatal(err)
	}
	again := userdata.NewToolType{ID: "mood", ToolTypeFields: userdata.ToolTypeFields{Name: "M", ConfigSchema: object, EntrySchema: object}}
	if _, _, err := s.CreateToolType(ctx, ws, again); domain.ErrorCode(err) != domain.CodeConflict {
		t.Errorf("the same id: %v", err)
	}
	tool, _, err := s.CreateTool(ctx, ws, userdata.ToolFields{
		ZoneID: "zon_h", ToolType: "mood", Name: "Mood", Config: json.RawMessage(`{ "scale": 5 }`),
	})
	if err != nil || string(tool.Config) != `{"scale":5}` {
		t.Fatalf("%+v, %v", tool, err)
	}
	asked := []userdata.EntryFields{{Data: json.RawMessage(`{"value":7}`)}, {Data: json.RawMessage(`{"value":3}`)}}
	entries, _, err := s.CreateEntries(ctx, ws, tool.ID, asked)
	if err != nil {
		t.Fatal(err)
	}
	five := userdata.ToolTypePatch(`{"entry_schema":{"type":"object","properties":{"value":{"maximum":5}}}}`)
	_, _, err = s.UpdateToolType(ctx, ws, "mood", 0, five)
	if domain.ErrorCode(err) != domain.CodeTypeMisfit || !strings.Contains(err.Error(), "0 configs and 1 entry") {
		t.Errorf("an entry that does not fit: %v", err)
	}
	if now, err := s.ToolType(ctx, ws, "mood"); err != nil || string(now.EntrySchema) != string(object) || now.Version != mood.Version {
		t.Errorf("a refused change left %+v, %v", now, err)
	}
	if _, err := s.DeleteEntry(ctx, ws, entries[0].ID, 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.UpdateToolType(ctx, ws, "mood", 0, five); err != nil {
		t.Errorf("all fits: %v", err)
	}
	if _, _, err := s.RestoreEntry(ctx, ws, entries[0].ID); domain.ErrorCode(err) != domain.CodeTypeMisfit {
		t.Errorf("an undo of what no longer fits: %v", err)
	}
	if _, err := s.DeleteToolType(ctx, ws, "mood", 0); domain.ErrorCode(err) != domain.CodeTypeInUse {
		t.Errorf("a type that a tool has: %v", err)
	}
	if _, err := s.DeleteTool(ctx, ws, tool.ID, 0, true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DeleteToolType(ctx, ws, "mood", 0); err != nil {
		t.Errorf("a type that nothing has: %v", err)
	}
	if _, _, err := s.RestoreTool(ctx, ws, tool.ID); domain.ErrorCode(err) != domain.CodeTypeMisfit {
		t.Errorf("an undo of a tool without its type: %v", err)
	}
}

// Sessions read what was published; a draft changes nothing for them.
func TestADocumentIsPublished(t *testing.T) {
	s, store := newService(t)
	ctx := t.Context()
	doc, _, err := s.CreateDocument(ctx, ws, userdata.NewDocument{Key: "about", DocumentFields: userdata.DocumentFields{Title: "About", Body: " "}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.CreateDocument(ctx, ws, userdata.NewDocument{Key: "about", DocumentFields: userdata.DocumentFields{Body: "x"}}); domain.ErrorCode(err) != domain.CodeConflict {
		t.Errorf("the same key: %v", err)
	}
	if _, _, err := s.PublishDocument(ctx, ws, doc.ID, 0, domain.Author{}); pointerOf(err) != "/key" {
		t.Errorf("an empty draft: %v", err)
	}
	w := &world{t: t, rules: NewRules(), env: Env{WorkspaceID: ws, Settings: domain.DefaultSettings(), Now: noon}}
	_, err = store.Write(ctx, ws, func(ctx context.Context, d Store) ([]domain.DataChange, error) {
		doc, change, err := w.rules.WriteDocument(ctx, d, w.env, "about", userdata.DocumentPatch(`{"body":"I run."}`))
		if err != nil || doc.Title != "About" || change.Operation != "updated" {
			t.Errorf("written by key: %+v, %+v, %v", doc, change, err)
		}
		return one(change, err)
	})
	w.ok(err)
	doc, _, err = s.PublishDocument(ctx, ws, doc.ID, 2, domain.Author{ID: "per_1", Name: "Ada"})
	if err != nil || doc.Published != "I run." || doc.PublishedAt == nil {
		t.Fatalf("%+v, %v", doc, err)
	}
	if all, _, err := s.DocumentVersions(ctx, ws, doc.ID, "", 10); err != nil || len(all) != 1 || all[0].AuthorID != "per_1" || all[0].AuthorName != "Ada" || all[0].SessionID != "" {
		t.Errorf("who published it: %+v, %v", all, err)
	}
	doc, _, err = s.UpdateDocument(ctx, ws, doc.ID, 0, userdata.DocumentPatch(`{"body":"A draft."}`))
	if err != nil || doc.Published != "I run." {
		t.Errorf("%+v, %v", doc, err)
	}
	versions, _, err := s.DocumentVersions(ctx, ws, doc.ID, "", 10)
	if err != nil || len(versions) != 1 {
		t.Fatalf("%+v, %v", versions, err)
	}
	if one, err := s.DocumentVersion(ctx, ws, doc.ID, versions[0].Version); err != nil || one.Body != "I run." {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := s.DeleteDocument(ctx, ws, doc.ID, 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.DocumentVersions(ctx, ws, doc.ID, "", 10); domain.ErrorCode(err) != domain.CodeNotFound {
		t.Errorf("the versions of what is gone: %v", err)
	}
	if back, _, err := s.RestoreDocument(ctx, ws, doc.ID); err != nil || back.Body != "A draft." {
		t.Errorf("%+v, %v", back, err)
	}
}

// A file is stored whole; a dry run stores nothing.
func TestAFileIsStored(t *testing.T) {
	s, _ := newService(t)
	ctx := t.Context()
	const file = "timestamp,value\n2026-11-01,70\n2026-11-03,71\n2026-11-02,72\n"
	for _, dryRun := range []bool{true, false} {
		result, seq, err := s.ImportEntries(ctx, ws, "tol_w", strings.NewReader(file), dryRun)
		if err != nil || result.Count != 3 || result.First.Day() != 1 || result.Last.Day() != 3 || (seq == 0) != dryRun {
			t.Errorf("dry %v: %+v, %d, %v", dryRun, result, seq, err)
		}
		entries, _, err := s.Entries(ctx, ws, userdata.EntryQuery{EntryFilter: userdata.EntryFilter{ToolID: "tol_w", Limit: 10}})
		if want := map[bool]int{true: 2, false: 5}[dryRun]; err != nil || len(entries) != want {
			t.Errorf("dry %v: %d entries, %v", dryRun, len(entries), err)
		}
	}
	var out bytes.Buffer
	if err := s.ExportEntries(ctx, ws, userdata.EntryQuery{EntryFilter: userdata.EntryFilter{ToolID: "tol_w"}}, &out); err != nil || strings.Count(out.String(), "\n") != 6 {
		t.Errorf("%s, %v", out.String(), err)
	}
	if _, _, err := s.ImportEntries(ctx, ws, "tol_x", strings.NewReader(file), true); domain.ErrorCode(err) != domain.CodeNotFound {
		t.Errorf("a tool that is not there: %v", err)
	}
}

// Statistics are of the field, the period and the groups that are asked for.
func TestStatistics(t *testing.T) {
	s, _ := newService(t)
	for about, tt := range map[string]struct {
		query   userdata.StatsQuery
		groups  int
		count   int64
		pointer string
	}{
		"all of it":     {userdata.StatsQuery{ToolID: "tol_w"}, 1, 2, ""},
		"a day":         {userdata.StatsQuery{ToolID: "tol_w", Field: "value", Period: calendar.Period{Relative: "-1_DAY"}}, 1, 1, ""},
		"by day":        {userdata.StatsQuery{ToolID: "tol_w", GroupBy: "day"}, 2, 1, ""},
		"by week":       {userdata.StatsQuery{ToolID: "tol_w", GroupBy: "week"}, 1, 2, ""},
		"another field": {userdata.StatsQuery{ToolID: "tol_w", Field: "kg"}, 0, 0, "/field"},
		"by year":       {userdata.StatsQuery{ToolID: "tol_w", GroupBy: "year"}, 0, 0, "/group_by"},
		"by a field":    {userdata.StatsQuery{ToolID: "tol_w", GroupBy: "value"}, 2, 1, ""},
		"some of it":    {userdata.StatsQuery{ToolID: "tol_w", Where: json.RawMessage(`{"value": {"lt": -1e6}}`)}, 1, 0, ""},
		"unknown field": {userdata.StatsQuery{ToolID: "tol_w", Where: json.RawMessage(`{"kg": 1}`)}, 0, 0, "/where/kg"},
		"a bad period":  {userdata.StatsQuery{ToolID: "tol_w", Period: calendar.Period{Relative: "soon"}}, 0, 0, "/period"},
	} {
		stats, err := s.EntryStats(t.Context(), ws, tt.query)
		switch {
		case tt.pointer != "":
			if !strings.HasPrefix(pointerOf(err), tt.pointer) {
				t.Errorf("%s: %v", about, err)
			}
		case err != nil || len(stats) != tt.groups || stats[0].Count != tt.count:
			t.Errorf("%s: %+v, %v", about, stats, err)
		}
	}
}

// Lists, searches and periods are read from what is committed.
func TestReading(t *testing.T) {
	s, _ := newService(t)
	ctx := t.Context()
	if zones, next, err := s.Zones(ctx, ws, "", 10); err != nil || len(zones) != 1 || next != "" {
		t.Errorf("%+v, %q, %v", zones, next, err)
	}
	if tools, _, err := s.Tools(ctx, ws, "zon_h", "", 10); err != nil || len(tools) != 1 {
		t.Errorf("%+v, %v", tools, err)
	}
	if _, _, err := s.Tools(ctx, ws, "zon_x", "", 10); domain.ErrorCode(err) != domain.CodeNotFound {
		t.Errorf("the tools of a zone that is not there: %v", err)
	}
	if types, err := s.ToolTypes(ctx, ws); err != nil || len(types) != len(builtinTypes) || types[0].ID != "tracking" {
		t.Errorf("%+v, %v", types, err)
	}
	if _, _, err := s.CreateDocument(ctx, ws, userdata.NewDocument{Key: "about", DocumentFields: userdata.DocumentFields{Body: "I run."}}); err != nil {
		t.Fatal(err)
	}
	if hits, _, err := s.Search(ctx, ws, userdata.SearchQuery{Text: "run", Limit: 5}); err != nil || len(hits) != 1 || hits[0].Key != "about" {
		t.Errorf("%+v, %v", hits, err)
	}
	span, err := s.ResolvePeriod(ctx, ws, calendar.Period{Relative: "-1_DAY"})
	if err != nil || span.From.Day() != 17 || span.Until.Day() != 18 {
		t.Errorf("%+v, %v", span, err)
	}
	if _, err := s.ResolvePeriod(ctx, "nowhere", calendar.Period{Relative: "-1_DAY"}); domain.ErrorCode(err) != domain.CodeNotFound {
		t.Errorf("a workspace that is not there: %v", err)
	}
}
