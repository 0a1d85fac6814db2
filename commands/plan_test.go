package commands

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

// outline is a list of executions as "CALL:STATUS".
func outline(executions []*domain.Execution) string {
	parts := make([]string, len(executions))
	for i, e := range executions {
		parts[i] = fmt.Sprintf("%s:%s", e.CallID, e.Status)
	}
	return strings.Join(parts, " ")
}

func TestPlanOfAnAnswer(t *testing.T) {
	w := newWorld(t)
	w.env.RoundID = "rnd_1"
	plan := w.plan(w.command("CREATE_ZONE", `{"repeat":false, "name":"B","validation_request":false,"description":null}`), w.command("ZONES", `{}`))
	if plan.Problem != "" || len(plan.Commands.Queries) != 1 || len(plan.Commands.Actions) != 1 || len(plan.Commands.Reasons) != 0 {
		t.Fatalf("%+v", plan)
	}
	e := plan.Commands.Actions[0]
	want := domain.Execution{ID: e.ID, WorkspaceID: "default", SessionID: "ses_1", RoundID: "rnd_1", MessageID: "msg_1", CallID: "call_1", Position: 0,
		Command: "CREATE_ZONE", Params: json.RawMessage(`{"name":"B"}`), CommandID: e.CommandID, Kind: domain.KindAction, Effect: domain.EffectNonIdempotent,
		Status: domain.ExecPlanned, Summary: domain.Say("Add the zone %s", "Ajouter la zone %s", nameText("B")), CreatedAt: noon}
	if fmt.Sprintf("%+v", *e) != fmt.Sprintf("%+v", want) {
		t.Errorf("got %+v\nwant %+v", *e, want)
	}
	if q := plan.Commands.Queries[0]; q.Position != 1 || q.Kind != domain.KindQuery || q.Effect != domain.EffectRead {
		t.Errorf("query %+v", q)
	}
}

// The same request has the same id, whatever the order and layout of its params.
func TestSameRequestSameID(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(w.command("UPDATE_ZONE", `{"zone_id":"zon_h","name":"é<"}`), w.command("UPDATE_ZONE", "{\n\"name\": \"\\u00e9<\", \"zone_id\":\"zon_h\", \"repeat\": true}"),
		w.command("UPDATE_ZONE", `{"zone_id":"zon_h","name":"other"}`))
	a := plan.Commands.Actions
	if a[0].CommandID != a[1].CommandID || string(a[0].Params) != string(a[1].Params) || a[0].CommandID == a[2].CommandID {
		t.Errorf("%s %s, %s %s, %s", a[0].CommandID, a[0].Params, a[1].CommandID, a[1].Params, a[2].CommandID)
	}
	if outline(a) != "call_1:PLANNED call_2:PLANNED call_3:PLANNED" || !a[1].Repeat {
		t.Errorf("%s: one that says repeat runs", outline(a))
	}
}

// An answer that is wrong as a whole: nothing runs, and every call gets its result.
func TestFormatErrors(t *testing.T) {
	good, query := `{"name":"a"}`, "ZONES"
	ask := `{"type":"Text","data":{"question":"Which?"}}`
	for _, tt := range []struct {
		about   string
		calls   [][2]string
		problem string
		refused string
	}{
		{"an unknown command", [][2]string{{query, `{}`}, {"ZONE_LIST", `{}`}}, "There is no command \"ZONE_LIST\". The commands are: APP_STATE, CONTEXT", "call_1:CANCELLED call_2:FAILED"},
		{"a name in small letters", [][2]string{{"create_zone", good}}, "its name is written CREATE_ZONE", "call_1:FAILED"},
		{"an action whose params do not fit", [][2]string{{"CREATE_ZONE", good}, {"CREATE_ZONE", `{"nam":"a"}`}}, `/nam There is no field "nam" here. /name "name" is required.`, "call_1:CANCELLED call_2:FAILED"},
		{"a flag that is no flag", [][2]string{{"CREATE_ZONE", `{"name":"a","repeat":"yes"}`}}, "repeat is true or false", "call_1:FAILED"},
		{"params that are no object", [][2]string{{"CREATE_ZONE", `"a"`}}, "an object", "call_1:FAILED"},
		{"params that are not JSON", [][2]string{{"CREATE_ZONE", `{"name":`}}, "not JSON", "call_1:FAILED"},
		{"a question with a command beside it", [][2]string{{domain.AskUser, ask}, {query, `{}`}}, "commands beside it", "call_1:CANCELLED call_2:CANCELLED"},
		{"two questions", [][2]string{{domain.AskUser, ask}, {domain.AskUser, ask}}, "more than one question", "call_1:CANCELLED call_2:CANCELLED"},
		{"a question that is not valid", [][2]string{{domain.AskUser, `{"type":"MultipleChoice","data":{"question":"Which?","options":["one"]}}`}}, "At least 2 items", "call_1:CANCELLED"},
		{"too many calls", [][2]string{{query, `{}`}, {query, `{}`}, {query, `{}`}, {query, `{}`}}, "4 calls; at most 3", "call_1:CANCELLED call_2:CANCELLED call_3:CANCELLED call_4:CANCELLED"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			w := newWorld(t)
			w.env.Settings.MaxCallsPerResponse = 3
			var calls []domain.Command
			for _, c := range tt.calls {
				calls = append(calls, w.command(c[0], c[1]))
			}
			plan := w.plan(calls...)
			if !strings.Contains(plan.Problem, tt.problem) {
				t.Errorf("problem %q lacks %q", plan.Problem, tt.problem)
			}
			if got := outline(plan.Refused); got != tt.refused {
				t.Errorf("refused %s, want %s", got, tt.refused)
			}
			for _, e := range plan.Refused {
				if e.Error == nil || e.Error.Code == "" || e.EndedAt == nil || !json.Valid(e.Params) {
					t.Errorf("refused %+v", e)
				}
			}
			if len(plan.Commands.Queries)+len(plan.Commands.Actions)+len(plan.Commands.Refused) > 0 || plan.Module != nil {
				t.Errorf("something is planned all the same: %+v", plan)
			}
		})
	}
}

