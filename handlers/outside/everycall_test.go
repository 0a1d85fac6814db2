package outside_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestEveryCall makes every call of the family as it is meant, and some that are not.
func TestEveryCall(t *testing.T) {
	servertest.EveryCall(t, "outside", map[string]servertest.Story{
		"connections": connections, "tasks": everyTask, "cancelled tasks": cancelledTask, "sign-ins": signIns,
	})
}

// connections are providers, connectors and agents.
func connections(_ *testing.T, _ *servertest.World, c *servertest.Client) {
	servertest.All(c, []servertest.Call{
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
	})
}

func everyTask(_ *testing.T, _ *servertest.World, c *servertest.Client) {
	servertest.All(c, []servertest.Call{
		{200, "GET", "/v1/tasks", ""}, {200, "GET", "/v1/tasks?session_id=ses_1&status=running&limit=1", ""},
		{422, "GET", "/v1/tasks?status=lost", ""}, {200, "GET", "/v1/tasks/tsk_1", ""}, {404, "GET", "/v1/tasks/tsk_9", ""},
		{200, "POST", "/v1/callbacks/tsk_1", `{"status":"running","progress":{"percent":50,"text":"half"}}`},
		{200, "POST", "/v1/callbacks/tsk_1", `{"status":"succeeded","result":{"film":"1.mp4"}}`},
		{200, "POST", "/v1/callbacks/tsk_1", `{"status":"succeeded","result":"another message, the same end"}`},
		{409, "POST", "/v1/callbacks/tsk_1", `{"status":"failed","error":"no"}`},
		{409, "POST", "/v1/tasks/tsk_1/cancel", ""}, {404, "POST", "/v1/tasks/tsk_9/cancel", ""},
		{404, "POST", "/v1/callbacks/tsk_9", `{"status":"failed"}`}, {401, "POST", "/v1/callbacks/tsk_gone", `{"status":"failed"}`},
	})
	got := c.Want(200, "GET", "/v1/tasks/tsk_1", "")
	if late, _ := got.Body["late"].(map[string]any); got.Body["status"] != "succeeded" || late["status"] != "failed" || late["error"] != "no" {
		c.T.Errorf("in the end: %s", got.Text)
	}
}

// cancelledTask: by a person, once.
func cancelledTask(t *testing.T, _ *servertest.World, c *servertest.Client) {
	for range 2 {
		if got := c.Want(200, "POST", "/v1/tasks/tsk_1/cancel", ""); got.Body["status"] != "cancelled" {
			t.Errorf("cancelled: %s", got.Text)
		}
	}
	c.Want(409, "POST", "/v1/callbacks/tsk_1", `{"status":"succeeded"}`)
	c.Want(409, "POST", "/v1/callbacks/tsk_1", `{"status":"running"}`)
}

// signIns: a person begins one, and comes back from a server that gives them what they want.
func signIns(t *testing.T, _ *servertest.World, c *servertest.Client) {
	var outside *httptest.Server
	outside = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		at := func(path string) string { return outside.URL + path }
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, "/.well-known/oauth-protected-resource"):
			fmt.Fprintf(w, `{"resource":%q,"authorization_servers":[%q]}`, outside.URL, outside.URL)
		case strings.HasPrefix(path, "/.well-known/oauth-authorization-server"):
			fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q,"response_types_supported":["code"],
				"code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none"]}`, outside.URL, at("/authorize"), at("/token"))
		case path == "/token":
			fmt.Fprint(w, `{"access_token":"a","token_type":"Bearer","expires_in":60}`)
		default:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(outside.Close)
	made := c.Want(201, "POST", "/v1/connectors", fmt.Sprintf(
		`{"name":"Vault","kind":"mcp","prefix":"VAULT","config":{"url":%q,"auth":"oauth","client_id":"me"}}`, outside.URL))
	begun := c.Want(200, "POST", fmt.Sprintf("/v1/connectors/%v/sign-in", made.Body["id"]), "")
	address, err := url.Parse(fmt.Sprint(begun.Body["url"]))
	if err != nil {
		t.Fatal(err)
	}
	state := address.Query().Get("state")
	back := "/v1/connectors/sign-in/callback?code=c&session_state=of-theirs&state=" + state
	status := func() any {
		return c.Want(200, "GET", fmt.Sprintf("/v1/connectors/%v", made.Body["id"]), "").Body["status"]
	}
	before := status()

	// The page of the link shows what is about to be connected; nothing happens until the person continues.
	b := &servertest.Browser{T: t, C: c}
	page := b.Visit("GET", back, "")
	for _, part := range []string{"Connect Vault?", outside.URL, "<td>default</td>", "<td>key_root</td>"} {
		if !strings.Contains(page.Text, part) {
			t.Errorf("the confirmation page lacks %q: %s", part, page.Text)
		}
	}
	if page.Status != 200 || !strings.Contains(page.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") || status() != before {
		t.Errorf("the confirmation page: %d %v, and the connector is %v", page.Status, page.Header, status())
	}
	form := servertest.FormIn(page.Text)
	const action = "/v1/connectors/sign-in/callback"
	elsewhere := &servertest.Browser{T: t, C: c}
	elsewhere.Visit("GET", back, "")
	changed := func(name, value string) string {
		other := url.Values{}
		for field := range form {
			other.Set(field, form.Get(field))
		}
		other.Set(name, value)
		return other.Encode()
	}
	for what, refused := range map[string]struct {
		b    *servertest.Browser
		form string
		want int
	}{
		"without the cookie": {&servertest.Browser{T: t, C: c}, form.Encode(), 403}, "in another browser": {elsewhere, form.Encode(), 403},
		"without the token": {b, changed("token", ""), 403}, "with another code": {b, changed("code", "x"), 403},
		"with another issuer": {b, changed("iss", "https://a.example"), 403}, "with another state": {b, changed("state", "x"), 409},
		"with a bound state": {b, changed("state", "browser-x"), 409},
	} {
		if got := refused.b.Visit("POST", action, refused.form); got.Status != refused.want || status() != before {
			t.Errorf("%s: %d, and the connector is %v", what, got.Status, status())
		}
	}
	if page := b.Visit("POST", action, form.Encode()); page.Status != 200 || !strings.Contains(page.Text, "You are signed in to Vault") {
		t.Errorf("the page: %s", page.Text)
	}
	c.Want(409, "GET", back, "")
}
