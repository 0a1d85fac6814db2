package people_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/testkit/pushservice"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
)

// A browser is its owner's; what cannot be sent to is refused with its place; and there are ten.
func TestWhoseBrowserItIs(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	service, at := pushservice.New(t), "/v1/me/push-subscriptions"
	b := service.Browser("")
	id := c.Want(201, "POST", at, servertest.Subscription(b, ``)).Body["id"].(string)
	for _, other := range []string{"viewer", "member", "admin"} {
		as := []string{"Authorization", "Bearer " + other}
		c.Want(404, "DELETE", at+"/"+id, "", as...)
		c.Want(404, "POST", at+"/"+id+"/test", "", as...)
		if all := c.Want(200, "GET", at, "", as...).Body["data"].([]any); len(all) != 0 {
			t.Errorf("%s sees %v", other, all)
		}
	}
	good := servertest.Subscription(b, ``)
	for pointer, bad := range map[string]string{
		"/endpoint":       strings.Replace(good, b.Endpoint, "ftp://push.example/x", 1),
		"/keys/p256dh":    strings.Replace(good, b.P256dh, b.Auth, 1),
		"/keys/auth":      strings.Replace(good, b.Auth, "AAAA", 1),
		"/expirationTime": strings.Replace(good, `"expirationTime":null`, `"expirationTime":1`, 1),
		"/name":           servertest.Subscription(b, `,"name":"a\u202eb"`),
		"/language":       servertest.Subscription(b, `,"language":"de"`),
		"/keys/other":     strings.Replace(good, `"keys":{`, `"keys":{"other":"x",`, 1),
	} {
		got := c.Want(422, "POST", at, bad)
		if errors, _ := json.Marshal(got.Body["errors"]); !strings.Contains(string(errors), `"`+pointer+`"`) {
			t.Errorf("%s: %s", pointer, errors)
		}
	}
	for i := range 9 {
		c.Want(201, "POST", at, servertest.Subscription(service.Browser(""), fmt.Sprintf(`,"name":"%d"`, i)))
	}
	if got := c.Want(409, "POST", at, servertest.Subscription(service.Browser(""), ``)); got.Body["code"] != "too_many" {
		t.Errorf("the eleventh: %v", got.Body)
	}
	c.Want(201, "POST", at, servertest.Subscription(service.Browser(""), ``), "Authorization", "Bearer member")
}

// Where something is missing it is said what, and what was there can still be taken away.
func TestWithoutPushes(t *testing.T) {
	c := servertest.OpenWorld(t, servertest.Wiring{RootKey: servertest.RootKey, Clock: repeatable.Clock(servertest.WorldTime.Add(time.Minute))}).Serve(t)
	b := pushservice.New(t).Browser("")
	for _, got := range []servertest.Reply{c.Want(409, "GET", "/v1/push-key", ""), c.Want(409, "POST", "/v1/me/push-subscriptions", servertest.Subscription(b, ``))} {
		if got.Body["code"] != "push_unavailable" || !strings.Contains(got.Text, "FERMATA_PUBLIC_URL") {
			t.Errorf("it says %s", got.Text)
		}
	}
	c.Want(200, "GET", "/v1/me/push-subscriptions", "")
	c.Want(404, "DELETE", "/v1/me/push-subscriptions/psh_1", "")
}
