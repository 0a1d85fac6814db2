package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/testkit/device"
	"github.com/fermata-dev/fermata/internal/testkit/pushservice"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
)

func everyTask(_ *testing.T, _ *servertest.World, c *servertest.Client) {
	all(c, []call{
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

func everyFile(t *testing.T, _ *servertest.World, c *servertest.Client) {
	id, _ := c.Want(201, "POST", "/v1/files?name=a.txt", "words", "Content-Type", "text/plain").Body["id"].(string)
	c.Want(200, "GET", "/v1/files?limit=2", "")
	c.Want(200, "GET", "/v1/files/"+id, "")
	c.Want(204, "DELETE", "/v1/files/"+id, "")
	c.Want(404, "DELETE", "/v1/files/"+id, "")
	c.Want(422, "POST", "/v1/sessions/ses_1/messages", fmt.Sprintf(`{"text":"x","file_ids":[%q]}`, id))
	c.Want(422, "POST", "/v1/sessions/ses_1/messages", `{"segments":[{"type":"file"}]}`)
	c.Want(422, "POST", "/v1/sessions/ses_1/messages", `{"segments":[{"type":"text","text":"x","file_id":"fil_1"}]}`)
}

// everyLink makes a link and goes by it.
func everyLink(t *testing.T, w *servertest.World, c *servertest.Client) {
	c.Want(422, "POST", "/v1/approvals/apr_1/link", `{"to":"x"}`)
	c.Want(404, "POST", "/v1/approvals/apr_9/link", "")
	c.Want(204, "DELETE", "/v1/approvals/apr_1/link", "")
	b := &servertest.Browser{T: t, C: c}
	path := c.LinkTo("apr_1", "ada@example.org")
	if got := b.Visit("GET", path, ""); got.Status != 200 || !strings.Contains(got.Text, "Add the zone “x”") {
		t.Fatalf("%d %s", got.Status, got.Text)
	}
	if got := b.Press(path, "yes"); got.Status != 303 || got.Header.Get("Location") != path {
		t.Fatalf("%d %s", got.Status, got.Text)
	}
	a := w.Approval(t)
	servertest.Equal(t, "how it was settled", []any{a.Status, a.SettledBy}, []any{domain.ApprovalStatusApproved, "link:ada@example.org"})
	c.Want(409, "POST", "/v1/approvals/apr_1/link", "")
}

func everyPasskey(t *testing.T, w *servertest.World, c *servertest.Client) {
	all(c, []call{
		{403, "POST", "/v1/me/passkeys/registration", ""}, // with a key, and without a browser
		{403, "POST", "/v1/me/passkeys", `{"name":"x","credential":{}}`},
	})
	w.Config.Edge.Auth = servertest.Seated{}
	*c = *w.Serve(t)
	all(c, []call{
		{200, "GET", "/v1/me/passkeys", ""}, {404, "DELETE", "/v1/me/passkeys/psk_1", ""}, {404, "DELETE", "/v1/people/key_root/passkeys", ""},
		{422, "POST", "/v1/me/passkeys", `{"name":" ","credential":{}}`}, {422, "POST", "/v1/me/passkeys", `{"name":"x","credential":5}`},
		{422, "POST", "/v1/me/passkeys", `{"name":"x"}`}, {403, "POST", "/v1/me/passkeys", `{"name":"x","credential":{}}`},
	})
	register := func(d *device.Device, confirm *device.Device) string {
		begun := c.Want(200, "POST", "/v1/me/passkeys/registration", "")
		options, confirmed := servertest.Part(t, begun, "public_key"), ""
		made := d.Make(t, options)
		if confirm != nil {
			confirmed = `,"confirmation":` + string(confirm.Sign(t, servertest.Part(t, begun, "confirm")))
		}
		return c.Want(201, "POST", "/v1/me/passkeys", `{"name":"phone","credential":`+string(made)+confirmed+`}`).Body["id"].(string)
	}
	first, second := &device.Device{Origin: "https://fermata.example"}, &device.Device{Origin: "https://fermata.example"}
	one := register(first, nil)
	register(second, first)
	if all := c.Want(200, "GET", "/v1/me/passkeys", "").Body["data"].([]any); len(all) != 2 || all[0].(map[string]any)["id"] != one {
		t.Errorf("the passkeys are %v", all)
	}
	all(c, []call{
		{204, "DELETE", "/v1/me/passkeys/" + one, ""}, {404, "DELETE", "/v1/me/passkeys/" + one, ""},
		{204, "DELETE", "/v1/people/key_root/passkeys", ""}, {200, "POST", "/v1/me/passkeys/registration", ""},
	})
}

func everyPerson(t *testing.T, w *servertest.World, c *servertest.Client) {
	ports := &w.Config.People
	ports.Issuer, ports.SignIns, w.Config.Edge.PublicURL = servertest.Vouching{}, servertest.Trusting{SignIns: ports.SignIns}, ""
	*c = *w.Serve(t)
	c.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	mine := &people.SignedIn{
		ID: "sgn_1", WorkspaceID: domain.DefaultWorkspace, Owner: "key_root", Hash: "h", Method: people.SignInKey, CreatedAt: servertest.WorldTime,
		LastUsedAt: servertest.WorldTime, ExpiresAt: servertest.WorldTime.Add(time.Hour),
	}
	if err := w.Store.SignIns.InsertSignIn(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	all(c, []call{
		{200, "GET", "/v1/sign-in", ""}, {200, "POST", "/v1/sign-in", `{"key":"` + servertest.RootKey + `"}`}, {401, "POST", "/v1/sign-in", `{"key":"fmt_x"}`},
		{422, "POST", "/v1/sign-in", `{"key":""}`}, {422, "POST", "/v1/sign-in", `{"kye":"x"}`}, {413, "POST", "/v1/sign-in", `{"key":"` + strings.Repeat("x", edge.MaxBody) + `"}`},
		{422, "POST", "/v1/sign-in", `{"key":"` + strings.Repeat("x", 501) + `"}`},
		{303, "GET", "/v1/sign-in/oidc?return_to=/", ""}, {401, "GET", "/v1/sign-in/callback?code=bad&anything=else", ""},
		{200, "GET", "/v1/me", ""}, {200, "GET", "/v1/me/sessions", ""}, {404, "DELETE", "/v1/me/sessions/sgn_2", ""},
		{204, "DELETE", "/v1/me/sessions/sgn_1", ""}, {204, "DELETE", "/v1/me/sessions", ""}, {204, "POST", "/v1/sign-out", ""},
	})
	got := c.Want(http.StatusSeeOther, "GET", "/v1/sign-in/callback?code=good", "")
	if cookie := got.Header.Get("Set-Cookie"); got.Header.Get("Location") != "/#/chat" || !strings.Contains(strings.Join(got.Header.Values("Set-Cookie"), "\n"), "fermata_session=fms_") {
		t.Errorf("signed in: %v %q", got.Header, cookie)
	}
	got = c.Want(http.StatusSeeOther, "GET", "/v1/sign-in/callback?code=bad", "", "Accept", "text/html")
	if to := got.Header.Get("Location"); !strings.HasPrefix(to, "/#/sign-in?problem=token_invalid&request_id=req_") {
		t.Errorf("refused: %s", to)
	}
}

func everyPush(t *testing.T, _ *servertest.World, c *servertest.Client) {
	service := pushservice.New(t)
	service.Clock = repeatable.Clock(servertest.WorldTime.Add(time.Minute))
	key := c.Want(200, "GET", "/v1/push-key", "").Body["public_key"].(string)
	b := service.Browser(key)
	at := "/v1/me/push-subscriptions"
	id := c.Want(201, "POST", at, servertest.Subscription(b, `,"name":"phone","language":"fr"`)).Body["id"].(string)
	again := c.Want(200, "POST", at, servertest.Subscription(b, ``)).Body
	if again["id"] != id || again["language"] != "en" || again["name"] != "" || again["endpoint_origin"] != service.URL || again["failing"] != false {
		t.Errorf("the same endpoint again: %v", again)
	}
	if all := c.Want(200, "GET", at, "").Body["data"].([]any); len(all) != 1 {
		t.Errorf("the subscriptions are %v", all)
	}
	if tried := c.Want(200, "POST", at+"/"+id+"/test", "").Body; tried["ok"] != true || tried["status"] != 201.0 {
		t.Errorf("the try: %v", tried)
	}
	if got := service.Taken(); len(got) != 1 || !strings.Contains(string(got[0].Text), `"Notifications are on for this browser"`) || got[0].Urgency != "normal" {
		t.Errorf("there came %+v", got)
	}
	all(c, []call{{404, "POST", at + "/psh_0/test", ""}, {404, "DELETE", at + "/psh_0", ""}, {204, "DELETE", at + "/" + id, ""}, {404, "DELETE", at + "/" + id, ""}})

	gone := c.Want(201, "POST", at, servertest.Subscription(b, ``)).Body["id"].(string)
	service.Forget(b)
	if tried := c.Want(200, "POST", at+"/"+gone+"/test", "").Body; tried["ok"] != false || tried["status"] != 410.0 {
		t.Errorf("a browser that is gone: %v", tried)
	}
	c.Want(404, "DELETE", at+"/"+gone, "")
}
