package slot

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// firstText is what a session began with.
func (s *server) firstText(session string) string {
	s.T.Helper()
	return s.Call("GET", "/v1/sessions/"+session+"/messages", nil).Want(200).Str("data.0.rich_content.linear_text")
}

// runsOf lists the runs of an automation once there are so many, newest first.
func (s *server) runsOf(automation string, n int) []any {
	s.T.Helper()
	events, stop := s.Listen("/v1/events?after=0&types=session.ended")
	defer stop()
	for range n {
		select {
		case <-events:
		case <-time.After(20 * time.Second):
			s.T.Fatalf("there are no %d runs", n)
		}
	}
	runs := s.Call("GET", "/v1/automations/"+automation+"/executions", nil).Want(200).List("data")
	if len(runs) != n {
		s.T.Fatalf("%d runs, not %d", len(runs), n)
	}
	return runs
}

// TestAWebhookStartsARun: anyone who has the URL starts a run and learns nothing else; the request body is in the
// first message.
func TestAWebhookStartsARun(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db, func(f *app.Config) { f.PublicURL, f.RootKey = "https://fermata.example/", harness.RootKey })
		s.Key = harness.RootKey
		s.Scripted("[" + harness.SaysDone + "]")
		s.Call("PATCH", "/v1/settings", harness.QuickRuns).Want(200)
		made := s.MadeAutomation("Say what it means.", map[string]any{"triggers": []any{map[string]any{
			"type": "webhook", "condition": map[string]any{"type": "object", "properties": map[string]any{"level": map[string]any{"const": "critical"}}, "required": []string{"level"}},
		}}})
		id := made.Str("id")
		hook, ours := strings.CutPrefix(made.Str("webhook_url"), "https://fermata.example")
		if !ours || !strings.HasPrefix(hook, "/v1/hooks/"+id+"/") || len(hook) < len("/v1/hooks/")+len(id)+64 {
			t.Fatalf("the URL: %s", made.Str("webhook_url"))
		}
		run := s.Call("POST", hook, `{"level": "critical", "host": "db-2"}`).Want(202)
		if run.Str("result") != "ACTIVATED" || run.At("session") != nil {
			t.Fatalf("the caller got %s", run.Body)
		}
		session := s.Until(run.Str("session_id"), "ended")
		if session.Str("trigger") != "EVENT" {
			t.Errorf("its trigger: %s", session.Body)
		}
		if text := s.firstText(run.Str("session_id")); !strings.HasPrefix(text, "Say what it means.") || !strings.Contains(text, `{"level": "critical", "host": "db-2"}`) {
			t.Errorf("the first message: %q", text)
		}
		for _, other := range []string{`{"level": "low"}`, `[]`, ``} {
			if r := s.Call("POST", hook, other).Want(200); r.Str("result") != "IGNORED" {
				t.Errorf("%q: %s", other, r.Body)
			}
		}
		s.Call("POST", hook, `{"level"`).Problem(400, "malformed_json")
		s.Call("POST", hook, `"`+strings.Repeat("a", 64<<10)+`"`).Problem(413, "too_large")
		s.Call("POST", hook, `level=critical`, "Content-Type", "image/png").Problem(415, "unsupported_media_type")
		s.Call("POST", hook, `"\u0000"`).Problem(422, "invalid")
		s.runsOf(id, 1)

		// A sender that got no answer sends again: with its key that starts no second run.
		once := []string{"Idempotency-Key", "delivery-1"}
		first := s.Call("POST", hook, `{"level": "critical"}`, once...).Want(202)
		s.Until(first.Str("session_id"), "ended")
		again := s.Call("POST", hook, `{"level": "critical"}`, once...).Want(202)
		if again.Str("session_id") != first.Str("session_id") || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("sent again: %s", again.Body)
		}
		s.Call("POST", hook, `{"level": "critical", "other": 1}`, once...).Problem(422, "idempotency_mismatch")
		s.Call("POST", hook+"x", `{"level": "critical"}`, once...).Problem(404, "not_found")
		s.runsOf(id, 2)

		renewed := s.Call("POST", "/v1/automations/"+id+"/webhook", nil).Want(200)
		next := strings.TrimPrefix(renewed.Str("webhook_url"), "https://fermata.example")
		if next == hook {
			t.Fatal("the URL was not renewed")
		}
		same := func(path string) []byte {
			return s.Call("POST", path, `{}`, "X-Request-ID", "one").Problem(404, "not_found").Body
		}
		wrong := same(hook)
		for _, path := range []string{"/v1/hooks/" + id + "/x", "/v1/hooks/aut_none/" + strings.Repeat("0", 64), strings.Replace(next, id, "aut_none", 1)} {
			if !bytes.Equal(same(path), wrong) {
				t.Errorf("%s is distinguished from a wrong token", path)
			}
		}
		s.Call("POST", "/v1/automations/"+id+"/disable", nil).Want(200)
		s.Call("POST", next, `{"level": "critical"}`).Problem(409, "automation_disabled")
		s.Call("PATCH", "/v1/automations/"+id, `{"enabled": true, "triggers": []}`).Want(200)
		s.Call("POST", next, `{"level": "critical"}`).Problem(404, "not_found")
		s.Call("POST", "/v1/automations/"+id+"/webhook", nil).Problem(409, "conflict")
		s.Sound()
	})
}

