package e2e

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
)

// firstText is what a session began with.
func (s *server) firstText(session string) string {
	s.t.Helper()
	return s.call("GET", "/v1/sessions/"+session+"/messages", nil).want(200).str("data.0.rich_content.linear_text")
}

// runsOf lists the runs of an automation once there are so many, newest first.
func (s *server) runsOf(automation string, n int) []any {
	s.t.Helper()
	events, stop := s.listen("/v1/events?after=0&types=session.ended")
	defer stop()
	for range n {
		select {
		case <-events:
		case <-time.After(20 * time.Second):
			s.t.Fatalf("there are no %d runs", n)
		}
	}
	runs := s.call("GET", "/v1/automations/"+automation+"/executions", nil).want(200).list("data")
	if len(runs) != n {
		s.t.Fatalf("%d runs, not %d", len(runs), n)
	}
	return runs
}

// TestAWebhookStartsARun: whoever knows the URL starts a run and learns nothing else; what
// was sent is in the first message.
func TestAWebhookStartsARun(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db, func(f *app.Config) { f.PublicURL, f.RootKey = "https://fermata.example/", aRootKey })
		s.key = aRootKey
		s.scripted("[" + saysDone + "]")
		s.call("PATCH", "/v1/settings", quickRuns).want(200)
		made := s.madeAutomation("Say what it means.", map[string]any{"triggers": []any{map[string]any{
			"type": "webhook", "condition": map[string]any{"type": "object", "properties": map[string]any{"level": map[string]any{"const": "critical"}}, "required": []string{"level"}},
		}}})
		id := made.str("id")
		hook, ours := strings.CutPrefix(made.str("webhook_url"), "https://fermata.example")
		if !ours || !strings.HasPrefix(hook, "/v1/hooks/"+id+"/") || len(hook) < len("/v1/hooks/")+len(id)+64 {
			t.Fatalf("the URL: %s", made.str("webhook_url"))
		}
		run := s.call("POST", hook, `{"level": "critical", "host": "db-2"}`).want(202)
		if run.str("result") != "ACTIVATED" || run.at("session") != nil {
			t.Fatalf("the caller was told %s", run.body)
		}
		session := s.until(run.str("session_id"), "ended")
		if session.str("trigger") != "EVENT" {
			t.Errorf("its trigger: %s", session.body)
		}
		if text := s.firstText(run.str("session_id")); !strings.HasPrefix(text, "Say what it means.") || !strings.Contains(text, `{"level": "critical", "host": "db-2"}`) {
			t.Errorf("the first message: %q", text)
		}
		for _, other := range []string{`{"level": "low"}`, `[]`, ``} {
			if r := s.call("POST", hook, other).want(200); r.str("result") != "IGNORED" {
				t.Errorf("%q: %s", other, r.body)
			}
		}
		s.call("POST", hook, `{"level"`).problem(400, "malformed_json")
		s.call("POST", hook, `"`+strings.Repeat("a", 64<<10)+`"`).problem(413, "too_large")
		s.call("POST", hook, `level=critical`, "Content-Type", "application/x-www-form-urlencoded").problem(415, "unsupported_media_type")
		s.call("POST", hook, `"\u0000"`).problem(422, "invalid")
		s.runsOf(id, 1)

		// A sender that got no answer sends again: with its key that starts no second run.
		once := []string{"Idempotency-Key", "delivery-1"}
		first := s.call("POST", hook, `{"level": "critical"}`, once...).want(202)
		s.until(first.str("session_id"), "ended")
		again := s.call("POST", hook, `{"level": "critical"}`, once...).want(202)
		if again.str("session_id") != first.str("session_id") || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("sent again: %s", again.body)
		}
		s.call("POST", hook, `{"level": "critical", "other": 1}`, once...).problem(422, "idempotency_mismatch")
		s.call("POST", hook+"x", `{"level": "critical"}`, once...).problem(404, "not_found")
		s.runsOf(id, 2)

		renewed := s.call("POST", "/v1/automations/"+id+"/webhook", nil).want(200)
		next := strings.TrimPrefix(renewed.str("webhook_url"), "https://fermata.example")
		if next == hook {
			t.Fatal("the URL was not renewed")
		}
		same := func(path string) []byte {
			return s.call("POST", path, `{}`, "X-Request-ID", "one").problem(404, "not_found").body
		}
		wrong := same(hook)
		for _, path := range []string{"/v1/hooks/" + id + "/x", "/v1/hooks/aut_none/" + strings.Repeat("0", 64), strings.Replace(next, id, "aut_none", 1)} {
			if !bytes.Equal(same(path), wrong) {
				t.Errorf("%s is told apart from a wrong token", path)
			}
		}
		s.call("POST", "/v1/automations/"+id+"/disable", nil).want(200)
		s.call("POST", next, `{"level": "critical"}`).problem(409, "automation_disabled")
		s.call("PATCH", "/v1/automations/"+id, `{"enabled": true, "triggers": []}`).want(200)
		s.call("POST", next, `{"level": "critical"}`).problem(404, "not_found")
		s.call("POST", "/v1/automations/"+id+"/webhook", nil).problem(409, "conflict")
		s.sound()
	})
}

