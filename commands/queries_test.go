package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

func TestQueriesFind(t *testing.T) {
	for _, tt := range []struct {
		name, params string
		texts        []string
	}{
		{"ZONES", `{}`, []string{"2 zones:", `{"id":"zon_g","name":"Guarded","require_validation":true}`, `"zon_h"`}},
		{"ZONE_CONFIG", `{"zone_id":"zon_h"}`, []string{`The zone "Health"`, `"require_validation":false`}},
		{"TOOL_INSTANCES", `{}`, []string{"3 tools:", "tol_w", "tol_g"}},
		{"TOOL_INSTANCES", `{"zone_id":"zon_g"}`, []string{"1 tool:", "tol_g"}},
		{"TOOL_CONFIG", `{"tool_id":"tol_w"}`, []string{`"config":{"max":200,"min":30,"unit":"kg"}`}},
		{"TOOL_DATA", `{"tool_id":"tol_w"}`, []string{`2 entries of "Weight"`, "\n" + `{"id":"ent_2","timestamp":"2026-11-17T12:00:00Z","data":{"value":71.9}}` + "\n" + `{"id":"ent_1"`}},
		{"TOOL_DATA", `{"tool_id":"tol_w","order":"asc","limit":1}`, []string{"ent_1"}},
		{"TOOL_DATA", `{"tool_id":"tol_w","order":"asc","limit":1.0}`, []string{"ent_1"}}, // as models write it that know one kind of number
		{"TOOL_DATA", `{"tool_id":"tol_w","period":{"relative":"-1_DAY"}}`, []string{"1 entry", "from 2026-11-17T00:00:00Z until 2026-11-18T00:00:00Z", "ent_2"}},
		{"TOOL_DATA", `{"tool_id":"tol_w","period":{"start":"2026-11-16","end":"2026-11-16"}}`, []string{"1 entry", "ent_1"}},
		{"TOOL_STATS", `{"tool_id":"tol_w"}`, []string{`"count":2`, `"min":71.9`, `"max":72.5`, `"last":71.9`}},
		{"TOOL_STATS", `{"tool_id":"tol_w","group_by":"day"}`, []string{`{"bucket":"2026-11-16","count":1`, `{"bucket":"2026-11-17","count":1`}},
		{"TOOL_STATS", `{"tool_id":"tol_w","where":{"value":{"lt":72}}}`, []string{`"count":1`, `"max":71.9`}},
		{"TOOL_STATS", `{"tool_id":"tol_w","group_by":"value"}`, []string{"Number of entries", `{"group":71.9,"count":1}`}},
		{"TOOL_DATA", `{"tool_id":"tol_w","where":{"value":{"gt":72}},"fields":["value"]}`, []string{`1 entry of "Weight"`, "ent_1"}},
		{"TOOL_DATA", `{"tool_id":"tol_w","order_by":"value","order":"asc","limit":1}`, []string{"ent_2"}},
		{"SCHEMA", `{"of":"zone"}`, []string{`"require_validation"`}},
		{"SCHEMA", `{"of":"entry","tool_type":"tracking"}`, []string{`"value":{"type":"number"}`}},
		{"SCHEMA", `{"of":"tool"}`, []string{"checklist", "goal", "journal", "notes", `"decimals"`}},
		{"SCHEMA", `{"of":"module"}`, []string{"MultipleChoice", "Plan"}},
		{"APP_STATE", `{}`, []string{"2 zones, 3 tools, 1 document: about.", `"name":"Weight","tool_type":"tracking","entries":2`}},
		{"CONTEXT", `{}`, []string{`{"key":"about","title":"About me","published":true,"draft_differs":false}`}},
		{"CONTEXT", `{"key":"about"}`, []string{`"published_body":"I run."`}},
		{"SEARCH", `{"query":"run"}`, []string{`1 result for "run", the best first:`,
			`{"kind":"document","id":"doc_1","key":"about","timestamp":"2026-11-18T12:00:00Z","title":"About me","snippet":"I run.","matches":["run"]}`}},
		{"SEARCH", `{"query":"nowhere"}`, []string{`Nothing holds all the words of "nowhere".`}},
		{"ZONES", ``, []string{"2 zones"}},
		{"TOOL_INSTANCES", `{"zone_id":null}`, []string{"3 tools"}},
	} {
		t.Run(tt.name+tt.params, func(t *testing.T) {
			w := newWorld(t)
			e := w.query(tt.name, tt.params)
			if e.Status != domain.ExecSuccess {
				t.Fatalf("%s: %+v", e.Status, e.Error)
			}
			for _, text := range tt.texts {
				if !strings.Contains(e.Text, text) {
					t.Errorf("text lacks %q:\n%s", text, e.Text)
				}
			}
			if !json.Valid(e.Result) || e.Summary.EN == "" || e.Summary.FR == "" || e.StartedAt == nil || e.EndedAt == nil || e.Attempt != 1 {
				t.Errorf("result %s, summary %q, times %v %v", e.Result, e.Summary, e.StartedAt, e.EndedAt)
			}
		})
	}
}

