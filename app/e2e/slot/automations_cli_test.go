package slot

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestAutomationsOnTheCommandLine: listed, run to the end, turned off and on; what is
// exported and imported elsewhere is the same automation.
func TestAutomationsOnTheCommandLine(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Scripted("[" + harness.SaysDone + "]")
	s.Call("PATCH", "/v1/settings", harness.QuickRuns).Want(200)
	zone := s.Call("POST", "/v1/zones", map[string]any{"name": "Health"}).Want(201).Str("id")
	tool := s.Call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "tracking", "name": "Weight"}).Want(201).Str("id")
	s.Call("POST", "/v1/automations", `{"name": "Weekly: look", "schedule": {"type": "rrule", "expression": "FREQ=WEEKLY;BYDAY=MO", "time_zone": "Europe/Paris", "starts_at": "2026-03-02T08:00:00"},
		"overlap": "queue", "automation_validation": "refuse", "tags": ["health", "1"], "budgets": {"max_tokens_per_round": 1000000, "max_cost_per_day": 0.5},
		"triggers": [{"type": "entry_created", "tool_id": "`+tool+`", "condition": {"required": ["data"]}}],
		"seed": {"segments": [{"type": "text", "text": "Read:\n  all of it — "}, {"type": "enrichment", "enrichment": {"type": "USE", "config": {"tool_id": "`+tool+`", "period": {"relative": "-1_WEEK"}}}}]}}`).Want(201)
	do := func(stdin string, args ...string) string {
		t.Helper()
		out, _ := s.Types(stdin, append([]string{"automations"}, args...)...)
		return out
	}
	harness.Wants(t, do("", "run", "Weekly: look"), "session.ended", "All is well.")
	harness.Wants(t, do("", "disable", "Weekly: look"), "disabled")
	harness.Wants(t, do("", "list"), "disabled", "FREQ=WEEKLY;BYDAY=MO", "entry_created", "Weekly: look")
	harness.Wants(t, do("", "enable", "Weekly: look"), "enabled")

	exported := do("", "export")
	harness.Wants(t, exported, "max_tokens_per_round: 1000000", "Weekly: look", "relative: -1_WEEK")
	id := s.Call("GET", "/v1/automations", nil).Str("data.0.id")
	seed := s.Call("GET", "/v1/automations/"+id+"/seed", nil).Str("linear_text")
	// An import reverts changes made meanwhile, including fields that the file omits.
	s.Call("PATCH", "/v1/automations/"+id, `{"tags": [], "provider_id": null, "completion": "ask", "budgets": {"max_cost_per_round": 1}, "schedule": null, "seed": {"text": "other"}}`).Want(200)
	path := filepath.Join(t.TempDir(), "automations.yaml")
	if err := os.WriteFile(path, []byte(exported), 0o600); err != nil {
		t.Fatal(err)
	}
	harness.Wants(t, do("", "import", path, "--dry-run"), "would change "+id)
	harness.Wants(t, do("", "import", path), "changed "+id)
	if again := do("", "export"); again != exported {
		t.Errorf("imported over a changed one:\n%s\nnot\n%s", again, exported)
	}
	s.Call("DELETE", "/v1/automations/"+id, nil).Want(204)
	harness.Wants(t, do(exported, "import", "-"), "created aut_")
	if again := do("", "export", "Weekly: look"); again != exported {
		t.Errorf("created again:\n%s\nnot\n%s", again, exported)
	}
	made := s.Call("GET", "/v1/automations", nil).Str("data.0.id")
	if now := s.Call("GET", "/v1/automations/"+made+"/seed", nil).Str("linear_text"); now != seed {
		t.Errorf("its SEED says %q, not %q", now, seed)
	}
	// A schedule without a start counts from now, as that of a new one, not from where the old one began.
	do("automations: [{name: 'Weekly: look', schedule: {type: cron, expression: 0 8 * * *, time_zone: UTC}}]", "import", "-")
	if at := s.Call("GET", "/v1/automations/"+made, nil).Str("schedule.starts_at"); at == "" || at == "2026-03-02T08:00:00" {
		t.Errorf("the new schedule begins at %q", at)
	}
	for _, bad := range []string{"automations: [{}]", "automations: [{name: a}, {name: a}]", "automation: []", "automations: [{name: a, seed: {text: x}, colour: red}]", "{"} {
		if _, _, err := s.Typed(bad, "automations", "import", "-"); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	if n := len(s.Call("GET", "/v1/automations", nil).List("data")); n != 1 {
		t.Errorf("there are %d automations", n)
	}
}
