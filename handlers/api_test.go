package handlers_test

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestEveryCall makes every call as it is meant, and some that are not. The families userdata, automations and outside
// have such a test of their own.
func TestEveryCall(t *testing.T) {
	servertest.EveryCall(t, "", map[string]servertest.Story{
		"sessions": everySession, "answers": everyAnswer, "signing in": everyPerson, "people": allPeople, "passkeys": everyPasskey, "pushes": everyPush,
		"links": everyLink, "the queue": everyPlaceInTheQueue, "the rest": everythingElse,
	})
}

func everySession(t *testing.T, w *servertest.World, c *servertest.Client) {
	ses, msg := "/v1/sessions/ses_1", "/v1/sessions/ses_1/messages/msg_3"
	servertest.All(c, []servertest.Call{
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
	servertest.All(c, []servertest.Call{{200, "POST", "/v1/sessions/" + made + "/release", ""}, {200, "POST", "/v1/sessions/" + made + "/activate", ""}, {204, "DELETE", ses, ""}, {404, "GET", ses, ""}})
}

func everyAnswer(t *testing.T, w *servertest.World, c *servertest.Client) {
	ses := "/v1/sessions/ses_1"
	servertest.All(c, []servertest.Call{
		{200, "GET", "/v1/approvals?status=open", ""}, {200, "GET", "/v1/approvals?session_id=ses_1&kind=question", ""}, {200, "GET", "/v1/approvals/apr_1", ""},
		{200, "POST", ses + "/validation", `{"approved":true,"approved_ids":["exe_1"],"edits":{"exe_1":{"name":"y"}},"comment":"ok"}`},
		{409, "POST", "/v1/approvals/apr_1", `{"approved":false}`},
	})
	w.Wait(t, "ses_1", domain.Idle)
	c.Want(202, "POST", ses+"/messages", `{"text":"Ask me."}`)
	w.Wait(t, "ses_1", domain.WaitingCommunicationResponse)
	servertest.All(c, []servertest.Call{{200, "POST", ses + "/response", `{"value":"a"}`}, {200, "POST", ses + "/stop", ""}})
	c.Want(200, "POST", "/v1/sessions/"+w.WaitingRun(t, c)+"/completion", `{"confirmed":false,"comment":"no"}`)
}

// everyPlaceInTheQueue has a run that waits for the slot, and leaves.
func everyPlaceInTheQueue(_ *testing.T, _ *servertest.World, c *servertest.Client) {
	c.Want(200, "PATCH", "/v1/settings", `{"lanes":"workspace"}`) // a chat has the slot
	run := c.Want(202, "POST", "/v1/automations/aut_1/execute", "").Body["session"].(map[string]any)["id"].(string)
	servertest.All(c, []servertest.Call{{200, "GET", "/v1/queue", ""}, {200, "DELETE", "/v1/queue/" + run, ""}})
}

func everythingElse(_ *testing.T, _ *servertest.World, c *servertest.Client) {
	servertest.All(c, []servertest.Call{
		{200, "POST", "/v1/approvals/apr_1", `{"approved":false}`}, {200, "GET", "/v1/events?types=data.changed", ""}, {200, "GET", "/v1/events/stream", ""}, {201, "POST", "/v1/stream-tickets", ""},
		{200, "POST", "/v1/heartbeat", `{"session_ids":["ses_1"]}`}, {404, "POST", "/v1/heartbeat", `{"session_ids":["ses_1","ses_far"]}`}, {200, "GET", "/v1/slot", ""},
		{200, "GET", "/v1/commands", ""}, {200, "POST", "/v1/enrichments/preview", `{"segments":[{"type":"enrichment","enrichment":{"type":"USE","config":{"tool_id":"tol_1"}}}]}`},
		{200, "GET", "/v1/usage?group_by=model&since=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00Z&session_id=ses_1", ""},
		{200, "GET", "/v1/settings", ""}, {200, "PATCH", "/v1/settings", `{"language":"fr"}`},
		{200, "GET", "/v1/keys", ""}, {201, "POST", "/v1/keys", `{"name":"n","role":"viewer"}`}, {204, "DELETE", "/v1/keys/key_1", ""},
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