// A query with wrong params fails alone, with an error that the AI can act on.
func TestQueriesFailWithHelp(t *testing.T) {
	for _, tt := range []struct{ name, params, code, message string }{
		{"ZONE_CONFIG", `{}`, "invalid", `"zone_id" is required`},
		{"ZONE_CONFIG", `{"zone_id":"Health"}`, "not_found", "zon_h (Health)"},
		{"ZONE_CONFIG", `{"zone_id":"zon_of_another_workspace"}`, "not_found", "There is no zone"},
		{"ZONES", `{"colour":"red"}`, "invalid", `no field "colour"`},
		{"ZONES", `[1]`, "invalid", "object"},
		{"ZONES", `{"repeat":true}`, "invalid", `no field "repeat"`},
		{"TOOL_INSTANCES", `{"zone_id":7}`, "invalid", "must be a text"},
		{"TOOL_CONFIG", `{"tool_id":"Weight"}`, "not_found", "tol_w (Weight)"},
		{"TOOL_DATA", `{"tool_id":"tol_w","limit":"10"}`, "invalid", "a whole number (without quotes), not a text"},
		{"TOOL_DATA", `{"tool_id":"tol_w","limit":0}`, "invalid", "at least 1"},
		{"TOOL_DATA", `{"tool_id":"tol_w","cursor":"what"}`, "invalid", "cursor"},
		{"TOOL_DATA", `{"tool_id":"tol_w","order":"up"}`, "invalid", `one of "asc", "desc"`},
		{"TOOL_DATA", `{"tool_id":"tol_w","period":{"relative":"last week"}}`, "invalid", "-1_WEEK"},
		{"TOOL_DATA", `{"tool_id":"tol_w","period":{"from":"-1_DAY"}}`, "invalid", "go together"},
		{"TOOL_DATA", `{"tool_id":"tol_w","period":"-1_DAY"}`, "invalid", "an object"},
		{"TOOL_STATS", `{"tool_id":"tol_j"}`, "invalid", "hold no numbers"},
		{"TOOL_STATS", `{"tool_id":"tol_w","field":"weight"}`, "invalid", "value"},
		{"TOOL_STATS", `{"tool_id":"tol_w","group_by":"year"}`, "invalid", "group_by is day, week, month or a field"},
		{"TOOL_STATS", `{"tool_id":"tol_w","where":{"vlaue":1}}`, "invalid", "There are: value"},
		{"TOOL_DATA", `{"tool_id":"tol_w","where":{"value":"8"}}`, "invalid", "cannot be compared with a string"},
		{"TOOL_DATA", `{"tool_id":"tol_w","where":[]}`, "invalid", "/where"},
		{"TOOL_DATA", `{"tool_id":"tol_w","order_by":"x"}`, "invalid", "There are: value"},
		{"SCHEMA", `{"of":"tool","tool_type":"nope"}`, "invalid", "tracking"},
		{"SCHEMA", `{}`, "invalid", `"of" is required`},
		{"CONTEXT", `{"key":"nope"}`, "not_found", "about (About me)"},
		{"APP_STATE", `{"x":1e999999999}`, "invalid", "too large"},
		{"SEARCH", `{}`, "invalid", `"query" is required`},
		{"SEARCH", `{"query":"*"}`, "invalid", "needs a word"},
		{"SEARCH", `{"query":"run","limit":101}`, "invalid", "at most 100"},
		{"SEARCH", `{"query":["run"]}`, "invalid", "must be a text"},
		{"SEARCH", `{"query":"run","tool_id":"tol_w"}`, "invalid", `no field "tool_id"`},
	} {
		t.Run(tt.name+tt.params, func(t *testing.T) {
			w := newWorld(t)
			e := w.query(tt.name, tt.params)
			if e.Status != domain.ExecFailed || e.Error == nil {
				t.Fatalf("status %s, text %q", e.Status, e.Text)
			}
			if e.Error.Code != tt.code || !strings.Contains(explain(e.Error), tt.message) {
				t.Errorf("error %+v lacks %q", e.Error, tt.message)
			}
			if !json.Valid(e.Params) {
				t.Errorf("params cannot be stored: %s", e.Params)
			}
		})
	}
}