func TestJSONProtocolKeepsQueriesAndActionsApart(t *testing.T) {
	w := newWorld(t)
	answer := &domain.AIMessage{DataCommands: []domain.Command{w.command("ZONES", ``)}, ActionCommands: []domain.Command{w.command("CREATE_ZONE", `{"name":"a"}`)}}
	plan, err := w.c.Plan(t.Context(), w.data, w.env, "msg_1", &domain.RawAnswer{Protocol: domain.ProtocolJSON}, answer, nil)
	if err != nil || !strings.Contains(plan.Problem, "both queries and actions") || outline(plan.Refused) != "call_1:CANCELLED call_2:CANCELLED" {
		t.Errorf("%+v, %v", plan, err)
	}
	answer = &domain.AIMessage{ActionCommands: []domain.Command{w.command(domain.Complete, `{}`)}}
	if plan, err = w.c.Plan(t.Context(), w.data, w.env, "msg_1", nil, answer, nil); err != nil || !strings.Contains(plan.Problem, `"completed": true`) {
		t.Errorf("%+v, %v", plan, err)
	}
}

// ASK_USER and COMPLETE mean something else in each type of session.
func TestControls(t *testing.T) {
	ask := [2]string{domain.AskUser, `{"type":"Text","data":{"question":"Which?"}}`}
	odd := [2]string{domain.AskUser, `{"type":"Slider","data":{}}`}
	end := [2]string{domain.Complete, `{}`}
	query, action := [2]string{"ZONES", `{}`}, [2]string{"CREATE_ZONE", `{"name":"a"}`}
	for _, tt := range []struct {
		about     string
		session   domain.SessionType
		calls     [][2]string
		module    bool
		completed bool
		guidance  string
		results   string
	}{
		{"a chat asks", domain.Chat, [][2]string{ask}, true, false, "", ""},
		{"a chat asks in a form that does not exist", domain.Chat, [][2]string{odd}, false, false, "no communication module \"Slider\"", "call_1:CANCELLED"},
		{"an automation asks, and acts", domain.Run, [][2]string{ask, action}, false, false, "Nobody can answer", "call_1:CANCELLED"},
		{"a chat is not completed", domain.Chat, [][2]string{end}, false, false, "", "call_1:CANCELLED"},
		{"an automation is completed", domain.Run, [][2]string{end}, false, true, "", ""},
		{"completed beside queries is dropped", domain.Run, [][2]string{query, end}, false, false, "", "call_2:CANCELLED"},
		{"completed beside actions holds if they succeed", domain.Run, [][2]string{action, end}, false, true, "", "call_2:SUCCESS"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			w := newWorld(t)
			w.in(tt.session)
			var calls []domain.Command
			for _, c := range tt.calls {
				calls = append(calls, w.command(c[0], c[1]))
			}
			plan := w.plan(calls...)
			if plan.Problem != "" || (plan.Module != nil) != tt.module || plan.Completed != tt.completed {
				t.Errorf("%+v", plan)
			}
			if !strings.Contains(plan.Guidance, tt.guidance) || tt.guidance == "" && plan.Guidance != "" {
				t.Errorf("guidance %q", plan.Guidance)
			}
			if got := outline(plan.Commands.Refused); got != tt.results {
				t.Errorf("results %q, want %q", got, tt.results)
			}
		})
	}
}

