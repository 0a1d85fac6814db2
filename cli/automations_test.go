package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/cli/clitest"
)

// weekly is an automation as the server returns it, with fields that a file does not keep.
const weekly = `{"id":"aut_2","name":"Weekly","enabled":true,"commands":[],"misfire":"once","overlap":"skip","tags":[],"triggers":[],
	"completion":"auto","require_validation":false,"budgets":{"max_cost_per_day":null,"max_cost_per_round":2.5},
	"schedule":{"expression":"0 9 * * 1","time_zone":"Europe/Paris","starts_at":null},"next_run_at":"2026-03-02T08:00:00.000Z"}`

// What export writes, import accepts: the fields that people set, without those that the server computes.
func TestAutomationsInAFile(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("GET /v1/automations", http.StatusOK, pageOf(weekly))
	f.Answers("GET /v1/automations/aut_2/seed", http.StatusOK, `{"segments":[{"text":"Sum up the week"}]}`)
	f.Answers("PATCH /v1/automations/aut_2", http.StatusOK, weekly)
	f.Answers("POST /v1/automations", http.StatusCreated, strings.Replace(weekly, "aut_2", "aut_3", 1))

	file, err := typed(t, f, "", "automations", "export", "Weekly")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Wants(t, file, "automations:", "budgets:", "max_cost_per_round: 2.5", "commands: []", "name: Weekly", "expression: 0 9 * * 1", "text: Sum up the week")
	if strings.Contains(file, "aut_2") || strings.Contains(file, "next_run_at") || strings.Contains(file, "max_cost_per_day") {
		t.Errorf("the file has fields of the server:\n%s", file)
	}

	out, err := typed(t, f, file, "automations", "import", "-", "--dry-run")
	if err != nil || out != "would change aut_2 Weekly\n" || len(f.Seen("PATCH")) != 0 {
		t.Errorf("a rehearsal: %q, %v, sent %v", out, err, f.Seen("PATCH"))
	}
	if out, err = typed(t, f, file, "automations", "import", "-"); err != nil || out != "changed aut_2 Weekly\n" {
		t.Fatalf("%q, %v", out, err)
	}
	var patch map[string]any
	if err := json.Unmarshal([]byte(f.Seen("PATCH")[0].Body), &patch); err != nil {
		t.Fatal(err)
	}
	// A field that the file omits is reset.
	budgets, _ := patch["budgets"].(map[string]any)
	if value, sent := patch["provider_id"]; !sent || value != nil || budgets["max_cost_per_round"] != 2.5 {
		t.Errorf("sent %v", patch)
	}
	if value, sent := budgets["max_cost_per_day"]; !sent || value != nil {
		t.Errorf("sent %v", budgets)
	}

	out, err = typed(t, f, strings.Replace(file, "Weekly", "Monthly", 1), "automations", "import", "-", "-o", "json")
	clitest.Wants(t, out, `"id": "aut_3"`, `"name": "Monthly"`, `"result": "created"`)
	if err != nil || len(f.Seen("POST /v1/automations")) != 1 {
		t.Errorf("a new one: %v", err)
	}
}

func TestFilesOfAutomationsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"automations: [{name: A}, {name: A}]": `two automations of the file are named "A"`,
		"automations: [{enabled: true}]":      "automation 1 of the file has no name",
		"automation: []":                      "read the file",
	} {
		f := clitest.NewAPI(t)
		if _, err := typed(t, f, text, "automations", "import", "-"); err == nil || !strings.Contains(err.Error(), want) || len(f.Seen("")) != 0 {
			t.Errorf("%s: %v", text, err)
		}
	}
}
