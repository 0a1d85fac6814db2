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
				z, ok := w.zones()["zon_2"]
				return ok && z.Name == "Work" && z.RequireValidation && z.Version == 1 && z.CreatedAt.Equal(noon)
			}, "zone created 1", "Added the zone “Work”"},
		{"UPDATE_ZONE", `{"zone_id":"zon_h","name":"Body"}`,
			func(w *world) bool { return w.zones()["zon_h"].Name == "Body" && w.zones()["zon_h"].Version == 2 },
			"zone updated 1", "Changed the zone “Body”"},
		{"DELETE_ZONE", `{"zone_id":"zon_h","force":true}`,
			func(w *world) bool {
				return len(w.zones()) == 1 && len(w.tools()) == 1 && len(w.entries()) == 0
			},
			"zone deleted 1", "Deleted the zone “Health”"},
		{"CREATE_TOOL", `{"zone_id":"zon_h","tool_type":"tracking","name":"Steps","config":{"unit":"steps","min":0}}`,
			func(w *world) bool {
				return w.tools()["tol_2"].Name == "Steps" && string(w.tools()["tol_2"].Config) == `{"min":0,"unit":"steps"}`
			},
			"tool created 1", "Added the tool “Steps”"},
		{"UPDATE_TOOL", `{"tool_id":"tol_w","config":{"max":150,"min":null},"always_send":true}`,
			func(w *world) bool {
				return string(w.tools()["tol_w"].Config) == `{"max":150,"unit":"kg"}` && w.tools()["tol_w"].AlwaysSend
			},
			"tool updated 1", "Changed the tool “Weight”"},
		{"UPDATE_TOOL", `{"tool_id":"tol_j","zone_id":"zon_g"}`,
			func(w *world) bool { return w.tools()["tol_j"].ZoneID == "zon_g" }, "tool updated 1", "Changed the tool “Diary”"},
		{"DELETE_TOOL", `{"tool_id":"tol_j"}`,
			func(w *world) bool { _, there := w.tools()["tol_j"]; return !there }, "tool deleted 1", "Deleted the tool “Diary”"},
		{"CREATE_DATA", `{"tool_id":"tol_w","entries":[{"data":{"value":70}},{"timestamp":"2026-11-01","data":{"value":71.25}}]}`,
			func(w *world) bool {
				return w.entries()["ent_new_2"].SessionID == "ses_1" && w.entries()["ent_new_2"].Timestamp.Equal(noon) &&
					w.entries()["ent_new_3"].Timestamp.Format("2006-01-02 15:04") == "2026-11-01 00:00" && string(w.entries()["ent_new_3"].Data) == `{"value":71.25}`
			}, "entry created 2", "Added 2 entries to “Weight”"},
		{"UPDATE_DATA", `{"entry_id":"ent_1","data":{"value":73},"timestamp":"2026-11-02T08:00"}`,
			func(w *world) bool {
				return string(w.entries()["ent_1"].Data) == `{"value":73}` && w.entries()["ent_1"].Timestamp.Hour() == 8
			},
			"entry updated 1", "Changed an entry of “Weight”"},
		{"DELETE_DATA", `{"entry_ids":["ent_1","ent_2","ent_1"]}`,
			func(w *world) bool { return len(w.entries()) == 0 }, "entry deleted 2", "Deleted 2 entries"},
		{"CREATE_TOOL_TYPE", `{"id":"book","name":"Book","config_schema":{"type":"object"},"entry_schema":{"type":"object","required":["title"]}}`,
			func(w *world) bool { return w.types()["book"].Name == "Book" }, "tool_type created 1", "Added the tool type “Book”"},
		{"CONTEXT_UPDATE", `{"key":"about","body":"I swim."}`,
			func(w *world) bool {
				return w.docs()["about"].Body == "I swim." && w.docs()["about"].Published == "I run."
			},
			"document updated 1", "Changed the draft of “About me”"},
		{"CONTEXT_UPDATE", `{"key":"goals","title":"Goals","body":"Swim more."}`,
			func(w *world) bool {
				return w.docs()["goals"].Title == "Goals" && w.docs()["goals"].PublishedAt == nil
			},
			"document created 1", "Added the document “Goals”"},
		{"CONTEXT_PUBLISH", `{"key":"about"}`,
			func(w *world) bool { return w.docs()["about"].Version == 3 }, "document updated 1", "Published the document “About me”"},
	} {
		t.Run(tt.name+tt.params, func(t *testing.T) {
			w := newWorld(t)
			e, outcome := w.do(tt.name, tt.params)
			if e.Status != domain.ExecSuccess || outcome.Failed {
				t.Fatalf("%s: %+v", e.Status, e.Error)
			}
			if !tt.check(w) {
				t.Errorf("the data is wrong: %+v %+v %+v %+v", w.zones(), w.tools(), w.entries(), w.docs())
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
			if e.Summary.EN != tt.summary || e.Text == "" || !json.Valid(e.Result) {
				t.Errorf("summary %q, text %q, result %s", e.Summary, e.Text, e.Result)
			}
		})
	}
}