func TestQueriesRunBesideFailingOnes(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(w.command("TOOL_CONFIG", `{"tool_id":"tol_j"}`), w.command("TOOL_DATA", `{}`),
		w.command("TOOL_CONFIG", `{"tool_id":"tol_g"}`), w.command("TOOL_CONFIG", `{"tool_id":"tol_w"}`))
	w.data.before = func(_ context.Context, id string) error {
		switch id {
		case "tol_j":
			return errors.New("the disk is gone")
		case "tol_g":
			panic("a defect")
		}
		return nil
	}
	text := w.c.RunQueries(t.Context(), w.data, nil, w.env, plan.Commands.Queries).Text
	var got []domain.ExecutionStatus
	for _, e := range plan.Commands.Queries {
		got = append(got, e.Status)
	}
	if fmt.Sprint(got) != "[FAILED FAILED FAILED SUCCESS]" {
		t.Errorf("statuses %v", got)
	}
	if strings.Contains(text, "disk") || !strings.Contains(text, "internal reason") {
		t.Errorf("an internal error is shown to the AI: %s", text)
	}
}

func TestQueryIsStoppedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.env.Clock = func() time.Time { return time.Now().UTC() }
		w.data.before = func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return fmt.Errorf("query: %w", ctx.Err())
		}
		e := w.c.PlanEnrichments(w.env, &domain.Message{ID: "msg_2", Rich: &domain.RichContent{Commands: []domain.Command{w.command("TOOL_CONFIG", `{"tool_id":"tol_w"}`)}}})
		w.c.RunQueries(t.Context(), w.data, nil, w.env, e)
		if e[0].Status != domain.ExecFailed || e[0].Error.Code != codeTimeout {
			t.Errorf("status %s, error %+v", e[0].Status, e[0].Error)
		}
		if took := e[0].EndedAt.Sub(*e[0].StartedAt); took != builtinTimeout {
			t.Errorf("took %s", took)
		}
	})
}

// Queries run side by side, but no more than a few: ten of a second each take three.
func TestQueriesRunInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var commands []domain.Command
		for i := range 10 {
			commands = append(commands, w.command("TOOL_DATA", fmt.Sprintf(`{"tool_id":"tol_w","limit":%d}`, i+1)))
		}
		plan := w.plan(commands...)
		for _, e := range plan.Commands.Queries {
			e.Summary = domain.Same("said already")
		}
		w.data.before = func(context.Context, string) error { time.Sleep(time.Second); return nil }
		started := time.Now()
		w.c.RunQueries(t.Context(), w.data, nil, w.env, plan.Commands.Queries)
		if took := time.Since(started); took != 3*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

