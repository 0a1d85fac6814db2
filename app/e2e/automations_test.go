package e2e

import (
	"maps"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
)

// madeAutomation makes an automation over the API, which runs by hand; more fields may be
// given.
func (s *server) madeAutomation(seed string, more map[string]any) *reply {
	s.t.Helper()
	body := map[string]any{"name": "Report", "seed": map[string]any{"text": seed}}
	maps.Copy(body, more)
	return s.call("POST", "/v1/automations", body).want(201)
}

const (
	saysDone = `{"answer": {"text": "All is well.", "calls": [{"name": "COMPLETE", "arguments": {}}]}}`
	// thinksOnce keeps the first run at its first call until it is stopped.
	thinksOnce = `[{"times": 1, "delay_ms": 600000, "answer": {"text": "Never."}}, ` + saysDone + `]`
)

// TestAnAutomationFromSetupToHistory: made, run, ended, told; a repeated request does
// nothing twice.
func TestAnAutomationFromSetupToHistory(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted("[" + saysDone + "]")
		s.call("PATCH", "/v1/settings", quickRuns).want(200)
		body := `{"name": "Report", "tags": ["daily"], "budgets": {"max_cost_per_day": 2}, "seed": {"text": "Look around."}}`
		made := s.call("POST", "/v1/automations", body, "Idempotency-Key", "make").want(201)
		id := made.str("id")
		at := "/v1/automations/" + id
		again := s.call("POST", "/v1/automations", body, "Idempotency-Key", "make").want(201)
		if again.str("id") != id || len(s.call("GET", "/v1/automations", nil).list("data")) != 1 {
			t.Fatalf("the same request made another: %s", again.body)
		}
		if made.header.Get("Location") != at || made.header.Get("ETag") != `"1"` || made.at("enabled") != true || made.str("misfire") != "once" ||
			made.str("overlap") != "skip" || made.str("completion") != "auto" || made.at("webhook_url") != nil {
			t.Fatalf("the automation: %v %s", made.header, made.body)
		}
		run := s.call("POST", at+"/execute", nil, "Idempotency-Key", "run").want(202)
		session := run.str("session.id")
		if run.str("result") != "ACTIVATED" || run.str("session.automation_id") != id || run.str("session.trigger") != "MANUAL" {
			t.Fatalf("the run: %s", run.body)
		}
		if repeated := s.call("POST", at+"/execute", nil, "Idempotency-Key", "run").want(202); repeated.str("session.id") != session {
			t.Fatalf("the same request started another run: %s", repeated.body)
		}
		if r := s.until(session, "ended"); r.str("end_reason") != "COMPLETED" {
			t.Fatalf("how it ended: %s", r.body)
		}
		history := s.call("GET", at+"/executions", nil).want(200)
		if len(history.list("data")) != 1 || history.str("data.0.session_id") != session || history.str("data.0.final_text") != "All is well." ||
			history.str("data.0.end_reason") != "COMPLETED" || history.at("data.0.roundtrips") != 1.0 || history.str("data.0.trigger") != "MANUAL" ||
			history.at("data.0.duration_ms") == nil || history.str("data.0.started_at") < history.str("data.0.requested_at") {
			t.Fatalf("the history: %s", history.body)
		}
		messages := s.call("GET", "/v1/sessions/"+session+"/messages", nil).want(200)
		last := messages.list("data")[len(messages.list("data"))-1].(map[string]any)
		feedback, _ := last["execution_metadata"].(map[string]any)
		if feedback["automation_id"] != id || feedback["trigger"] != "MANUAL" {
			t.Fatalf("its feedback: %v", last)
		}
		if len(s.call("GET", at+"/occurrences", nil).want(200).list("data")) != 0 {
			t.Error("a run by hand is no occurrence of a schedule")
		}
		s.sound()
	})
}

