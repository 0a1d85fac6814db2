package handlers_test

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// call is one that is answered with a status.
type call struct {
	status             int
	method, path, body string
}

// TestEveryCall makes every call of the contract as it is meant, and some that are not.
func TestEveryCall(t *testing.T) {
	good := map[string]int{}
	for name, story := range map[string]func(*testing.T, *servertest.World, *servertest.Client){
		"sessions": everySession, "answers": everyAnswer, "data": everyNoun, "automations": everyAutomation, "tasks": everyTask, "cancelled tasks": cancelledTask, "sign-ins": signIns, "people": everyPerson, "passkeys": everyPasskey, "pushes": everyPush, "files": everyFile, "links": everyLink, "the rest": everythingElse,
	} {
		t.Run(name, func(t *testing.T) {
			w := servertest.NewWorld(t)
			c := w.Serve(t)
			story(t, w, c)
			for operation, statuses := range c.Contract.Calls() {
				for status, n := range statuses {
					if status < 400 {
						good[operation] += n
					}
				}
			}
		})
	}
	for _, item := range testkit.LoadContract(t).Paths.Map() {
		for _, op := range item.Operations() {
			if good[op.OperationID] == 0 {
				t.Errorf("%s is never called as it is meant", op.OperationID)
			}
		}
	}
}

// all makes the calls in their order.
func all(c *servertest.Client, calls []call) {
	c.T.Helper()
	for _, call := range calls {
		got := c.Want(call.status, call.method, call.path, call.body)
		if location := got.Header.Get("Location"); call.status == 201 && location == "" && !strings.HasSuffix(call.path, "/batch") && call.path != "/v1/stream-tickets" {
			c.T.Errorf("%s %s made something and does not say where", call.method, call.path)
		}
	}
}

func everySession(t *testing.T, w *servertest.World, c *servertest.Client) {
	ses, msg := "/v1/sessions/ses_1", "/v1/sessions/ses_1/messages/msg_3"
	all(c, []call{
		{200, "GET", "/v1/sessions?type=CHAT&status=idle&q=run&since=2026-03-01T00:00:00Z&limit=10", ""},
		{201, "POST", "/v1/sessions", `{}`}, {201, "POST", "/v1/sessions", `{"external_id":"known"}`}, {200, "POST", "/v1/sessions", `{"external_id":"known"}`},
		{200, "GET", ses, ""}, {200, "PATCH", ses, `{"name":"x","pinned":true}`},
		{200, "GET", ses + "/messages", ""}, {200, "GET", ses + "/messages?order=desc", ""}, {200, "PATCH", msg, `{"text":"other"}`},
		{200, "DELETE", msg, ""}, {200, "DELETE", ses + "/messages/msg_4", ""},
		{200, "GET", ses + "/events", ""}, {200, "GET", ses + "/events/stream?after=0", ""},
		{200, "GET", ses + "/explain", ""}, {200, "GET", ses + "/timeline?round_id=rnd_1&limit=10", ""},
		{200, "GET", ses + "/export", ""}, {200, "GET", ses + "/export?format=markdown", ""},
		{202, "POST", ses + "/messages", `{"text":"` + servertest.HoldOn + `","if_busy":"steer"}`}, {409, "DELETE", ses, ""},
		{200, "POST", ses + "/interrupt", "{}"}, {200, "POST", ses + "/retry", ""}, {200, "POST", ses + "/stop", ""}, {200, "POST", ses + "/resume", ""},
		{200, "POST", ses + "/stop", ""}, {201, "POST", "/v1/sessions", `{"type":"CHAT","message":"Good day."}`},
	})
	made := c.Want(200, "GET", "/v1/sessions?limit=1", "").Body["data"].([]any)[0].(map[string]any)["id"].(string)
	w.Wait(t, made, domain.Idle)
	c.Want(200, "POST", "/v1/sessions/"+made+"/retry", `{"message":"Good evening."}`)
	w.Wait(t, made, domain.Idle)
	first := c.Want(200, "GET", "/v1/sessions/"+made+"/messages", "").Body["data"].([]any)[0].(map[string]any)
	if first["status"] != "superseded" {
		t.Errorf("the words before: %v", first)
	}
	c.Want(200, "POST", "/v1/sessions/"+made+"/messages/"+first["id"].(string)+"/choose", "")
	forked := c.Want(201, "POST", "/v1/sessions/"+made+"/fork", `{"after_message_id":"`+first["id"].(string)+`"}`)
	if from := forked.Body["forked_from"].(map[string]any); from["session_id"] != made || from["message_id"] != first["id"] {
		t.Errorf("the fork: %v", forked.Body)
	}
	all(c, []call{{200, "POST", "/v1/sessions/" + made + "/release", ""}, {200, "POST", "/v1/sessions/" + made + "/activate", ""}, {204, "DELETE", ses, ""}, {404, "GET", ses, ""}})
}

