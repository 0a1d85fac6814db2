package slot

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

const (
	// thinksOnce keeps the first run at its first call until it is stopped.
	thinksOnce = `[{"times": 1, "delay_ms": 600000, "answer": {"text": "Never."}}, ` + harness.SaysDone + `]`
)

// TestAReportReachesPeople: what a run ends with is its final text wherever that is read, also where
// the model says something beside it.
func TestAReportReachesPeople(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(`[{"answer": {"text": "Finished.", "calls": [{"name": "COMPLETE", "arguments": {"summary": "REPORT: 3 notes made, 2 refused"}}]}}]`)
		s.Call("PATCH", "/v1/settings", harness.QuickRuns).Want(200)
		at := "/v1/automations/" + s.Call("POST", "/v1/automations", `{"name": "Report", "seed": {"text": "Look around."}}`).Want(201).Str("id")
		session := s.Call("POST", at+"/execute", nil).Want(202).Str("session.id")
		const report = "REPORT: 3 notes made, 2 refused"
		if ended := s.Until(session, "ended"); ended.Str("final_text") != report {
			t.Errorf("the session: %s", ended.Body)
		}
		if runs := s.Call("GET", "/v1/runs", nil).Want(200); runs.Str("data.0.final_text") != report {
			t.Errorf("the runs: %s", runs.Body)
		}
		if text := string(s.Call("GET", "/v1/sessions/"+session+"/export?format=markdown", nil).Want(200).Body); !strings.Contains(text, report) ||
			strings.Index(text, "Finished.") > strings.Index(text, report) {
			t.Errorf("the export:\n%s", text)
		}
	})
}

// TestAnAutomationFromSetupToHistory: created, run, ended, reported; a repeated request has no further effect.
func TestAnAutomationFromSetupToHistory(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted("[" + harness.SaysDone + "]")
		s.Call("PATCH", "/v1/settings", harness.QuickRuns).Want(200)
		body := `{"name": "Report", "tags": ["daily"], "budgets": {"max_cost_per_day": 2}, "seed": {"text": "Look around."}}`
		made := s.Call("POST", "/v1/automations", body, "Idempotency-Key", "make").Want(201)
		id := made.Str("id")
		at := "/v1/automations/" + id
		again := s.Call("POST", "/v1/automations", body, "Idempotency-Key", "make").Want(201)
		if again.Str("id") != id || len(s.Call("GET", "/v1/automations", nil).List("data")) != 1 {
			t.Fatalf("the same request made another: %s", again.Body)
		}
		if made.Header.Get("Location") != at || made.Header.Get("ETag") != `"1"` || made.At("enabled") != true || made.Str("misfire") != "once" ||
			made.Str("overlap") != "skip" || made.Str("completion") != "auto" || made.At("webhook_url") != nil {
			t.Fatalf("the automation: %v %s", made.Header, made.Body)
		}
		run := s.Call("POST", at+"/execute", nil, "Idempotency-Key", "run").Want(202)
		session := run.Str("session.id")
		if run.Str("result") != "ACTIVATED" || run.Str("session.automation_id") != id || run.Str("session.trigger") != "MANUAL" {
			t.Fatalf("the run: %s", run.Body)
		}
		if repeated := s.Call("POST", at+"/execute", nil, "Idempotency-Key", "run").Want(202); repeated.Str("session.id") != session {
			t.Fatalf("the same request started another run: %s", repeated.Body)
		}
		if r := s.Until(session, "ended"); r.Str("end_reason") != "COMPLETED" {
			t.Fatalf("how it ended: %s", r.Body)
		}
		history := s.Call("GET", at+"/executions", nil).Want(200)
		if len(history.List("data")) != 1 || history.Str("data.0.session_id") != session || history.Str("data.0.final_text") != "All is well." ||
			history.Str("data.0.end_reason") != "COMPLETED" || history.At("data.0.roundtrips") != 1.0 || history.Str("data.0.trigger") != "MANUAL" ||
			history.At("data.0.duration_ms") == nil || history.Str("data.0.started_at") < history.Str("data.0.requested_at") {
			t.Fatalf("the history: %s", history.Body)
		}
		messages := s.Call("GET", "/v1/sessions/"+session+"/messages", nil).Want(200)
		last := messages.List("data")[len(messages.List("data"))-1].(map[string]any)
		feedback, _ := last["execution_metadata"].(map[string]any)
		if feedback["automation_id"] != id || feedback["trigger"] != "MANUAL" {
			t.Fatalf("its feedback: %v", last)
		}
		if len(s.Call("GET", at+"/occurrences", nil).Want(200).List("data")) != 0 {
			t.Error("a run by hand is no occurrence of a schedule")
		}
		s.Sound()
	})
}