// TestResultsAreCutAndGoOn verifies that a series of results is bounded; a truncated result is marked and has a
// cursor that continues exactly where it stopped.
func TestResultsAreCutAndGoOn(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("word ", 200)
	for i := range 300 {
		id := fmt.Sprintf("ent_j%03d", i)
		w.put(&userdata.Entry{ID: id, ToolID: "tol_j", Timestamp: noon.Add(-time.Duration(i) * time.Hour),
			Data: jsonbody.Encode(map[string]string{"text": id + " " + long}), Version: 1})
	}
	seen, cursor := 0, ""
	for page := 0; page == 0 || cursor != ""; page++ {
		if page > 20 {
			t.Fatal("it does not end")
		}
		params := map[string]any{"tool_id": "tol_j", "limit": 300}
		if cursor != "" {
			params["cursor"] = cursor
		}
		e := w.query("TOOL_DATA", string(jsonbody.Encode(params)))
		if len(e.Text) > seriesBytes {
			t.Fatalf("%d bytes", len(e.Text))
		}
		var result struct {
			Entries []entryRow `json:"entries"`
			Next    string     `json:"next_cursor"`
		}
		if err := json.Unmarshal(e.Result, &result); err != nil {
			t.Fatal(err)
		}
		for _, row := range result.Entries {
			if want := fmt.Sprintf("ent_j%03d", seen); row.ID != want {
				t.Fatalf("got %s, want %s", row.ID, want)
			}
			seen++
		}
		cursor = result.Next
		if (cursor != "") != strings.Contains(e.Note, "cursor") {
			t.Errorf("cursor %q, note %q", cursor, e.Note)
		}
	}
	if seen != 300 {
		t.Errorf("%d entries were seen", seen)
	}
}

// A text, and a row that alone is too large, are shown in part: never silently, and
// never so that the same page comes again and again.
func TestWhatIsTooLargeIsShownInPart(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("é", 80_000)
	w.put(&userdata.Document{ID: "doc_2", Key: "long", DocumentFields: userdata.DocumentFields{Title: "Long", Body: long}, Version: 1})
	w.put(&userdata.Entry{ID: "ent_a", ToolID: "tol_j", Timestamp: noon, Data: jsonbody.Encode(map[string]string{"text": long}), Version: 1})
	w.put(&userdata.Entry{ID: "ent_b", ToolID: "tol_j", Timestamp: noon.Add(-time.Microsecond), Data: json.RawMessage(`{"text":"short"}`), Version: 1})
	for _, e := range []*domain.Execution{w.query("CONTEXT", `{"key":"long"}`), w.query("TOOL_DATA", `{"tool_id":"tol_j"}`)} {
		if e.Status != domain.ExecSuccess || len(e.Text) > seriesBytes || e.Note == "" || !json.Valid(e.Result) || !utf8.ValidString(e.Text) {
			t.Errorf("%s: %d bytes, note %q, %+v", e.Command, len(e.Text), e.Note, e.Error)
		}
	}
	var page struct {
		Next string `json:"next_cursor"`
	}
	if err := json.Unmarshal(w.query("TOOL_DATA", `{"tool_id":"tol_j","limit":2}`).Result, &page); err != nil {
		t.Fatal(err)
	}
	if e := w.query("TOOL_DATA", `{"tool_id":"tol_j","cursor":"`+page.Next+`"}`); !strings.Contains(e.Text, "short") {
		t.Errorf("the cursor does not go on: %s", shorten.Characters(e.Text, 200))
	}
}

func TestSmallAnswersLeaveTheirRoomToLargeOnes(t *testing.T) {
	body := func(n int) *answer { return &answer{body: []byte(strings.Repeat("x", n))} }
	given := shares([]*answer{body(100), nil, body(1_000_000), body(2_000_000)}, 10_000)
	if given[0] != 300 || given[1] != 0 || given[2] != 4850 || given[3] != 4850 {
		t.Errorf("shares %v", given)
	}
}