func TestSpecsForASession(t *testing.T) {
	names := func(specs []domain.CommandSpec) string {
		var all []string
		for _, s := range specs {
			all = append(all, s.Name)
		}
		return " " + strings.Join(all, " ") + " "
	}
	c := New(data.NewRules(), automations.Drafts{})
	all := names(c.Specs())
	want := " APP_STATE ASK_PRINCIPAL ASK_USER CANCEL_TASK COMMANDS COMPLETE CONTEXT CONTEXT_EDIT CONTEXT_PUBLISH CONTEXT_UPDATE CREATE_AUTOMATION CREATE_DATA CREATE_TOOL CREATE_TOOL_TYPE CREATE_ZONE DELETE_DATA DELETE_TOOL DELETE_ZONE SCHEMA SEARCH TASKS TOOL_CONFIG TOOL_DATA TOOL_INSTANCES TOOL_STATS UPDATE_DATA UPDATE_TOOL UPDATE_ZONE ZONES ZONE_CONFIG "
	if all != want {
		t.Errorf("commands%s", all)
	}
	if chat := names(c.SpecsFor(domain.Chat, nil)); strings.Contains(chat, domain.Complete) || !strings.Contains(chat, domain.AskUser) || !strings.Contains(chat, createAutomation) {
		t.Errorf("chat%s", chat)
	}
	if run := names(c.SpecsFor(domain.Run, nil)); !strings.Contains(run, domain.Complete) || strings.Contains(run, domain.AskUser) || strings.Contains(run, createAutomation) {
		t.Errorf("automation%s", run)
	}
	for _, s := range c.Specs() {
		var schema struct {
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
			Additional *bool                      `json:"additionalProperties"`
		}
		if err := json.Unmarshal(s.Params, &schema); err != nil || schema.Type != "object" || schema.Additional == nil || *schema.Additional || schema.Properties == nil {
			t.Errorf("%s: %v, %s", s.Name, err, s.Params)
		}
		_, repeat := schema.Properties["repeat"]
		_, asks := schema.Properties["validation_request"]
		if action := s.Kind == domain.KindAction; repeat != action || asks != action {
			t.Errorf("%s takes repeat: %v, validation_request: %v", s.Name, repeat, asks)
		}
		if strings.Contains(string(s.Params), "$ref") || s.Description == "" || s.Timeout != 10*time.Second || s.Source != "builtin" {
			t.Errorf("%s: %+v", s.Name, s)
		}
		if err := c.schemas.Compile(s.Params); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

// What was done just before is not done again, unless the world has changed or the AI
// insists.
func TestLoopGuard(t *testing.T) {
	w := newWorld(t)
	first := w.query("ZONES", `{}`)
	created, _ := w.do("CREATE_ZONE", `{"name":"New"}`)
	again := func(age time.Duration, recent []*domain.Execution, commands ...domain.Command) Plan {
		t.Helper()
		env := w.env
		env.Now = env.Now.Add(age)
		raw, answer := w.answerOf(commands...)
		plan, err := w.c.Plan(t.Context(), w.data, env, "msg_2", raw, answer, recent)
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	recent := []*domain.Execution{first, created}

	plan := again(time.Second, recent, w.command("ZONES", `{}`))
	if plan.Commands.Queries[0].Status != domain.ExecPlanned {
		t.Errorf("there is a new zone, yet the query is %s", plan.Commands.Queries[0].Status)
	}
	w.c.RunQueries(t.Context(), w.data, nil, w.env, plan.Commands.Queries)
	recent = append(recent, plan.Commands.Queries[0])
	if plan = again(time.Second, recent, w.command("ZONES", `{}`)); plan.Commands.Queries[0].Status != domain.ExecCached || !strings.Contains(plan.Commands.Queries[0].Text, "3 zones") || plan.Commands.Queries[0].Summary.EN != "List the zones: 3 zones" {
		t.Errorf("nothing has changed: %+v", plan.Commands.Queries[0])
	}
	if plan = again(31*time.Second, recent, w.command("ZONES", `{}`)); plan.Commands.Queries[0].Status != domain.ExecPlanned {
		t.Error("after 31 s it is not guarded")
	}

	action := func(params string) *domain.Execution {
		return again(29*time.Second, recent, w.command("CREATE_ZONE", params)).Commands.Actions[0]
	}
	if e := action(`{"name":"New"}`); e.Status != domain.ExecCached || e.Text != created.Text || string(e.Result) != string(created.Result) || !strings.Contains(e.Note, "repeat") || e.Summary.EN != "Just done, not done again: Add the zone “New”" {
		t.Errorf("%+v", e)
	}
	if e := action(`{"name":"New","repeat":true}`); e.Status != domain.ExecPlanned {
		t.Errorf("it says repeat, yet is %s", e.Status)
	}
	if e := action(`{"name":"Newer"}`); e.Status != domain.ExecPlanned {
		t.Errorf("it is another action, yet is %s", e.Status)
	}
	failed := *created
	failed.Status = domain.ExecFailed
	if e := again(time.Second, []*domain.Execution{&failed}, w.command("CREATE_ZONE", `{"name":"New"}`)).Commands.Actions[0]; e.Status != domain.ExecPlanned {
		t.Errorf("what failed may be tried again, yet is %s", e.Status)
	}
}

// A page that is answered from before still says where the next one begins.
func TestACachedPageKeepsItsCursor(t *testing.T) {
	w := newWorld(t)
	page := w.query("TOOL_DATA", `{"tool_id":"tol_w","limit":1}`)
	raw, answer := w.answerOf(w.command("TOOL_DATA", `{"tool_id":"tol_w","limit":1}`))
	plan, err := w.c.Plan(t.Context(), w.data, w.env, "msg_2", raw, answer, []*domain.Execution{page})
	if err != nil {
		t.Fatal(err)
	}
	e := plan.Commands.Queries[0]
	if e.Status != domain.ExecCached || !strings.Contains(page.Note, "cursor") || !strings.HasPrefix(e.Note, page.Note) || !strings.Contains(e.Note, "Unchanged since") {
		t.Errorf("%s: %q, before %q", e.Status, e.Note, page.Note)
	}
}

func TestTwiceInOneAnswer(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(w.command("ZONES", `{}`), w.command("ZONES", ``), w.command("CREATE_ZONE", `{"name":"a"}`), w.command("CREATE_ZONE", `{ "name":"a"}`))
	if got := outline(plan.Commands.Queries); got != "call_1:PLANNED call_2:CACHED" {
		t.Error(got)
	}
	if got := outline(plan.Commands.Actions); got != "call_3:PLANNED call_4:CACHED" {
		t.Error(got)
	}
	outcome := w.act(plan.Commands.Actions)
	if outcome.Failed || len(w.zones()) != 3 {
		t.Errorf("%+v, %d zones", outcome, len(w.zones()))
	}
}

// Whatever a model sends as params: no panic, every call has at most one place, what
// is kept can be stored as JSON, and what is planned can be run.
func FuzzPlan(f *testing.F) {
	c := New(data.NewRules(), automations.Drafts{})
	for _, s := range c.Specs() {
		f.Add(s.Name, `{}`)
	}
	f.Add("CREATE_DATA", `{"tool_id":"tol_w","entries":[{"timestamp":"2026-01-01","data":{"value":1e400}}]}`)
	f.Add("UPDATE_TOOL", `{"tool_id":"tol_w","config":{"min":null,"max":{"a":[]}}}`)
	f.Add("TOOL_DATA", `{"tool_id":"tol_w","period":{"from":"-1_DAY","to":"0_DAY"}}`)
	f.Add("CREATE_TOOL_TYPE", `{"id":"a","name":"b","config_schema":{"type":"object","$ref":"#"},"entry_schema":{"type":"object","pattern":"("}}`)
	f.Add("ASK_USER", `{"type":"Form","data":{"schema":{"type":"object","properties":{"a":{"type":"string"}}}}}`)
	f.Add("ZONES", "\xff\x00{\"a\":\"\\ud800\"}")
	f.Add("DELETE_DATA", `{"entry_ids":["ent_1"],"validation_request":true}`)
	f.Fuzz(func(t *testing.T, name, params string) {
		w := newWorld(t)
		command := domain.Command{Type: name, Params: json.RawMessage(params), CallID: "call_1"}
		answer := &domain.AIMessage{ActionCommands: []domain.Command{command}}
		raw := &domain.RawAnswer{Protocol: domain.ProtocolNative, Calls: []domain.RawCall{{ID: "call_1", Name: name, Arguments: params}}}
		switch name {
		case domain.Complete, domain.AskPrincipal:
			answer = &domain.AIMessage{Completed: true}
		case domain.AskUser:
			answer = &domain.AIMessage{Module: &domain.Module{Type: "Form", Data: json.RawMessage(params)}}
		}
		plan, err := c.Plan(t.Context(), w.data, w.env, "msg_1", raw, answer, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := append(append(append(plan.Refused, plan.Commands.Queries...), plan.Commands.Actions...), plan.Commands.Refused...)
		if len(all) != 1 && plan.Module == nil {
			t.Fatalf("%d results for one call: %+v", len(all), plan)
		}
		c.RunQueries(t.Context(), w.data, nil, w.env, plan.Commands.Queries)
		if _, err := c.RunActions(t.Context(), w.data, w.env, plan.Commands.Actions, w.data.Savepoint); err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if !e.Status.Final() || !json.Valid(e.Params) || len(e.Result) > 0 && !json.Valid(e.Result) {
				t.Fatalf("%+v", e)
			}
			if strings.ContainsRune(e.Command+e.Text+e.Summary.EN, 0) {
				t.Fatalf("NUL in %+v", e)
			}
		}
	})
}