func everyAnswer(t *testing.T, w *servertest.World, c *servertest.Client) {
	ses := "/v1/sessions/ses_1"
	all(c, []call{
		{200, "GET", "/v1/approvals?status=open", ""}, {200, "GET", "/v1/approvals?session_id=ses_1&kind=question", ""}, {200, "GET", "/v1/approvals/apr_1", ""},
		{200, "POST", ses + "/validation", `{"approved":true,"approved_ids":["exe_1"],"edits":{"exe_1":{"name":"y"}},"comment":"ok"}`},
		{409, "POST", "/v1/approvals/apr_1", `{"approved":false}`},
	})
	w.Wait(t, "ses_1", domain.Idle)
	c.Want(202, "POST", ses+"/messages", `{"text":"Ask me."}`)
	w.Wait(t, "ses_1", domain.WaitingCommunicationResponse)
	all(c, []call{{200, "POST", ses + "/response", `{"value":"a"}`}, {200, "POST", ses + "/stop", ""}})
	c.Want(200, "POST", "/v1/sessions/"+w.WaitingRun(t, c)+"/completion", `{"confirmed":false,"comment":"no"}`)
}

func everyNoun(_ *testing.T, _ *servertest.World, c *servertest.Client) {
	all(c, []call{
		{200, "GET", "/v1/zones", ""}, {201, "POST", "/v1/zones", `{"name":"Play"}`}, {200, "GET", "/v1/zones/zon_1", ""},
		{200, "PATCH", "/v1/zones/zon_1", `{"description":null,"position":2}`},
		{200, "GET", "/v1/tools?zone_id=zon_1", ""}, {201, "POST", "/v1/tools", `{"zone_id":"zon_1","tool_type":"tracking","name":"Swim"}`},
		{200, "GET", "/v1/tools/tol_1", ""}, {200, "PATCH", "/v1/tools/tol_1", `{"config":{"unit":"mi"},"always_send":true}`},
		{200, "GET", "/v1/tools/tol_1/entries?order=asc&from=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00%2B01:00", ""},
		{200, "GET", "/v1/tools/tol_1/entries?period=-3_DAY..0_DAY", ""}, {422, "GET", "/v1/tools/tol_1/entries?period=soon", ""},
		{422, "GET", "/v1/tools/tol_1/entries?period=0_DAY&from=2026-01-01T00:00:00Z", ""}, {200, "GET", "/v1/tools/tol_1/entries/stats?period=%2B1_WEEK", ""},
		{201, "POST", "/v1/tools/tol_1/entries", `{"data":{"value":3}}`},
		{201, "POST", "/v1/tools/tol_1/entries/batch", `{"entries":[{"data":{"value":4}},{"timestamp":"2026-03-02T07:30:00+02:00","data":{"value":5}}]}`},
		{200, "GET", "/v1/tools/tol_1/entries/stats?group_by=day&field=value", ""}, {200, "GET", "/v1/tools/tol_1/entries/stats?group_by=value", ""},
		{200, "GET", "/v1/tools/tol_1/entries?where=%7B%22value%22%3A%7B%22gt%22%3A1%7D%7D&order_by=value&fields=value", ""},
		{422, "GET", "/v1/tools/tol_1/entries?where=%7B%22vlaue%22%3A1%7D", ""}, {422, "GET", "/v1/tools/tol_1/entries?where=value", ""},
		{422, "GET", "/v1/tools/tol_1/entries?order_by=vlaue", ""}, {422, "GET", "/v1/tools/tol_1/entries/stats?where=%7B%22vlaue%22%3A1%7D", ""},
		{200, "GET", "/v1/entries/ent_1", ""}, {200, "PATCH", "/v1/entries/ent_1", `{"data":{"value":9}}`},
		{204, "DELETE", "/v1/entries/ent_1", ""}, {404, "GET", "/v1/entries/ent_1", ""}, {200, "POST", "/v1/entries/ent_1/restore", "{}"},
		{409, "DELETE", "/v1/tools/tol_1", ""}, {204, "DELETE", "/v1/tools/tol_1?force=true", ""}, {200, "POST", "/v1/tools/tol_1/restore", ""},
		{409, "DELETE", "/v1/zones/zon_1", ""}, {204, "DELETE", "/v1/zones/zon_1?force=true", ""}, {200, "POST", "/v1/zones/zon_1/restore", ""},
		{200, "GET", "/v1/tool-types", ""}, {200, "GET", "/v1/tool-types/tracking", ""}, {403, "DELETE", "/v1/tool-types/tracking", ""},
		{201, "POST", "/v1/tool-types", `{"id":"sleep","name":"Sleep","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`},
		{200, "PATCH", "/v1/tool-types/mood", `{"description":null,"entry_schema":{"type":"object"}}`}, {204, "DELETE", "/v1/tool-types/mood", ""},
		{200, "GET", "/v1/documents", ""}, {201, "POST", "/v1/documents", `{"key":"about","body":""}`}, {200, "GET", "/v1/documents/doc_1", ""},
		{200, "GET", "/v1/documents/doc_1/versions", ""}, {200, "GET", "/v1/documents/doc_1/versions/2", ""}, {404, "GET", "/v1/documents/doc_1/versions/two", ""},
		{404, "GET", "/v1/documents/doc_1/versions/1", ""}, {200, "PATCH", "/v1/documents/doc_1", `{"body":"six yolks"}`}, {200, "POST", "/v1/documents/doc_1/publish", ""},
		{200, "GET", "/v1/search?q=six+yolks&kinds=note,document,note&limit=2", ""}, {200, "GET", "/v1/search?q=a", ""},
		{204, "DELETE", "/v1/documents/doc_1", ""}, {200, "POST", "/v1/documents/doc_1/restore", ""},
	})
	c.Want(201, "POST", "/v1/tools/tol_1/entries/import", "value\n3\n", "Content-Type", "text/csv")
	c.Want(200, "POST", "/v1/tools/tol_1/entries/import?dry_run=true", "value\n3\n", "Content-Type", "text/csv; charset=UTF-8")
}

