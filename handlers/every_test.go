package handlers_test

import (
	"net/http"
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
	servertest.All(c, []servertest.Call{
		{403, "POST", "/v1/me/passkeys/registration", ""}, // with a key, and without a browser
		{403, "POST", "/v1/me/passkeys", `{"name":"x","credential":{}}`},
	})
	w.Config.Edge.Auth = servertest.Seated{}
	*c = *w.Serve(t)
	servertest.All(c, []servertest.Call{
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
	servertest.All(c, []servertest.Call{
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
	servertest.All(c, []servertest.Call{
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
	servertest.All(c, []servertest.Call{{404, "POST", at + "/psh_0/test", ""}, {404, "DELETE", at + "/psh_0", ""}, {204, "DELETE", at + "/" + id, ""}, {404, "DELETE", at + "/" + id, ""}})

	gone := c.Want(201, "POST", at, servertest.Subscription(b, ``)).Body["id"].(string)
	service.Forget(b)
	if tried := c.Want(200, "POST", at+"/"+gone+"/test", "").Body; tried["ok"] != false || tried["status"] != 410.0 {
		t.Errorf("a browser that is gone: %v", tried)
	}
	c.Want(404, "DELETE", at+"/"+gone, "")
}