// TestEntriesStartRuns: one run for each call that made entries which meet the condition,
// however many; none for what its own runs write.
func TestEntriesStartRuns(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("PATCH", "/v1/settings", harness.QuickRuns).Want(200)
		zone := s.Call("POST", "/v1/zones", map[string]any{"name": "Health"}).Want(201).Str("id")
		tool := s.Call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "tracking", "name": "Pulse"}).Want(201).Str("id")
		s.Scripted(`[{"when": {"roundtrip": 1}, "answer": {"calls": [{"name": "CREATE_DATA", "arguments": {"tool_id": "` + tool + `", "entries": [{"data": {"value": 200}}]}}]}}, ` + harness.SaysDone + `]`)
		id := s.MadeAutomation("Look at it.", map[string]any{"triggers": []any{map[string]any{
			"type": "entry_created", "tool_id": tool,
			"condition": map[string]any{"properties": map[string]any{"data": map[string]any{"properties": map[string]any{"value": map[string]any{"exclusiveMinimum": 100}}}}},
		}}}).Str("id")
		entries := "/v1/tools/" + tool + "/entries"
		s.Call("POST", entries, `{"data": {"value": 60}}`).Want(201)
		s.Call("POST", entries, `{"data": {"value": 150}}`).Want(201)
		first := s.runsOf(id, 1)[0].(map[string]any)
		if text := s.firstText(first["session_id"].(string)); first["trigger"] != "EVENT" || !strings.Contains(text, `{"value":150}`) || strings.Contains(text, `"value":60`) {
			t.Errorf("the run for one entry: %v %q", first["trigger"], text)
		}
		var batch []any
		for i := range 500 {
			batch = append(batch, map[string]any{"data": map[string]any{"value": i}})
		}
		s.Call("POST", entries+"/batch", map[string]any{"entries": batch}).Want(201)
		second := s.runsOf(id, 2)[0].(map[string]any)
		if text := s.firstText(second["session_id"].(string)); !strings.Contains(text, "New entries (399)") || !strings.Contains(text, "… and 379 more") {
			t.Errorf("the run for a batch begins with %.300q", text)
		}
		s.Call("POST", entries+"/import", "value\n7\n120\n130\n", "Content-Type", "text/csv").Want(201)
		third := s.runsOf(id, 3)[0].(map[string]any)
		if text := s.firstText(third["session_id"].(string)); !strings.Contains(text, "New entries (2)") {
			t.Errorf("the run for a file begins with %.300q", text)
		}
		// What its runs wrote started none: each wrote an entry of 200 before it ended, and
		// an entry by a person afterwards finds the fourth run, not the seventh.
		s.Call("POST", entries, `{"data": {"value": 101}}`).Want(201)
		s.runsOf(id, 4)
		s.Sound()
	})
}