// TestEntriesStartRuns: one run for each call that made entries which meet the condition,
// however many; none for what its own runs write.
func TestEntriesStartRuns(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.call("PATCH", "/v1/settings", quickRuns).want(200)
		zone := s.call("POST", "/v1/zones", map[string]any{"name": "Health"}).want(201).str("id")
		tool := s.call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "tracking", "name": "Pulse"}).want(201).str("id")
		s.scripted(`[{"when": {"roundtrip": 1}, "answer": {"calls": [{"name": "CREATE_DATA", "arguments": {"tool_id": "` + tool + `", "entries": [{"data": {"value": 200}}]}}]}}, ` + saysDone + `]`)
		id := s.madeAutomation("Look at it.", map[string]any{"triggers": []any{map[string]any{
			"type": "entry_created", "tool_id": tool,
			"condition": map[string]any{"properties": map[string]any{"data": map[string]any{"properties": map[string]any{"value": map[string]any{"exclusiveMinimum": 100}}}}},
		}}}).str("id")
		entries := "/v1/tools/" + tool + "/entries"
		s.call("POST", entries, `{"data": {"value": 60}}`).want(201)
		s.call("POST", entries, `{"data": {"value": 150}}`).want(201)
		first := s.runsOf(id, 1)[0].(map[string]any)
		if text := s.firstText(first["session_id"].(string)); first["trigger"] != "EVENT" || !strings.Contains(text, `{"value":150}`) || strings.Contains(text, `"value":60`) {
			t.Errorf("the run for one entry: %v %q", first["trigger"], text)
		}
		var batch []any
		for i := range 500 {
			batch = append(batch, map[string]any{"data": map[string]any{"value": i}})
		}
		s.call("POST", entries+"/batch", map[string]any{"entries": batch}).want(201)
		second := s.runsOf(id, 2)[0].(map[string]any)
		if text := s.firstText(second["session_id"].(string)); !strings.Contains(text, "New entries (399)") || !strings.Contains(text, "… and 379 more") {
			t.Errorf("the run for a batch begins with %.300q", text)
		}
		s.call("POST", entries+"/import", "value\n7\n120\n130\n", "Content-Type", "text/csv").want(201)
		third := s.runsOf(id, 3)[0].(map[string]any)
		if text := s.firstText(third["session_id"].(string)); !strings.Contains(text, "New entries (2)") {
			t.Errorf("the run for a file begins with %.300q", text)
		}
		// What its runs wrote started none: each wrote an entry of 200 before it ended, and
		// an entry by a person afterwards finds the fourth run, not the seventh.
		s.call("POST", entries, `{"data": {"value": 101}}`).want(201)
		s.runsOf(id, 4)
		s.sound()
	})
}