func everyAutomation(_ *testing.T, _ *servertest.World, c *servertest.Client) {
	all(c, []call{
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
	run := c.Want(202, "POST", "/v1/automations/aut_1/execute", "").Body["session"].(map[string]any)["id"].(string)
	all(c, []call{
		{200, "GET", "/v1/queue", ""}, {200, "DELETE", "/v1/queue/" + run, ""},
		{200, "GET", "/v1/automations/aut_1/executions", ""}, {200, "GET", "/v1/automations/aut_1/occurrences?state=SKIPPED", ""}, {422, "GET", "/v1/automations/aut_1/occurrences?state=LOST", ""},
		{200, "GET", "/v1/runs?automation_id=aut_1&status=ended&end_reason=ERROR&trigger=EVENT&since=2026-03-01T00:00:00Z&until=2026-04-01T00:00:00Z&limit=5", ""}, {422, "GET", "/v1/runs?trigger=MOON", ""},
		{200, "GET", "/v1/occurrences?states=SKIPPED,MISSED,SKIPPED&until=2026-04-01T00:00:00Z", ""}, {422, "GET", "/v1/occurrences?states=SKIPPED,LOST", ""}, {422, "GET", "/v1/occurrences?since=soon", ""},
		{204, "DELETE", "/v1/automations/aut_1?force=true", ""}, {404, "GET", "/v1/automations/aut_1", ""},
	})
}

func everythingElse(_ *testing.T, _ *servertest.World, c *servertest.Client) {
	all(c, []call{
		{200, "POST", "/v1/approvals/apr_1", `{"approved":false}`}, {200, "GET", "/v1/events?types=data.changed", ""}, {200, "GET", "/v1/events/stream", ""}, {201, "POST", "/v1/stream-tickets", ""},
		{200, "POST", "/v1/heartbeat", `{"session_ids":["ses_1"]}`}, {404, "POST", "/v1/heartbeat", `{"session_ids":["ses_1","ses_far"]}`}, {200, "GET", "/v1/slot", ""},
		{200, "GET", "/v1/commands", ""}, {200, "POST", "/v1/enrichments/preview", `{"segments":[{"type":"enrichment","enrichment":{"type":"USE","config":{"tool_id":"tol_1"}}}]}`},
		{200, "GET", "/v1/provider-kinds", ""}, {200, "GET", "/v1/providers", ""}, {201, "POST", "/v1/providers", `{"name":"n","kind":"demo","config":{}}`},
		{200, "GET", "/v1/providers/prv_1", ""}, {200, "PATCH", "/v1/providers/prv_1", `{"config":{"max_tokens":null}}`},
		{200, "POST", "/v1/providers/prv_1/test", ""}, {200, "GET", "/v1/providers/prv_1/models", ""}, {204, "DELETE", "/v1/providers/prv_1", ""}, {404, "GET", "/v1/providers/prv_1", ""},
		{200, "GET", "/v1/connectors?limit=2", ""}, {422, "POST", "/v1/connectors/preview", `{}`},
		{200, "POST", "/v1/connectors/preview", `{"openapi":{"openapi":"3.1.0","info":{"title":"Shop","version":"1"},"paths":{"/items/{id}":{"get":{"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],"responses":{"200":{"description":"x"}}}}}}}`}, {201, "POST", "/v1/connectors", servertest.ConnectorBody("OTHER")}, {409, "POST", "/v1/connectors", servertest.ConnectorBody("OTHER")},
		{422, "POST", "/v1/connectors", servertest.ConnectorBody("CREATE")}, {422, "POST", "/v1/connectors", servertest.ConnectorBody("lower")}, {200, "GET", "/v1/connectors/con_1", ""},
		{200, "PATCH", "/v1/connectors/con_1/commands/GET_ITEM", `{"timeout":"30s","state":"off"}`},
		{404, "PATCH", "/v1/connectors/con_1/commands/NONE", `{"timeout":"30s"}`}, {422, "PATCH", "/v1/connectors/con_1/commands/GET_ITEM", `{"timeout":"6m"}`},
		{422, "PATCH", "/v1/connectors/con_1/commands/GET_ITEM", `{"timeout":"0s"}`}, {200, "PATCH", "/v1/connectors/con_1/commands/GET_ITEM", `{"timeout":null}`},
		{200, "PATCH", "/v1/connectors/con_1", `{"config":{"headers":{"Authorization":null,"X-Key":"abc"}},"commands":[]}`},
		{200, "POST", "/v1/connectors/con_1/test", ""}, {200, "POST", "/v1/connectors/con_1/refresh", ""},
		{204, "DELETE", "/v1/connectors/con_1", ""}, {404, "GET", "/v1/connectors/con_1", ""}, {404, "POST", "/v1/connectors/con_1/test", ""},
		{200, "GET", "/v1/usage?group_by=model&since=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00Z&session_id=ses_1", ""},
		{200, "GET", "/v1/settings", ""}, {200, "PATCH", "/v1/settings", `{"language":"fr"}`},
		{200, "GET", "/v1/keys", ""}, {201, "POST", "/v1/keys", `{"name":"n","role":"viewer"}`}, {204, "DELETE", "/v1/keys/key_1", ""},
		{200, "GET", "/v1/agents?limit=1", ""},
		{201, "POST", "/v1/agents", `{"name":"NoteTaker","description":"Finds texts.","system_prompt":"Find.","commands":["SEARCH","NOTES.FIND"],"strategy":null,"max_turns":3}`},
		{409, "POST", "/v1/agents", `{"name":"librarian","description":"d","system_prompt":"p","commands":[]}`},
		{422, "POST", "/v1/agents", `{"name":"Other","description":"d","system_prompt":"p","commands":["SERCH"]}`},
		{200, "GET", "/v1/agents/agt_1", ""}, {200, "PATCH", "/v1/agents/agt_1", `{"exit_report":"Where it stands.","strategy":null}`},
		{422, "PATCH", "/v1/agents/agt_1", `{"commands":["AGENT.LIBRARIAN"]}`}, {422, "PATCH", "/v1/agents/agt_1", `{"provider_id":"prv_0"}`},
		{202, "POST", "/v1/agents/agt_1/try", `{"query":"find it"}`}, {422, "POST", "/v1/agents/agt_1/try", `{"query":""}`},
		{200, "GET", "/v1/agents/agt_1/versions?limit=1", ""}, {200, "GET", "/v1/agents/agt_context_manager/versions", ""}, {404, "GET", "/v1/agents/agt_0/versions", ""},
		{409, "DELETE", "/v1/agents/agt_context_manager", ""}, {204, "DELETE", "/v1/agents/agt_1", ""}, {404, "GET", "/v1/agents/agt_1", ""},
		{200, "GET", "/v1/agents/agt_1/versions", ""},
		{200, "GET", "/v1/webhooks?limit=1", ""}, {201, "POST", "/v1/webhooks", `{"url":"https://receiver.example","types":["notice"],"enabled":false}`}, {422, "POST", "/v1/webhooks", `{"url":"ftp://receiver.example","types":["notice"]}`},
		{200, "GET", "/v1/webhooks/whk_1", ""}, {200, "PATCH", "/v1/webhooks/whk_1", `{"types":["session.phase"]}`}, {200, "POST", "/v1/webhooks/whk_1/test", ""}, {200, "POST", "/v1/webhooks/whk_1/rotate", ""},
		{200, "POST", "/v1/webhooks/whk_1/replay", `{"after":0}`}, {422, "POST", "/v1/webhooks/whk_1/replay", `{"after":99999}`}, {200, "GET", "/v1/webhooks/whk_1/deliveries?state=failed", ""},
		{204, "DELETE", "/v1/webhooks/whk_1", ""}, {404, "GET", "/v1/webhooks/whk_1", ""}, {404, "GET", "/v1/webhooks/whk_1/deliveries", ""},
		{200, "GET", "/v1/workspaces", ""}, {201, "POST", "/v1/workspaces", `{"id":"mine"}`}, {409, "POST", "/v1/workspaces", `{"id":"acme"}`}, {200, "GET", "/v1/workspaces/acme", ""},
		{200, "GET", "/v1/prompt-chunks", ""},
		{200, "PATCH", "/v1/settings", `{"prompt_chunks":{"role":{"text":"Ada."},"style-chat":{"enabled":true}}}`},
		{422, "PATCH", "/v1/settings", `{"prompt_chunks":{"poetry":{"enabled":true}}}`},
		{422, "PATCH", "/v1/settings", `{"prompt_chunks":{"role":{"text":" "}}}`},
		{200, "GET", "/v1/admin/invariants", ""}, {200, "GET", "/v1/admin/status", ""},
		{200, "GET", "/healthz", ""}, {200, "GET", "/readyz", ""}, {200, "GET", "/version", ""}, {200, "GET", "/metrics", ""}, {200, "GET", "/openapi.yaml", ""}, {200, "GET", "/openapi.json", ""},
		{200, "GET", "/problems", ""}, {200, "GET", "/problems/not_found", ""}, {404, "GET", "/problems/none", ""},
		{200, "GET", "/some/page", ""}, {404, "GET", "/v1/none", ""}, {404, "POST", "/some/page", "{}"},
	})
}

// TestHeadIsGetWithoutBody: HEAD answers like GET, without a body.
func TestHeadIsGetWithoutBody(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for _, path := range []string{"/v1/sessions/ses_1", "/v1/zones", "/openapi.yaml", "/healthz"} {
		if got := c.Want(200, "HEAD", path, ""); got.Text != "" || got.Header.Get("Content-Type") == "" {
			t.Errorf("HEAD %s: %q, type %q", path, got.Text, got.Header.Get("Content-Type"))
		}
	}
}
