package handlers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit/pushservice"
)

func subscription(b *pushservice.Browser, also string) string {
	return fmt.Sprintf(`{"endpoint":%q,"expirationTime":null,"keys":{"p256dh":%q,"auth":%q}%s}`, b.Endpoint, b.P256dh, b.Auth, also)
}

func everyPush(t *testing.T, _ *world, c *testClient) {
	service := pushservice.New(t)
	service.Clock = clock.Fixed(worldTime.Add(time.Minute))
	key := c.want(200, "GET", "/v1/push-key", "").body["public_key"].(string)
	b := service.Browser(key)
	at := "/v1/me/push-subscriptions"
	id := c.want(201, "POST", at, subscription(b, `,"name":"phone","language":"fr"`)).body["id"].(string)
	again := c.want(200, "POST", at, subscription(b, ``)).body
	if again["id"] != id || again["language"] != "en" || again["name"] != "" || again["endpoint_origin"] != service.URL || again["failing"] != false {
		t.Errorf("the same endpoint again: %v", again)
	}
	if all := c.want(200, "GET", at, "").body["data"].([]any); len(all) != 1 {
		t.Errorf("the subscriptions are %v", all)
	}
	if tried := c.want(200, "POST", at+"/"+id+"/test", "").body; tried["ok"] != true || tried["status"] != 201.0 {
		t.Errorf("the try: %v", tried)
	}
	if got := service.Taken(); len(got) != 1 || !strings.Contains(string(got[0].Text), `"Notifications are on for this browser"`) || got[0].Urgency != "normal" {
		t.Errorf("there came %+v", got)
	}
	all(c, []call{{404, "POST", at + "/psh_0/test", ""}, {404, "DELETE", at + "/psh_0", ""}, {204, "DELETE", at + "/" + id, ""}, {404, "DELETE", at + "/" + id, ""}})

	gone := c.want(201, "POST", at, subscription(b, ``)).body["id"].(string)
	service.Forget(b)
	if tried := c.want(200, "POST", at+"/"+gone+"/test", "").body; tried["ok"] != false || tried["status"] != 410.0 {
		t.Errorf("a browser that is gone: %v", tried)
	}
	c.want(404, "DELETE", at+"/"+gone, "")
}

// A browser is its owner's; what cannot be sent to is refused with its place; and there are ten.
func TestWhoseBrowserItIs(t *testing.T) {
	c := newWorld(t).serve(t)
	service, at := pushservice.New(t), "/v1/me/push-subscriptions"
	b := service.Browser("")
	id := c.want(201, "POST", at, subscription(b, ``)).body["id"].(string)
	for _, other := range []string{"viewer", "member", "admin"} {
		as := []string{"Authorization", "Bearer " + other}
		c.want(404, "DELETE", at+"/"+id, "", as...)
		c.want(404, "POST", at+"/"+id+"/test", "", as...)
		if all := c.want(200, "GET", at, "", as...).body["data"].([]any); len(all) != 0 {
			t.Errorf("%s sees %v", other, all)
		}
	}
	good := subscription(b, ``)
	for pointer, bad := range map[string]string{
		"/endpoint":       strings.Replace(good, b.Endpoint, "ftp://push.example/x", 1),
		"/keys/p256dh":    strings.Replace(good, b.P256dh, b.Auth, 1),
		"/keys/auth":      strings.Replace(good, b.Auth, "AAAA", 1),
		"/expirationTime": strings.Replace(good, `"expirationTime":null`, `"expirationTime":1`, 1),
		"/name":           subscription(b, `,"name":"a\u202eb"`),
		"/language":       subscription(b, `,"language":"de"`),
		"/keys/other":     strings.Replace(good, `"keys":{`, `"keys":{"other":"x",`, 1),
	} {
		got := c.want(422, "POST", at, bad)
		if errors, _ := json.Marshal(got.body["errors"]); !strings.Contains(string(errors), `"`+pointer+`"`) {
			t.Errorf("%s: %s", pointer, errors)
		}
	}
	for i := range 9 {
		c.want(201, "POST", at, subscription(service.Browser(""), fmt.Sprintf(`,"name":"%d"`, i)))
	}
	if got := c.want(409, "POST", at, subscription(service.Browser(""), ``)); got.body["code"] != "too_many" {
		t.Errorf("the eleventh: %v", got.body)
	}
	c.want(201, "POST", at, subscription(service.Browser(""), ``), "Authorization", "Bearer member")
}

// Where something is missing it is said what, and what was there can still be taken away.
func TestWithoutPushes(t *testing.T) {
	c := openWorld(t, Wiring{RootKey: aRootKey, Clock: clock.Fixed(worldTime.Add(time.Minute))}).serve(t)
	b := pushservice.New(t).Browser("")
	for _, got := range []reply{c.want(409, "GET", "/v1/push-key", ""), c.want(409, "POST", "/v1/me/push-subscriptions", subscription(b, ``))} {
		if got.body["code"] != "push_unavailable" || !strings.Contains(got.text, "FERMATA_PUBLIC_URL") {
			t.Errorf("it says %s", got.text)
		}
	}
	c.want(200, "GET", "/v1/me/push-subscriptions", "")
	c.want(404, "DELETE", "/v1/me/push-subscriptions/psh_1", "")
}