// TestRunsOfOneAutomationGoOneAfterTheOther: the second waits in the queue, where it is
// seen and can leave; a run keeps the SEED that it began with; deleting asks for force.
func TestRunsOfOneAutomationGoOneAfterTheOther(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(thinksOnce)
		s.call("PATCH", "/v1/settings", quickRuns).want(200)
		at := "/v1/automations/" + s.madeAutomation("The old text.", nil).str("id")
		first := s.call("POST", at+"/execute", nil).want(202).str("session.id")
		second := s.call("POST", at+"/execute", nil).want(202)
		if second.str("result") != "QUEUED" || second.at("position") != 1.0 || second.str("session.status") != "queued" {
			t.Fatalf("the second run: %s", second.body)
		}
		third := s.call("POST", at+"/execute", nil).want(202)
		queue := s.call("GET", "/v1/queue", nil).want(200)
		if queue.at("length") != 2.0 || queue.str("data.0.session.id") != second.str("session.id") || queue.at("data.1.position") != 2.0 ||
			queue.str("data.0.trigger") != "MANUAL" || queue.str("data.0.reason") == "" || queue.str("data.0.since") == "" {
			t.Fatalf("the queue: %s", queue.body)
		}
		if slot := s.call("GET", "/v1/slot", nil).want(200); slot.str("holder.id") != first || slot.at("preempting") != nil {
			t.Fatalf("the slot: %s", slot.body)
		}
		if r := s.call("POST", "/v1/sessions/"+second.str("session.id")+"/activate", nil).want(200); r.str("result") != "QUEUED" || r.at("position") != 1.0 {
			t.Fatalf("asking again: %s", r.body)
		}
		if left := s.call("DELETE", "/v1/queue/"+third.str("session.id"), nil).want(200); left.str("session.end_reason") != "CANCELLED" {
			t.Fatalf("a run that left before it began: %s", left.body)
		}
		if queue := s.call("GET", "/v1/queue", nil).want(200); queue.at("length") != 1.0 {
			t.Fatalf("the queue after one left: %s", queue.body)
		}
		s.call("PUT", at+"/seed", map[string]any{"text": "The new text."}).want(200)
		s.call("POST", "/v1/sessions/"+first+"/stop", nil).want(200)
		s.until(second.str("session.id"), "ended")
		for _, run := range []string{first, second.str("session.id")} {
			if text := s.call("GET", "/v1/sessions/"+run+"/messages", nil).want(200).str("data.0.rich_content.linear_text"); text != "The old text." {
				t.Errorf("a run that had begun now begins with %q", text)
			}
		}
		if history := s.call("GET", at+"/executions?limit=2", nil).want(200); len(history.list("data")) != 2 || history.str("next_cursor") == "" ||
			history.str("data.0.end_reason") != "CANCELLED" || history.at("data.0.started_at") != nil {
			t.Errorf("the history: %s", history.body)
		}
		s.sound()
	})
}

// TestDeletingAnAutomationThatRuns asks for force, which stops the run; what ran stays.
func TestDeletingAnAutomationThatRuns(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.scripted(thinksOnce)
		id := s.madeAutomation("Look.", map[string]any{"triggers": []any{map[string]any{"type": "webhook"}}}).str("id")
		at := "/v1/automations/" + id
		hook := strings.TrimPrefix(s.call("GET", at, nil).str("webhook_url"), s.url)
		run := s.call("POST", at+"/execute", nil).want(202).str("session.id")
		s.call("DELETE", at, nil).problem(409, "session_busy")
		s.call("DELETE", at+"?force=true", nil).want(204)
		if r := s.call("GET", "/v1/sessions/"+run, nil).want(200); r.str("end_reason") != "CANCELLED" {
			t.Errorf("its run: %s", r.body)
		}
		for _, path := range []string{"", "/executions", "/occurrences", "/seed", "/grants"} {
			s.call("GET", at+path, nil).problem(404, "not_found")
		}
		s.call("POST", at+"/execute", nil).problem(404, "not_found")
		s.call("POST", hook, `{}`).problem(404, "not_found")
		if runs := s.call("GET", "/v1/sessions?automation_id="+id+"&type=AUTOMATION", nil).want(200); len(runs.list("data")) != 1 {
			t.Errorf("its runs are gone: %s", runs.body)
		}
		s.sound()
	})
}

