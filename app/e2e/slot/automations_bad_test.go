package slot

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestAutomationsThatAreRefused: invalid fields are reported when an automation is saved, and nothing is stored.
func TestAutomationsThatAreRefused(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := s.Call("POST", "/v1/zones", map[string]any{"name": "Health"}).Want(201).Str("id")
		tool := s.Call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "tracking", "name": "Pulse"}).Want(201).Str("id")
		schedule := `"schedule": {"type": "%s", "expression": "%s", "time_zone": "%s"}`
		many := strings.TrimSuffix(strings.Repeat(`"t",`, 21), ",")
		big := `{"enum": [` + strings.TrimSuffix(strings.Repeat(`"x",`, 19_000), ",") + `]}`
		for _, bad := range []struct{ field, pointer string }{
			{`"name": " "`, "/name"},
			{`"name": "` + strings.Repeat("n", 201) + `"`, "/name"},
			{`"provider_id": "prv_none"`, "/provider_id"},
			{fmt.Sprintf(schedule, "cron", "61 * * * *", "UTC"), "/schedule/expression"},
			{fmt.Sprintf(schedule, "cron", "0 0 31 2 *", "UTC"), "/schedule/expression"},
			{fmt.Sprintf(schedule, "cron", "0 0 * * *", "Mars/Olympus"), "/schedule/time_zone"},
			{fmt.Sprintf(schedule, "interval", "1s", "UTC"), "/schedule/expression"},
			{fmt.Sprintf(schedule, "rrule", "FREQ=SOMETIMES", "UTC"), "/schedule/expression"},
			{fmt.Sprintf(schedule, "once", "tomorrow", "UTC"), "/schedule/expression"},
			{fmt.Sprintf(schedule, "yearly", "1", "UTC"), "/schedule/type"},
			{`"misfire": "never"`, "/misfire"}, {`"overlap": "kill"`, "/overlap"}, {`"completion": "maybe"`, "/completion"},
			{`"automation_validation": "perhaps"`, "/automation_validation"},
			{`"tags": [` + many + `]`, "/tags"}, {`"tags": ["a", ""]`, "/tags/1"}, {`"tags": ["` + strings.Repeat("t", 51) + `"]`, "/tags/0"},
			{`"budgets": {"max_cost_per_day": 0}`, "/budgets/max_cost_per_day"}, {`"budgets": {"max_tokens_per_round": -1}`, "/budgets/max_tokens_per_round"},
			{`"budgets": {"max_cost_per_session": -0.5}`, "/budgets/max_cost_per_session"},
			{`"triggers": [{"type": "mail"}]`, "/triggers/0/type"},
			{`"triggers": [{"type": "webhook"}, {"type": "webhook"}]`, "/triggers/1"},
			{`"triggers": [{"type": "webhook", "tool_id": "` + tool + `"}]`, "/triggers/0/tool_id"},
			{`"triggers": [{"type": "entry_created"}]`, "/triggers/0/tool_id"},
			{`"triggers": [{"type": "entry_created", "tool_id": "tol_none"}]`, "/triggers/0/tool_id"},
			{`"triggers": [{"type": "entry_created", "tool_id": "` + tool + `"}, {"type": "entry_created", "tool_id": "` + tool + `"}]`, "/triggers/1/tool_id"},
			{`"triggers": [{"type": "webhook", "condition": {"type": "nonsense"}}]`, "/triggers/0/condition"},
			{`"triggers": [{"type": "webhook", "condition": {"$ref": "http://evil.example/x"}}]`, "/triggers/0/condition"},
			{`"triggers": [{"type": "webhook", "condition": ` + big + `}]`, "/triggers/0/condition"},
			{`"triggers": [{"type": "webhook", "condition": true}]`, "/triggers/0/condition"},
			{`"webhook_url": "http://x"`, "/webhook_url"},
			{`"seed": {"text": "x", "segments": []}`, "/seed/segments"}, {`"seed": {}`, "/seed/text"}, {`"seed": null`, "/seed"},
			{`"seed": {"segments": [{"type": "enrichment", "enrichment": {"type": "USE", "config": {"tool_id": "tol_none"}}}]}`, "/seed/segments/0/enrichment/config"},
		} {
			body := `{` + bad.field
			for _, other := range []string{`"name": "Bad"`, `"seed": {"text": "x"}`} {
				if name, _, _ := strings.Cut(other, ":"); !strings.HasPrefix(bad.field, name+":") { // a name occurs once
					body += ", " + other
				}
			}
			refused := s.Call("POST", "/v1/automations", body+`}`)
			if refused.Status != 422 || !strings.HasPrefix(refused.Str("errors.0.pointer"), bad.pointer) {
				t.Errorf("%.120s: %d %.300s", bad.field, refused.Status, refused.Body)
			}
		}
		if n := len(s.Call("GET", "/v1/automations", nil).Want(200).List("data")); n != 0 {
			t.Errorf("%d automations were made", n)
		}
		if n := len(s.Call("GET", "/v1/sessions", nil).Want(200).List("data")); n != 0 {
			t.Errorf("%d SEEDs were made", n)
		}
	})
}

