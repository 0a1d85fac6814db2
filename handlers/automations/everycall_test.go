package automations_test

import (
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestEveryCall makes every call of the family as it is meant, and some that are not.
func TestEveryCall(t *testing.T) {
	servertest.EveryCall(t, "automations", map[string]servertest.Story{"automations": everyAutomation})
}

func everyAutomation(_ *testing.T, _ *servertest.World, c *servertest.Client) {
	servertest.All(c, []servertest.Call{
		{200, "POST", "/v1/schedules/preview", `{"schedule":{"type":"cron","expression":"30 2 * * *","time_zone":"Europe/Paris"},"count":2}`},
		{422, "POST", "/v1/schedules/preview", `{"schedule":{"type":"cron","expression":"refused","time_zone":"UTC"}}`},
		{200, "GET", "/v1/automations?enabled=true&limit=5", ""}, {422, "GET", "/v1/automations?enabled=perhaps", ""},
		{201, "POST", "/v1/automations", `{"name":"Other","provider_id":null,"schedule":{"type":"interval","expression":"2h","time_zone":"UTC"},"budgets":{"max_cost_per_day":1.5,"max_cost_per_round":null},"triggers":[{"type":"entry_created","tool_id":"tol_1","condition":{}}],"tags":["a"],"automation_validation":"park","seed":{"segments":[{"type":"enrichment","enrichment":{"type":"USE","config":{"tool_id":"tol_1","period":{"relative":"-1_WEEK"}}}}]}}`},
		{200, "GET", "/v1/automations/aut_1", ""}, {200, "PATCH", "/v1/automations/aut_1", `{"schedule":{"expression":"0 9 * * *"},"budgets":null,"provider_id":null,"overlap":"queue","seed":{"text":"x"}}`},
		{200, "POST", "/v1/automations/aut_1/disable", ""}, {200, "POST", "/v1/automations/aut_1/enable", "{}"},
		{200, "GET", "/v1/automations/aut_1/seed", ""}, {200, "PUT", "/v1/automations/aut_1/seed", `{"text":"Look."}`},
		{200, "GET", "/v1/automations/aut_1/grants", ""}, {204, "DELETE", "/v1/automations/aut_1/grants/gra_2", ""},
		{201, "POST", "/v1/automations/aut_1/grants", `{"commands":["CREATE_DATA"],"tool_ids":["tol_1"],"max_per_run":1,"bounds":{},"expires_at":"2030-01-01T00:00:00Z"}`},
		{202, "POST", "/v1/hooks/aut_1/secret", `[1]`}, {200, "GET", "/v1/hooks/aut_1/secret?challenge=abc", ""}, {202, "POST", "/v1/hooks/aut_1/secret", ""}, {404, "POST", "/v1/hooks/aut_1/other", ""},
		{200, "POST", "/v1/automations/aut_1/webhook", ""}, {404, "POST", "/v1/hooks/aut_1/secret", ""},
	})
	servertest.All(c, []servertest.Call{ // without a schedule, a part of one is not enough
		{200, "PATCH", "/v1/automations/aut_1", `{"schedule":null}`},
		{422, "PATCH", "/v1/automations/aut_1", `{"schedule":{"expression":"0 9 * * *"}}`},
		{200, "PATCH", "/v1/automations/aut_1", `{"schedule":{"type":"cron","expression":"0 9 * * *","time_zone":"UTC"}}`},
	})
	servertest.All(c, []servertest.Call{
		{202, "POST", "/v1/automations/aut_1/execute", ""},
		{200, "GET", "/v1/automations/aut_1/executions", ""}, {200, "GET", "/v1/automations/aut_1/occurrences?state=SKIPPED", ""}, {422, "GET", "/v1/automations/aut_1/occurrences?state=LOST", ""},
		{200, "GET", "/v1/runs?automation_id=aut_1&status=ended&end_reason=ERROR&trigger=EVENT&since=2026-03-01T00:00:00Z&until=2026-04-01T00:00:00Z&limit=5", ""}, {422, "GET", "/v1/runs?trigger=MOON", ""},
		{200, "GET", "/v1/occurrences?states=SKIPPED,MISSED,SKIPPED&until=2026-04-01T00:00:00Z", ""}, {422, "GET", "/v1/occurrences?states=SKIPPED,LOST", ""}, {422, "GET", "/v1/occurrences?since=soon", ""},
		{204, "DELETE", "/v1/automations/aut_1?force=true", ""}, {404, "GET", "/v1/automations/aut_1", ""},
	})
}