// TestWhatTwoPeopleChange: an ETag keeps one from overwriting the other; what is left out
// stays; a schedule is merged and counts from when it was changed.
func TestWhatTwoPeopleChange(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		made := s.madeAutomation("Look.", map[string]any{
			"schedule": map[string]any{"type": "cron", "expression": "0 8 * * *", "time_zone": "Europe/Paris", "starts_at": "2026-01-01T00:00:00"},
			"budgets":  map[string]any{"max_cost_per_day": 2, "max_tokens_per_round": 9},
		})
		at := "/v1/automations/" + made.str("id")
		one := s.call("PATCH", at, `{"schedule": {"expression": "0 9 * * *"}, "budgets": {"max_cost_per_day": null}}`, "If-Match", made.header.Get("ETag")).want(200)
		if one.str("schedule.expression") != "0 9 * * *" || one.str("schedule.starts_at") != "2026-01-01T00:00:00" || one.str("schedule.time_zone") != "Europe/Paris" ||
			one.at("budgets.max_cost_per_day") != nil || one.at("budgets.max_tokens_per_round") != 9.0 || one.str("next_run_at") == made.str("next_run_at") {
			t.Fatalf("the change: %s", one.body)
		}
		for _, c := range [][]string{{"PATCH", at, `{"name": "x"}`}, {"PUT", at + "/seed", `{"text": "x"}`}, {"POST", at + "/disable", "{}"}, {"DELETE", at, ""}} {
			var body any = c[2]
			if c[2] == "" {
				body = nil
			}
			s.call(c[0], c[1], body, "If-Match", made.header.Get("ETag")).problem(412, "precondition_failed")
		}
		off := s.call("POST", at+"/disable", nil).want(200)
		if off.at("enabled") != false || off.at("next_run_at") != nil {
			t.Fatalf("disabled: %s", off.body)
		}
		if n := len(s.call("GET", "/v1/automations?enabled=true", nil).want(200).list("data")); n != 0 {
			t.Errorf("%d automations are enabled", n)
		}
		on := s.call("PATCH", at, `{"enabled": true, "schedule": null, "seed": {"text": "Look twice."}}`).want(200)
		if on.at("schedule") != nil || on.at("next_run_at") != nil {
			t.Fatalf("without a schedule: %s", on.body)
		}
		seed := s.call("GET", at+"/seed", nil).want(200)
		if seed.str("linear_text") != "Look twice." || seed.header.Get("ETag") != on.header.Get("ETag") {
			t.Fatalf("the SEED: %s %s", seed.header.Get("ETag"), seed.body)
		}
		s.call("PATCH", at, `{"schedule": {"expression": "0 9 * * *"}}`).problem(422, "invalid")
		s.sound()
	})
}

// TestASeedKeepsItsPeriodsRelative: the same message sent to a CHAT is frozen; what it
// refers to must be there when it is saved.
func TestASeedKeepsItsPeriodsRelative(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := s.call("POST", "/v1/zones", map[string]any{"name": "Health"}).want(201).str("id")
		tool := s.call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "tracking", "name": "Weight"}).want(201).str("id")
		segments := `[{"type": "text", "text": "Read "}, {"type": "enrichment", "enrichment": {"type": "USE", "config": {"tool_id": "` + tool + `", "period": {"relative": "-1_WEEK"}}}}]`
		made := s.call("POST", "/v1/automations", `{"name": "Weekly", "seed": {"segments": `+segments+`}}`).want(201)
		at := "/v1/automations/" + made.str("id")
		seed := s.call("GET", at+"/seed", nil).want(200)
		if seed.str("segments.1.enrichment.config.period.relative") != "-1_WEEK" {
			t.Fatalf("the SEED: %s", seed.body)
		}
		relative := 0
		for _, c := range seed.list("commands") {
			if c.(map[string]any)["is_relative"] == true {
				relative++
			}
		}
		if relative == 0 {
			t.Errorf("no query of the SEED is relative: %s", seed.body)
		}
		s.call("DELETE", "/v1/tools/"+tool, nil).want(204)
		refused := s.call("PUT", at+"/seed", `{"segments": `+segments+`}`).problem(422, "invalid")
		if p := refused.str("errors.0.pointer"); p != "/segments/1/enrichment/config/tool_id" && p != "/segments/1/enrichment/config" {
			t.Errorf("a tool that is gone is told at %q", p)
		}
		if p := s.call("PATCH", at, `{"seed": {"segments": `+segments+`}}`).problem(422, "invalid").str("errors.0.pointer"); !strings.HasPrefix(p, "/seed/segments/1") {
			t.Errorf("in a PATCH it is told at %q", p)
		}
		if kept := s.call("GET", at+"/seed", nil).want(200); kept.str("linear_text") != seed.str("linear_text") {
			t.Error("a refused SEED changed the one that is there")
		}
	})
}