// TestGrantsAreGivenAndWithdrawn: invalid fields are reported; a withdrawn grant stays in the list without effect.
func TestGrantsAreGivenAndWithdrawn(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		at := "/v1/automations/" + s.MadeAutomation("Look.", nil).Str("id") + "/grants"
		for _, bad := range []struct{ body, pointer string }{
			{`{"commands": [], "max_per_run": 1}`, "/commands"}, {`{"commands": ["FLY"], "max_per_run": 1}`, "/commands/0"},
			{`{"commands": ["CREATE_ZONE", "ZONES"], "max_per_run": 1}`, "/commands/1"}, {`{"commands": ["CREATE_ZONE"]}`, "/max_per_run"},
			{`{"commands": ["CREATE_ZONE"], "max_per_run": 0}`, "/max_per_run"}, {`{"commands": ["CREATE_ZONE"], "max_per_run": 1001}`, "/max_per_run"},
			{`{"commands": ["CREATE_ZONE"], "max_per_run": 1, "zone_ids": ["zon_none"]}`, "/zone_ids/0"},
			{`{"commands": ["CREATE_ZONE"], "max_per_run": 1, "tool_ids": ["tol_none"]}`, "/tool_ids/0"},
			{`{"commands": ["CREATE_ZONE"], "max_per_run": 1, "bounds": {"type": "nonsense"}}`, "/bounds"},
			{`{"commands": ["CREATE_ZONE"], "max_per_run": 1, "expires_at": "2020-01-01T00:00:00Z"}`, "/expires_at"},
		} {
			if p := s.Call("POST", at, bad.body).Problem(422, "invalid").Str("errors.0.pointer"); p != bad.pointer {
				t.Errorf("%s is reported at %q", bad.body, p)
			}
		}
		given := s.Call("POST", at, `{"commands": ["CREATE_ZONE"], "max_per_run": 2, "bounds": {"required": ["name"]}, "expires_at": "2100-01-01T00:00:00+02:00"}`).Want(201)
		if given.At("active") != true || given.Str("expires_at") != "2099-12-31T22:00:00.000Z" || given.At("uses") != 0.0 {
			t.Fatalf("the grant: %s", given.Body)
		}
		s.Call("DELETE", given.Header.Get("Location"), nil).Want(204)
		list := s.Call("GET", at, nil).Want(200)
		if len(list.List("data")) != 1 || list.At("data.0.active") != false || list.Str("data.0.withdrawn_at") == "" {
			t.Fatalf("after it was withdrawn: %s", list.Body)
		}
		s.Call("DELETE", given.Header.Get("Location"), nil).Problem(404, "not_found")
		s.Call("POST", "/v1/automations/aut_none/grants", `{"commands": ["CREATE_ZONE"], "max_per_run": 1}`).Problem(404, "not_found")
		s.Sound()
	})
}
