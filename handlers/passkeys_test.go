package handlers

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/testkit/device"
)

// seated has every caller in a browser.
type seated struct{ roleAuth }

func (s seated) Authenticate(r *http.Request) (*auth.Identity, error) {
	id, err := s.roleAuth.Authenticate(r)
	if err == nil {
		id.SignIn = &people.SignedIn{ID: "sgn_1", WorkspaceID: id.Workspace, Owner: id.Name, Method: people.SignInKey}
	}
	return id, err
}

func everyPasskey(t *testing.T, w *world, c *testClient) {
	all(c, []call{
		{403, "POST", "/v1/me/passkeys/registration", ""}, // with a key, and without a browser
		{403, "POST", "/v1/me/passkeys", `{"name":"x","credential":{}}`},
	})
	w.config.Edge.Auth = seated{}
	*c = *w.serve(t)
	all(c, []call{
		{200, "GET", "/v1/me/passkeys", ""}, {404, "DELETE", "/v1/me/passkeys/psk_1", ""}, {404, "DELETE", "/v1/people/key_root/passkeys", ""},
		{422, "POST", "/v1/me/passkeys", `{"name":" ","credential":{}}`}, {422, "POST", "/v1/me/passkeys", `{"name":"x","credential":5}`},
		{422, "POST", "/v1/me/passkeys", `{"name":"x"}`}, {403, "POST", "/v1/me/passkeys", `{"name":"x","credential":{}}`},
	})
	register := func(d *device.Device, confirm *device.Device) string {
		begun := c.want(200, "POST", "/v1/me/passkeys/registration", "")
		options, confirmed := part(t, begun, "public_key"), ""
		made := d.Make(t, options)
		if confirm != nil {
			confirmed = `,"confirmation":` + string(confirm.Sign(t, part(t, begun, "confirm")))
		}
		return c.want(201, "POST", "/v1/me/passkeys", `{"name":"phone","credential":`+string(made)+confirmed+`}`).body["id"].(string)
	}
	first, second := &device.Device{Origin: "https://fermata.example"}, &device.Device{Origin: "https://fermata.example"}
	one := register(first, nil)
	register(second, first)
	if all := c.want(200, "GET", "/v1/me/passkeys", "").body["data"].([]any); len(all) != 2 || all[0].(map[string]any)["id"] != one {
		t.Errorf("the passkeys are %v", all)
	}
	all(c, []call{
		{204, "DELETE", "/v1/me/passkeys/" + one, ""}, {404, "DELETE", "/v1/me/passkeys/" + one, ""},
		{204, "DELETE", "/v1/people/key_root/passkeys", ""}, {200, "POST", "/v1/me/passkeys/registration", ""},
	})
}

func part(t *testing.T, r reply, name string) []byte {
	t.Helper()
	raw, err := json.Marshal(r.body[name])
	if err != nil || string(raw) == "null" {
		t.Fatalf("there is no %s in %s", name, r.text)
	}
	return raw
}

// TestALinkSignsNothing: who has a link to a sensitive action may refuse it, and not approve it.
func TestALinkSignsNothing(t *testing.T) {
	w := newWorld(t)
	c := w.serve(t)
	c.want(200, "PATCH", "/v1/settings", `{"sensitive_commands":["*"]}`)
	c.want(409, "POST", "/v1/approvals/apr_1", `{"approved":true}`) // it was shown without the mark
	asked := c.want(200, "GET", "/v1/approvals?status=open", "").body["data"].([]any)[0].(map[string]any)
	path := c.linkTo(asked["id"].(string), "ada@example.org")
	b := &browser{t: t, c: c}
	if got := b.press(path, "yes"); got.status != 403 || !strings.Contains(got.text, "needs a passkey") {
		t.Errorf("approved by the link: %d %s", got.status, got.text)
	}
	if got := b.press(path, "no"); got.status != 303 {
		t.Errorf("a no by the link: %d %s", got.status, got.text)
	}
	w.wait(t, "ses_1", domain.Idle)
}