// TestChangesOfDocumentsShowTheOldText verifies that a person can undo a change; long texts are left out.
func TestChangesOfDocumentsShowTheOldText(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", undoRoom)
	for _, tt := range []struct{ name, params, want string }{
		{"CONTEXT_UPDATE", `{"key":"about","body":"I swim."}`, `{"id":"doc_1","before":{"body":"I run."},"after":{"body":"I swim."}}`},
		{"CONTEXT_PUBLISH", `{"key":"about"}`, `{"id":"doc_1","before":{"published_body":"I run."},"after":{"published_body":"I swim."}}`},
		{"CONTEXT_UPDATE", `{"key":"diet","body":"No sugar."}`, `,"before":null,"after":{"body":"No sugar.","title":"diet"}}`},
		{"CONTEXT_PUBLISH", `{"key":"diet"}`, `,"before":{"published_body":""},"after":{"published_body":"No sugar."}}`},
		{"CONTEXT_UPDATE", `{"key":"about","body":"` + long + `"}`, `{"id":"doc_1"}`},
	} {
		if e, _ := w.do(tt.name, tt.params); !strings.HasSuffix(string(e.Result), tt.want) {
			t.Errorf("%s %.60s: %s", tt.name, tt.params, e.Result)
		}
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
		{"CREATE_TOOL_TYPE", `{"id":"book","name":"Book","config_schema":{"type":"object"},"entry_schema":{"type":"object","$ref":"file:///etc/passwd"}}`, "invalid", "/entry_schema", "other documents"},
		{"CREATE_TOOL_TYPE", `{"id":"book","name":"Book","config_schema":{"type":"object","properties":{"a":{"type":"nonsense"}}},"entry_schema":{"type":"object"}}`, "invalid", "/config_schema", "cannot be used"},
		{"CONTEXT_UPDATE", `{"key":"No Spaces","body":"a"}`, "invalid", "/key", "A key is"},
		{"CONTEXT_PUBLISH", `{"key":"nope"}`, "not_found", "/key", "about (About me)"},
	} {
		t.Run(tt.name+tt.params, func(t *testing.T) {
			w := newWorld(t)
			before := fmt.Sprint(w.zones(), w.tools(), w.entries(), w.types(), w.docs())
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
			if after := fmt.Sprint(w.zones(), w.tools(), w.entries(), w.types(), w.docs()); after != before {
				t.Errorf("the data changed: %s", after)
			}
			if !strings.HasPrefix(e.Summary.EN, "Failed: ") || strings.Contains(e.Summary.EN, e.Error.Message) || strings.Contains(e.Summary.EN, e.Command) {
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
	if last := plan.Commands.Actions[2]; last.Error == nil || last.Summary.EN != "Not done: Add the zone “Three”" {
		t.Errorf("cancelled: %+v", last)
	}
	if len(w.zones()) != 3 {
		t.Errorf("zones: %v", w.zones())
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
		{"DELETE_TOOL", `{"tool_id":"tol_w"}`, "Échec : Supprimer l’outil « Weight »"},
		{"CONTEXT_PUBLISH", `{"key":"about"}`, "Document « About me » publié"},
	} {
		w := newWorld(t)
		w.env.Settings.Language = "fr"
		if e, _ := w.do(tt.name, tt.params); !strings.HasPrefix(e.Summary.FR, tt.summary) {
			t.Errorf("%q, want %q", e.Summary.FR, tt.summary)
		}
	}
	w := newWorld(t)
	w.env.Settings.Language = "fr"
	if e := w.query("TOOL_DATA", `{"tool_id":"tol_w","period":{"relative":"-1_WEEK"}}`); e.Summary.FR != "Lire les données de « Weight » (la semaine dernière) : 0 entrée" {
		t.Errorf("%q", e.Summary.FR)
	}
}
