package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

func TestActionsChangeData(t *testing.T) {
	for _, tt := range []struct {
		name, params string
		check        func(w *world) bool
		changes      string // noun, operation, count
		summary      string
	}{
		{"CREATE_ZONE", `{"name":"Work","description":"Office","colour":"#2563eb","require_validation":true}`,
			func(w *world) bool {
				z, ok := w.data.zones["zon_2"]
				return ok && z.Name == "Work" && z.RequireValidation && z.Version == 1 && z.CreatedAt.Equal(noon)
			}, "zone created 1", "Added the zone “Work”"},
		{"UPDATE_ZONE", `{"zone_id":"zon_h","name":"Body"}`,
			func(w *world) bool { return w.data.zones["zon_h"].Name == "Body" && w.data.zones["zon_h"].Version == 2 },
			"zone updated 1", "Changed the zone “Body”"},
		{"DELETE_ZONE", `{"zone_id":"zon_h","force":true}`,
			func(w *world) bool {
				return len(w.data.zones) == 1 && len(w.data.tools) == 1 && len(w.data.entries) == 0
			},
			"zone deleted 1", "Deleted the zone “Health”"},
		{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"tracking","name":"Steps","config":{"unit":"steps","min":0}}`,
			func(w *world) bool {
				return w.data.tools["tol_2"].Name == "Steps" && string(w.data.tools["tol_2"].Config) == `{"min":0,"unit":"steps"}`
			},
			"tool created 1", "Added the tool “Steps”"},
		{"UPDATE_TOOL", `{"tool_id":"tol_w","config":{"max":150,"min":null},"always_send":true}`,
			func(w *world) bool {
				return string(w.data.tools["tol_w"].Config) == `{"max":150,"unit":"kg"}` && w.data.tools["tol_w"].AlwaysSend
			},
			"tool updated 1", "Changed the tool “Weight”"},
		{"UPDATE_TOOL", `{"tool_id":"tol_j","zone_id":"zon_g"}`,
			func(w *world) bool { return w.data.tools["tol_j"].ZoneID == "zon_g" }, "tool updated 1", "Changed the tool “Diary”"},
		{"DELETE_TOOL", `{"tool_id":"tol_j"}`,
			func(w *world) bool { _, there := w.data.tools["tol_j"]; return !there }, "tool deleted 1", "Deleted the tool “Diary”"},
		{"CREATE_DATA", `{"tool_id":"tol_w","entries":[{"data":{"value":70}},{"timestamp":"2026-11-01","data":{"value":71.25}}]}`,
			func(w *world) bool {
				return w.data.entries["ent_2"].SessionID == "ses_1" && w.data.entries["ent_2"].Timestamp.Equal(noon) &&
					w.data.entries["ent_3"].Timestamp.Format("2006-01-02 15:04") == "2026-11-01 00:00" && string(w.data.entries["ent_3"].Data) == `{"value":71.25}`
			}, "entry created 2", "Added 2 entries to “Weight”"},
		{"UPDATE_DATA", `{"entry_id":"ent_1","data":{"value":73},"timestamp":"2026-11-02T08:00"}`,
			func(w *world) bool {
				return string(w.data.entries["ent_1"].Data) == `{"value":73}` && w.data.entries["ent_1"].Timestamp.Hour() == 8
			},
			"entry updated 1", "Changed an entry of “Weight”"},
		{"DELETE_DATA", `{"entry_ids":["ent_1","ent_2","ent_1"]}`,
			func(w *world) bool { return len(w.data.entries) == 0 }, "entry deleted 2", "Deleted 2 entries"},
		{"CREATE_TOOL_TYPE", `{"id":"book","name":"Book","config_schema":{"type":"object"},"entry_schema":{"type":"object","required":["title"]}}`,
			func(w *world) bool { return w.data.types["book"].Name == "Book" }, "tool_type created 1", "Added the tool type “Book”"},
		{"CONTEXT_UPDATE", `{"key":"about","body":"I swim."}`,
			func(w *world) bool {
				return w.data.docs["about"].Body == "I swim." && w.data.docs["about"].Published == "I run."
			},
			"document updated 1", "Changed the draft of “About me”"},
		{"CONTEXT_UPDATE", `{"key":"goals","title":"Goals","body":"Swim more."}`,
			func(w *world) bool {
				return w.data.docs["goals"].Title == "Goals" && w.data.docs["goals"].PublishedAt == nil
			},
			"document created 1", "Changed the draft of “Goals”"},
		{"CONTEXT_PUBLISH", `{"key":"about"}`,
			func(w *world) bool { return w.data.docs["about"].Version == 3 }, "document updated 1", "Published the document “About me”"},
	} {
		t.Run(tt.name+tt.params, func(t *testing.T) {
			w := newWorld(t)
			e, outcome := w.do(tt.name, tt.params)
			if e.Status != domain.ExecSuccess || outcome.Failed {
				t.Fatalf("%s: %+v", e.Status, e.Error)
			}
			if !tt.check(w) {
				t.Errorf("the data is wrong: %+v %+v %+v %+v", w.data.zones, w.data.tools, w.data.entries, w.data.docs)
			}
			var changes []string
			for _, c := range outcome.Changes {
				changes = append(changes, fmt.Sprintf("%s %s %d", c.Noun, c.Operation, c.Count))
				if c.SessionID != "ses_1" {
					t.Errorf("the change names no session: %+v", c)
				}
			}
			if got := strings.Join(changes, ", "); got != tt.changes {
				t.Errorf("changes %q, want %q", got, tt.changes)
			}
			if e.Summary != tt.summary || e.Text == "" || !json.Valid(e.Result) || !strings.Contains(outcome.Formatted, e.Text) {
				t.Errorf("summary %q, text %q, result %s", e.Summary, e.Text, e.Result)
			}
		})
	}
}

// Wrong values that fit the schema of the params fail when the action runs, each with
// a pointer, and leave the data as it was.
func TestActionsRefuseWrongValues(t *testing.T) {
	long := strings.Repeat("x", 201)
	for _, tt := range []struct{ name, params, code, pointer, message string }{
		{"CREATE_ZONE", `{"name":"` + long + `"}`, "invalid", "/name", "at most 200"},
		{"CREATE_ZONE", `{"name":"  "}`, "invalid", "/name", "required"},
		{"CREATE_ZONE", `{"name":"a","colour":"url(x)"}`, "invalid", "/colour", "#2563eb"},
		{"UPDATE_ZONE", `{"zone_id":"zon_h"}`, "invalid", "", "Nothing would change"},
		{"UPDATE_ZONE", `{"zone_id":"zon_x","name":"a"}`, "not_found", "/zone_id", "zon_h (Health)"},
		{"DELETE_ZONE", `{"zone_id":"zon_h"}`, "not_empty", "", "holds 2 tools"},
		{"DELETE_ZONE", `{"zone_id":"Health"}`, "not_found", "/zone_id", "zon_h (Health)"},
		{"CREATE_TOOL", `{"zone_id":"Health","tool_type":"tracking","name":"a"}`, "not_found", "/zone_id", "zon_h (Health)"},
		{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"diary","name":"a"}`, "invalid", "/tool_type", "journal, notes"},
		{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"tracking","name":"a","config":{"units":"kg"}}`, "invalid", "/config/units", `no field "units"`},
		{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"tracking","name":"a","config":{"min":5,"max":1}}`, "invalid", "/config/max", "below min"},
		{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"goal","name":"a","config":{"deadline":"soon"}}`, "invalid", "/config/deadline", "valid date"},
		{"UPDATE_TOOL", `{"tool_id":"tol_w"}`, "invalid", "", "Nothing would change"},
		{"UPDATE_TOOL", `{"tool_id":"tol_w","zone_id":"zon_x"}`, "not_found", "/zone_id", "There is no zone"},
		{"UPDATE_TOOL", `{"tool_id":"tol_w","config":{"min":"5"}}`, "invalid", "/config/min", "a number (without quotes), not a text"},
		{"DELETE_TOOL", `{"tool_id":"tol_w"}`, "not_empty", "", "holds 2 entries"},
		{"CREATE_DATA", `{"tool_id":"tol_w","entries":[{"data":{"value":70}},{"data":{"value":250}}]}`, "invalid", "/entries/1/data/value", "at least 30, at most 200 kg"},
		{"CREATE_DATA", `{"tool_id":"tol_w","entries":[{"data":{"value":"72"}}]}`, "invalid", "/entries/0/data/value", "without quotes"},
		{"CREATE_DATA", `{"tool_id":"tol_w","entries":[{"data":{"value":72,"kg":1}}]}`, "invalid", "/entries/0/data/kg", `no field "kg"`},
		{"CREATE_DATA", `{"tool_id":"tol_w","entries":[{"timestamp":"today","data":{"value":72}}]}`, "invalid", "/entries/0/timestamp", "is not a time"},
		{"CREATE_DATA", `{"tool_id":"Weight","entries":[{"data":{"value":72}}]}`, "not_found", "/tool_id", "tol_w (Weight)"},
		{"UPDATE_DATA", `{"entry_id":"ent_1"}`, "invalid", "", "Nothing would change"},
		{"UPDATE_DATA", `{"entry_id":"ent_1","data":{"value":null}}`, "invalid", "/data/value", "required"},
		{"UPDATE_DATA", `{"entry_id":"ent_9","data":{"value":1}}`, "not_found", "/entry_id", "TOOL_DATA"},
		{"DELETE_DATA", `{"entry_ids":["ent_1","ent_9"]}`, "not_found", "/entry_ids/1", "There is no entry"},
		{"CREATE_TOOL_TYPE", `{"id":"Book!","name":"Book","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`, "invalid", "/id", "a to z"},
		{"CREATE_TOOL_TYPE", `{"id":"journal","name":"Book","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`, "conflict", "", "already"},
		{"CREATE_TOOL_TYPE", `{"id":"book","name":"Book","config_schema":{"type":"object"},"entry_schema":{"type":"string"}}`, "invalid", "/entry_schema", "object"},
		{"CREATE_TOOL_TYPE", `{"id":"book","name":"Book","config_schema":{"type":"object"},"entry_schema":{"type":"object","$ref":"file:///etc/passwd"}}`, "invalid", "/entry_schema", "outside itself"},
		{"CREATE_TOOL_TYPE", `{"id":"book","name":"Book","config_schema":{"type":"object","properties":{"a":{"type":"nonsense"}}},"entry_schema":{"type":"object"}}`, "invalid", "/config_schema", "cannot be used"},
		{"CONTEXT_UPDATE", `{"key":"No Spaces","body":"a"}`, "invalid", "/key", "A key is"},
		{"CONTEXT_PUBLISH", `{"key":"nope"}`, "not_found", "/key", "about (About me)"},
	} {
		t.Run(tt.name+tt.params, func(t *testing.T) {
			w := newWorld(t)
			before := fmt.Sprint(w.data.zones, w.data.tools, w.data.entries, w.data.types, w.data.docs)
			e, outcome := w.do(tt.name, tt.params)
			if e.Status != domain.ExecFailed || !outcome.Failed || e.Error == nil {
				t.Fatalf("%s: %q", e.Status, e.Text)
			}
			if e.Error.Code != tt.code || !strings.Contains(e.Error.Message, tt.message) {
				t.Errorf("error %+v, want %s with %q", e.Error, tt.code, tt.message)
			}
			if tt.pointer != "" && (len(e.Error.Fields) == 0 || e.Error.Fields[0].Pointer != tt.pointer) {
				t.Errorf("fields %+v, want %s", e.Error.Fields, tt.pointer)
			}
			if after := fmt.Sprint(w.data.zones, w.data.tools, w.data.entries, w.data.types, w.data.docs); after != before {
				t.Errorf("the data changed: %s", after)
			}
			if !strings.HasPrefix(e.Summary, "Failed: ") {
				t.Errorf("summary %q", e.Summary)
			}
		})
	}
}