// TestRunsOfOneAutomationGoOneAfterTheOther: the second waits in the queue, where it is
// seen and can leave; a run keeps the SEED that it began with; deleting asks for force.
func TestRunsOfOneAutomationGoOneAfterTheOther(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(thinksOnce)
		s.Call("PATCH", "/v1/settings", harness.QuickRuns).Want(200)
		at := "/v1/automations/" + s.MadeAutomation("The old text.", nil).Str("id")
		first := s.Call("POST", at+"/execute", nil).Want(202).Str("session.id")
		second := s.Call("POST", at+"/execute", nil).Want(202)
		if second.Str("result") != "QUEUED" || second.At("position") != 1.0 || second.Str("session.status") != "queued" {
			t.Fatalf("the second run: %s", second.Body)
		}
		third := s.Call("POST", at+"/execute", nil).Want(202)
		queue := s.Call("GET", "/v1/queue", nil).Want(200)
		if queue.At("length") != 2.0 || queue.Str("data.0.session.id") != second.Str("session.id") || queue.At("data.1.position") != 2.0 ||
			queue.Str("data.0.trigger") != "MANUAL" || queue.Str("data.0.reason") == "" || queue.Str("data.0.since") == "" {
			t.Fatalf("the queue: %s", queue.Body)
		}
		if slot := s.Call("GET", "/v1/slot", nil).Want(200); slot.Str("holder.id") != first || slot.At("preempting") != nil {
			t.Fatalf("the slot: %s", slot.Body)
		}
		if r := s.Call("POST", "/v1/sessions/"+second.Str("session.id")+"/activate", nil).Want(200); r.Str("result") != "QUEUED" || r.At("position") != 1.0 {
			t.Fatalf("asking again: %s", r.Body)
		}
		if left := s.Call("DELETE", "/v1/queue/"+third.Str("session.id"), nil).Want(200); left.Str("session.end_reason") != "CANCELLED" {
			t.Fatalf("a run that left before it began: %s", left.Body)
		}
		if queue := s.Call("GET", "/v1/queue", nil).Want(200); queue.At("length") != 1.0 {
			t.Fatalf("the queue after one left: %s", queue.Body)
		}
		s.Call("PUT", at+"/seed", map[string]any{"text": "The new text."}).Want(200)
		s.Call("POST", "/v1/sessions/"+first+"/stop", nil).Want(200)
		s.Until(second.Str("session.id"), "ended")
		for _, run := range []string{first, second.Str("session.id")} {
			if text := s.Call("GET", "/v1/sessions/"+run+"/messages", nil).Want(200).Str("data.0.rich_content.linear_text"); text != "The old text." {
				t.Errorf("a run that had begun now begins with %q", text)
			}
		}
		if history := s.Call("GET", at+"/executions?limit=2", nil).Want(200); len(history.List("data")) != 2 || history.Str("next_cursor") == "" ||
			history.Str("data.0.end_reason") != "CANCELLED" || history.At("data.0.started_at") != nil {
			t.Errorf("the history: %s", history.Body)
		}
		s.Sound()
	})
}

// TestDeletingAnAutomationThatRuns asks for force, which stops the run; what ran stays.
func TestDeletingAnAutomationThatRuns(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Scripted(thinksOnce)
		id := s.MadeAutomation("Look.", map[string]any{"triggers": []any{map[string]any{"type": "webhook"}}}).Str("id")
		at := "/v1/automations/" + id
		hook := strings.TrimPrefix(s.Call("GET", at, nil).Str("webhook_url"), s.URL)
		run := s.Call("POST", at+"/execute", nil).Want(202).Str("session.id")
		s.Call("DELETE", at, nil).Problem(409, "session_busy")
		s.Call("DELETE", at+"?force=true", nil).Want(204)
		if r := s.Call("GET", "/v1/sessions/"+run, nil).Want(200); r.Str("end_reason") != "CANCELLED" {
			t.Errorf("its run: %s", r.Body)
		}
		for _, path := range []string{"", "/executions", "/occurrences", "/seed", "/grants"} {
			s.Call("GET", at+path, nil).Problem(404, "not_found")
		}
		s.Call("POST", at+"/execute", nil).Problem(404, "not_found")
		s.Call("POST", hook, `{}`).Problem(404, "not_found")
		if runs := s.Call("GET", "/v1/sessions?automation_id="+id+"&type=AUTOMATION", nil).Want(200); len(runs.List("data")) != 1 {
			t.Errorf("its runs are gone: %s", runs.Body)
		}
		s.Sound()
	})
}

