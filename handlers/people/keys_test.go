package people_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/clock"
)

func TestAKeyIsShownOnce(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	got := c.Want(201, "POST", "/v1/keys", `{"name":"laptop","role":"member"}`)
	text, _ := got.Body["key"].(string)
	if !strings.HasPrefix(text, "fmt_") {
		t.Errorf("the key is %q", text)
	}
	servertest.Equal(t, "a notice where nothing changes", got.Body["notice"], nil)
	if list := c.Want(200, "GET", "/v1/keys", "").Text; strings.Contains(list, text) || !strings.Contains(list, got.Body["id"].(string)) {
		t.Errorf("the list shows the key, or not that there is one: %s", list)
	}
	fresh := servertest.WiredWorld(t, servertest.Wiring{Dir: t.TempDir(), Clock: clock.System}).Serve(t) // no key was ever made for it
	notice, _ := fresh.Want(201, "POST", "/v1/keys", `{"name":"first","role":"admin","expires_at":null}`).Body["notice"].(string)
	if !strings.Contains(notice, "every call needs a key") {
		t.Errorf("the first key says %q", notice)
	}
	masked := c.Want(200, "GET", "/v1/providers/prv_1", "").Body["config"]
	servertest.Equal(t, "a provider's key is masked", masked,
		map[string]any{"model": "m", "api_key": "sk-…abcd", "base_url": servertest.TheVendor.URL() + "/v1", "protocol": "native"})
}

func TestAKeyExpiresInTheFuture(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	now := servertest.WorldTime.Add(time.Minute) // as the server's clock stands
	later := now.Add(time.Hour).In(time.FixedZone("", 3600))
	got := c.Want(201, "POST", "/v1/keys", `{"name":"ci","role":"member","expires_at":"`+later.Format(time.RFC3339Nano)+`"}`)
	servertest.Equal(t, "the expiry", got.Body["expires_at"], "2026-03-02T13:01:00.123Z")
	servertest.Equal(t, "what is asked for", w.Seen.Last(), any(auth.NewKey{Name: "ci", Role: domain.RoleMember, ExpiresAt: new(now.Add(time.Hour))}))
	for _, bad := range []string{`"` + now.Format(time.RFC3339Nano) + `"`, `"2020-01-01T00:00:00Z"`, `"tomorrow"`, `1`} {
		c.Want(422, "POST", "/v1/keys", `{"name":"ci","role":"member","expires_at":`+bad+`}`)
	}
}