// The first failure cancels the rest, and what was done before it stays.
func TestFailureCancelsTheRest(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(w.command("CREATE_ZONE", `{"name":"One"}`), w.command("DELETE_TOOL", `{"tool_id":"tol_w"}`), w.command("CREATE_ZONE", `{"name":"Three"}`))
	outcome := w.act(plan.Commands.Actions)
	var got []string
	for _, e := range plan.Commands.Actions {
		got = append(got, string(e.Status))
	}
	if strings.Join(got, " ") != "SUCCESS FAILED CANCELLED" || !outcome.Failed || len(outcome.Changes) != 1 {
		t.Errorf("%v, %+v", got, outcome)
	}
	if last := plan.Commands.Actions[2]; last.Error == nil || last.Summary != "Not done: Add the zone “Three”" {
		t.Errorf("cancelled: %+v", last)
	}
	if len(w.data.zones) != 3 {
		t.Errorf("zones: %v", w.data.zones)
	}
}

// An error of the database is not the AI's to correct: the transaction is rolled back.
func TestDatabaseErrorsEndTheSeries(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(w.command("CREATE_ZONE", `{"name":"One"}`))
	broken := errors.New("the disk is gone")
	_, err := w.c.RunActions(t.Context(), w.data, w.env, plan.Commands.Actions, func(context.Context, func() error) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// Somebody else's change between reading and writing is told, not overwritten.
func TestChangedMeanwhile(t *testing.T) {
	w := newWorld(t)
	name := "New"
	if _, _, err := w.c.UpdateZone(t.Context(), w.data, w.env, "zon_h", ZonePatch{Name: &name, Version: new(int64(9))}); domain.ErrorCode(err) != domain.CodeConflict {
		t.Errorf("an expected version that is wrong: %v", err)
	}
	race := staleZones{w.data}
	if _, _, err := w.c.UpdateZone(t.Context(), race, w.env, "zon_h", ZonePatch{Name: &name}); domain.ErrorCode(err) != domain.CodeConflict || !errors.Is(err, domain.ErrStale) {
		t.Errorf("a lost race: %v", err)
	}
}

type staleZones struct{ *memory }

func (staleZones) UpdateZone(context.Context, *domain.Zone) error { return domain.ErrStale }

func TestEntriesAreAddedAllOrNone(t *testing.T) {
	w := newWorld(t)
	in := make([]EntryInput, 500)
	for i := range in {
		in[i].Data = json.RawMessage(`{"value":70}`)
	}
	entries, change, err := w.c.CreateEntries(t.Context(), w.data, w.env, "tol_w", in)
	if err != nil || len(entries) != 500 || change.Count != 500 || change.ID != "" || change.ToolID != "tol_w" || change.ZoneID != "zon_h" {
		t.Fatalf("%d entries, %+v, %v", len(entries), change, err)
	}
	in[499].Data = json.RawMessage(`{"value":7}`)
	before := len(w.data.entries)
	if _, _, err := w.c.CreateEntries(t.Context(), w.data, w.env, "tol_w", in); domain.ErrorCode(err) != domain.CodeInvalid || len(w.data.entries) != before {
		t.Errorf("%v, %d entries", err, len(w.data.entries))
	}
	for _, n := range []int{0, 501} {
		if _, _, err := w.c.CreateEntries(t.Context(), w.data, w.env, "tol_w", make([]EntryInput, n)); domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%d entries: %v", n, err)
		}
	}
	if _, _, err := w.c.CreateEntry(t.Context(), w.data, w.env, "tol_w", EntryInput{Data: json.RawMessage(`{"value":7}`)}); pointerOf(err) != "/data/value" {
		t.Errorf("one entry: %+v", err)
	}
}

func pointerOf(err error) string {
	var e *domain.Error
	if errors.As(err, &e) && len(e.Fields) > 0 {
		return e.Fields[0].Pointer
	}
	return "none"
}

// Every action can be described and said in both languages.
func TestSummariesInFrench(t *testing.T) {
	for _, tt := range []struct{ name, params, summary string }{
		{"CREATE_ZONE", `{"name":"Santé"}`, "Zone « Santé » ajoutée"},
		{"CREATE_DATA", `{"tool_id":"tol_w","entries":[{"data":{"value":70}}]}`, "Ajout de 1 entrée à « Weight »"},
		{"DELETE_TOOL", `{"tool_id":"tol_w"}`, "Échec : Supprimer l’outil « Weight »."},
		{"CONTEXT_PUBLISH", `{"key":"about"}`, "Document « About me » publié"},
	} {
		w := newWorld(t)
		w.env.Settings.Language = "fr"
		if e, _ := w.do(tt.name, tt.params); !strings.HasPrefix(e.Summary, tt.summary) {
			t.Errorf("%q, want %q", e.Summary, tt.summary)
		}
	}
	w := newWorld(t)
	w.env.Settings.Language = "fr"
	if e := w.query("TOOL_DATA", `{"tool_id":"tol_w","period":{"relative":"-1_WEEK"}}`); e.Summary != "Lire les données de « Weight » (la semaine dernière) : 0 entrée" {
		t.Errorf("%q", e.Summary)
	}
}
