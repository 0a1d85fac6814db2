package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAutomationsOnTheCommandLine: listed, run to the end, turned off and on; what is
// exported and imported elsewhere is the same automation.
func TestAutomationsOnTheCommandLine(t *testing.T) {
	s := newServer(t, databases["sqlite"](t))
	s.scripted("[" + saysDone + "]")
	s.call("PATCH", "/v1/settings", quickRuns).want(200)
	zone := s.call("POST", "/v1/zones", map[string]any{"name": "Health"}).want(201).str("id")
	tool := s.call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "tracking", "name": "Weight"}).want(201).str("id")
	s.call("POST", "/v1/automations", `{"name": "Weekly: look", "schedule": {"type": "rrule", "expression": "FREQ=WEEKLY;BYDAY=MO", "time_zone": "Europe/Paris", "starts_at": "2026-03-02T08:00:00"},
		"overlap": "queue", "automation_validation": "refuse", "tags": ["health", "1"], "budgets": {"max_tokens_per_round": 1000000, "max_cost_per_day": 0.5},
		"triggers": [{"type": "entry_created", "tool_id": "`+tool+`", "condition": {"required": ["data"]}}],
		"seed": {"segments": [{"type": "text", "text": "Read:\n  all of it — "}, {"type": "enrichment", "enrichment": {"type": "USE", "config": {"tool_id": "`+tool+`", "period": {"relative": "-1_WEEK"}}}}]}}`).want(201)
	do := func(stdin string, args ...string) string {
		t.Helper()
		out, _ := s.types(stdin, append([]string{"automations"}, args...)...)
		return out
	}
	wants(t, do("", "run", "Weekly: look"), "session.ended", "All is well.")
	wants(t, do("", "disable", "Weekly: look"), "disabled")
	wants(t, do("", "list"), "disabled", "FREQ=WEEKLY;BYDAY=MO", "entry_created", "Weekly: look")
	wants(t, do("", "enable", "Weekly: look"), "enabled")

	exported := do("", "export")
	wants(t, exported, "max_tokens_per_round: 1000000", "Weekly: look", "relative: -1_WEEK")
	id := s.call("GET", "/v1/automations", nil).str("data.0.id")
	seed := s.call("GET", "/v1/automations/"+id+"/seed", nil).str("linear_text")
	// What somebody changed meanwhile is as in the file again, also what it leaves out.
	s.call("PATCH", "/v1/automations/"+id, `{"tags": [], "provider_id": null, "completion": "ask", "budgets": {"max_cost_per_round": 1}, "schedule": null, "seed": {"text": "other"}}`).want(200)
	path := filepath.Join(t.TempDir(), "automations.yaml")
	if err := os.WriteFile(path, []byte(exported), 0o600); err != nil {
		t.Fatal(err)
	}
	wants(t, do("", "import", path, "--dry-run"), "would change "+id)
	wants(t, do("", "import", path), "changed "+id)
	if again := do("", "export"); again != exported {
		t.Errorf("imported over a changed one:\n%s\nnot\n%s", again, exported)
	}
	s.call("DELETE", "/v1/automations/"+id, nil).want(204)
	wants(t, do(exported, "import", "-"), "created aut_")
	if again := do("", "export", "Weekly: look"); again != exported {
		t.Errorf("made anew:\n%s\nnot\n%s", again, exported)
	}
	made := s.call("GET", "/v1/automations", nil).str("data.0.id")
	if now := s.call("GET", "/v1/automations/"+made+"/seed", nil).str("linear_text"); now != seed {
		t.Errorf("its SEED says %q, not %q", now, seed)
	}
	for _, bad := range []string{"automations: [{}]", "automations: [{name: a}, {name: a}]", "automation: []", "automations: [{name: a, seed: {text: x}, colour: red}]", "{"} {
		if _, _, err := s.typed(bad, "automations", "import", "-"); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	if n := len(s.call("GET", "/v1/automations", nil).list("data")); n != 1 {
		t.Errorf("there are %d automations", n)
	}
}