// TestWhatTwoPeopleChange: an ETag keeps one from overwriting the other; what is left out
// stays; a schedule is merged and counts from when it was changed.
func TestWhatTwoPeopleChange(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		made := s.MadeAutomation("Look.", map[string]any{
			"schedule": map[string]any{"type": "cron", "expression": "0 8 * * *", "time_zone": "Europe/Paris", "starts_at": "2026-01-01T00:00:00"},
			"budgets":  map[string]any{"max_cost_per_day": 2, "max_tokens_per_round": 9},
		})
		at := "/v1/automations/" + made.Str("id")
		one := s.Call("PATCH", at, `{"schedule": {"expression": "0 9 * * *"}, "budgets": {"max_cost_per_day": null}}`, "If-Match", made.Header.Get("ETag")).Want(200)
		if one.Str("schedule.expression") != "0 9 * * *" || one.Str("schedule.starts_at") != "2026-01-01T00:00:00" || one.Str("schedule.time_zone") != "Europe/Paris" ||
			one.At("budgets.max_cost_per_day") != nil || one.At("budgets.max_tokens_per_round") != 9.0 || one.Str("next_run_at") == made.Str("next_run_at") {
			t.Fatalf("the change: %s", one.Body)
		}
		for _, c := range [][]string{{"PATCH", at, `{"name": "x"}`}, {"PUT", at + "/seed", `{"text": "x"}`}, {"POST", at + "/disable", "{}"}, {"DELETE", at, ""}} {
			var body any = c[2]
			if c[2] == "" {
				body = nil
			}
			s.Call(c[0], c[1], body, "If-Match", made.Header.Get("ETag")).Problem(412, "precondition_failed")
		}
		off := s.Call("POST", at+"/disable", nil).Want(200)
		if off.At("enabled") != false || off.At("next_run_at") != nil {
			t.Fatalf("disabled: %s", off.Body)
		}
		if n := len(s.Call("GET", "/v1/automations?enabled=true", nil).Want(200).List("data")); n != 0 {
			t.Errorf("%d automations are enabled", n)
		}
		on := s.Call("PATCH", at, `{"enabled": true, "schedule": null, "seed": {"text": "Look twice."}}`).Want(200)
		if on.At("schedule") != nil || on.At("next_run_at") != nil {
			t.Fatalf("without a schedule: %s", on.Body)
		}
		seed := s.Call("GET", at+"/seed", nil).Want(200)
		if seed.Str("linear_text") != "Look twice." || seed.Header.Get("ETag") != on.Header.Get("ETag") {
			t.Fatalf("the SEED: %s %s", seed.Header.Get("ETag"), seed.Body)
		}
		s.Call("PATCH", at, `{"schedule": {"expression": "0 9 * * *"}}`).Problem(422, "invalid")
		s.Sound()
	})
}

// TestASeedKeepsItsPeriodsRelative: the same message sent to a CHAT is frozen; what it
// refers to must be there when it is saved.
func TestASeedKeepsItsPeriodsRelative(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := s.Call("POST", "/v1/zones", map[string]any{"name": "Health"}).Want(201).Str("id")
		tool := s.Call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "tracking", "name": "Weight"}).Want(201).Str("id")
		segments := `[{"type": "text", "text": "Read "}, {"type": "enrichment", "enrichment": {"type": "USE", "config": {"tool_id": "` + tool + `", "period": {"relative": "-1_WEEK"}}}}]`
		made := s.Call("POST", "/v1/automations", `{"name": "Weekly", "seed": {"segments": `+segments+`}}`).Want(201)
		at := "/v1/automations/" + made.Str("id")
		seed := s.Call("GET", at+"/seed", nil).Want(200)
		if seed.Str("segments.1.enrichment.config.period.relative") != "-1_WEEK" {
			t.Fatalf("the SEED: %s", seed.Body)
		}
		relative := 0
		for _, c := range seed.List("commands") {
			if c.(map[string]any)["is_relative"] == true {
				relative++
			}
		}
		if relative == 0 {
			t.Errorf("no query of the SEED is relative: %s", seed.Body)
		}
		s.Call("DELETE", "/v1/tools/"+tool, nil).Want(204)
		refused := s.Call("PUT", at+"/seed", `{"segments": `+segments+`}`).Problem(422, "invalid")
		if p := refused.Str("errors.0.pointer"); p != "/segments/1/enrichment/config/tool_id" && p != "/segments/1/enrichment/config" {
			t.Errorf("a tool that is gone is reported at %q", p)
		}
		if p := s.Call("PATCH", at, `{"seed": {"segments": `+segments+`}}`).Problem(422, "invalid").Str("errors.0.pointer"); !strings.HasPrefix(p, "/seed/segments/1") {
			t.Errorf("in a PATCH it is reported at %q", p)
		}
		if kept := s.Call("GET", at+"/seed", nil).Want(200); kept.Str("linear_text") != seed.Str("linear_text") {
			t.Error("a refused SEED changed the one that is there")
		}
	})
}