// SEARCH says in words what was found, in the workspace's language, finds no drafts,
// and says when there is more than it gives.
func TestSearchSaysWhatItFound(t *testing.T) {
	w := newWorld(t)
	doc := w.docs()["about"]
	doc.Body = "I run and swim."
	w.put(&doc)
	if e := w.query("SEARCH", `{"query":"swim"}`); e.Summary.EN != "Search for “swim”: 0 results" || !strings.Contains(e.Note, "Fewer words") {
		t.Errorf("a draft: %q, %s, note %q", e.Summary, e.Text, e.Note)
	}
	for _, id := range []string{"ent_a", "ent_b"} {
		w.put(&userdata.Entry{ID: id, ToolID: "tol_j", Timestamp: noon, Data: json.RawMessage(`{"text":"Rain again."}`)})
	}
	row := `,"tool_id":"tol_j","tool":"Diary","zone":"Health","timestamp":"2026-11-18T12:00:00Z"`
	if e := w.query("SEARCH", `{"query":"rain","limit":5}`); !strings.Contains(e.Text, `{"kind":"entry","id":"ent_a"`+row) {
		t.Errorf("the row of an entry: %s", e.Text)
	}
	w.env.Settings.Language = "fr"
	e := w.query("SEARCH", `{"query":"rain","limit":1}`)
	if e.Summary.FR != "Chercher « rain » : 1 résultat" || !strings.Contains(e.Note, "There are more") {
		t.Errorf("summary %q, note %q", e.Summary, e.Note)
	}
	if e := w.query("SEARCH", `{"query":"rain"}`); e.Summary.FR != "Chercher « rain » : 2 résultats" || e.Note != "" {
		t.Errorf("summary %q, note %q", e.Summary, e.Note)
	}
}

// Long results of a search are cut like all others, and say so beside their own note.
func TestSearchIsBounded(t *testing.T) {
	w := newWorld(t)
	w.put(&userdata.Tool{ID: "tol_n", ToolFields: userdata.ToolFields{ZoneID: "zon_h", ToolType: "notes", Name: "Notes", Config: json.RawMessage(`{}`)}})
	note := jsonbody.Encode(map[string]string{"title": strings.Repeat("é", 300), "text": strings.Repeat("long ", 300)})
	for i := range 150 {
		w.put(&userdata.Entry{ID: fmt.Sprintf("ent_n%03d", i), ToolID: "tol_n", Timestamp: noon, Data: note})
	}
	e := w.query("SEARCH", `{"query":"long","limit":100}`)
	if e.Status != domain.ExecSuccess || len(e.Text) > seriesBytes || !strings.Contains(e.Note, "There are more") || !strings.Contains(e.Note, "would not fit") {
		t.Errorf("%s: %d bytes, note %q", e.Status, len(e.Text), e.Note)
	}
}

// A person reads what a query looks at, not the names of its params.
func TestSchemaQueriesInWords(t *testing.T) {
	w := newWorld(t)
	for params, want := range map[string][2]string{
		`{"of":"zone"}`:   {"Read the schema of zones", "Lire le schéma des zones"},
		`{"of":"module"}`: {"Read the schema of questions", "Lire le schéma des questions"},
		`{"of":"tool"}`:   {"Read the schema of the config of tools", "Lire le schéma de la configuration des outils"},
		`{"of":"entry","tool_type":"notes"}`: {"Read the schema of entries of the type “notes”",
			"Lire le schéma des entrées du type « notes »"},
	} {
		for i, language := range []string{"en", "fr"} {
			w.env.Settings.Language = language
			if e := w.query("SCHEMA", params); e.Summary.In(language) != want[i] {
				t.Errorf("%s in %s: %q", params, language, e.Summary)
			}
		}
	}
}
