package notified

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/internal/testkit/pushservice"
	"github.com/fermata-dev/fermata/operate"
)

const subscriptions = "/v1/me/push-subscriptions"

// subscribed subscribes a browser.
func subscribed(s *harness.Server, service *pushservice.Service, language string) *pushservice.Browser {
	s.T.Helper()
	b := service.Browser(s.Call("GET", "/v1/push-key", nil).Want(200).Str("public_key"))
	s.Call("POST", subscriptions, map[string]any{
		"endpoint": b.Endpoint, "expirationTime": nil, "keys": map[string]any{"p256dh": b.P256dh, "auth": b.Auth}, "language": language,
	}).Want(201)
	return b
}

// shown is what a browser shows of a push.
func shown(t *testing.T, p pushservice.Push) (n struct {
	Title, Body, URL, Tag string
	ApprovalID            string `json:"approval_id"`
	SessionID             string `json:"session_id"`
}) {
	t.Helper()
	if err := json.Unmarshal(p.Text, &n); err != nil {
		t.Errorf("%v: %s", err, p.Text)
	}
	return n
}

// What waits for a person is in a push to each of their browsers, which it alone can read, in its
// language, and leads to the page.
func TestBrowsersAreTold(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, service := reachable(t, db), pushservice.New(t)
		english, french := subscribed(s, service, "en"), subscribed(s, service, "fr")
		card := asked(s)
		testkit.Until(t, "both pushes", func() bool { return len(service.Taken()) == 2 })
		titles := map[*pushservice.Browser]string{}
		for _, p := range service.Taken() {
			n := shown(t, p)
			titles[p.Browser] = n.Title
			if n.ApprovalID != card.Str("id") || n.Tag != n.ApprovalID || n.SessionID != card.Str("session_id") || !strings.HasSuffix(n.URL, "/#/approvals/"+n.ApprovalID) {
				t.Errorf("%+v", n)
			}
			if strings.Contains(string(p.Text), "Garden") || strings.Contains(string(p.Text), "/a/") {
				t.Errorf("a push has the question, or a link that answers: %s", p.Text)
			}
			if p.Urgency != "high" || p.TTL < 60 || p.TTL > 7*24*3600 {
				t.Errorf("%+v", p)
			}
		}
		if titles[english] != "A change needs your approval" || titles[french] != "Une modification attend votre accord" {
			t.Errorf("the titles are %v", titles)
		}
		testkit.Until(t, "the list to say so", func() bool {
			for _, one := range s.Call("GET", subscriptions, nil).Want(200).List("data") {
				if one.(map[string]any)["last_delivered_at"] == nil {
					return false
				}
			}
			return true
		})
	})
}

// A browser that is gone gets no more pushes, and a slow or busy push service delays no others.
func TestABrowserHoldsUpNobody(t *testing.T) {
	s, service := reachable(t, harness.Databases["sqlite"](t)), pushservice.New(t)
	good, gone, slow, busy := subscribed(s, service, "en"), subscribed(s, service, "en"), subscribed(s, service, "en"), subscribed(s, service, "en")
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	service.Forget(gone)
	service.Answer(func(p *pushservice.Push, w http.ResponseWriter) int {
		switch p.Browser {
		case slow:
			<-release
		case busy:
			w.Header().Set("Retry-After", "3600")
			return http.StatusTooManyRequests
		}
		return 0
	})
	card := asked(s)
	testkit.Until(t, "the good one's push", func() bool { got := service.Taken(); return len(got) == 1 && got[0].Browser == good })
	testkit.Until(t, "the end of the one that is gone", func() bool { return len(s.Call("GET", subscriptions, nil).Want(200).List("data")) == 3 })
	testkit.Until(t, "the one that asks for time to be left alone", func() bool {
		failing := 0
		for _, one := range s.Call("GET", subscriptions, nil).Want(200).List("data") {
			if one.(map[string]any)["failing"] == true {
				failing++
			}
		}
		return failing == 1
	})
	s.Call("POST", "/v1/approvals/"+card.Str("id"), map[string]any{"approved": false}).Want(200)
	second := asked(s)
	testkit.Until(t, "the good one's second push", func() bool { return len(service.Taken()) == 2 })
	if n := shown(t, service.Taken()[1]); n.ApprovalID != second.Str("id") {
		t.Errorf("the second push is %+v", n)
	}
	asks := 0
	for _, p := range service.Asked() {
		if p.Browser == busy {
			asks++
		}
	}
	if asks != 1 {
		t.Errorf("the one that asked for an hour was asked %d times", asks)
	}
}

// An approval that was settled before its push was sent is not notified, and there are no pushes in quiet hours.
func TestPushesKeepQuiet(t *testing.T) {
	s, service := reachable(t, harness.Databases["sqlite"](t)), pushservice.New(t)
	now := time.Now().UTC()
	s.Call("PATCH", "/v1/settings", map[string]any{"notifications": map[string]any{"quiet_hours": map[string]any{
		"from": now.Add(-time.Hour).Format("15:04"), "to": now.Add(time.Hour).Format("15:04"),
	}}}).Want(200)
	b := subscribed(s, service, "en")
	card := asked(s)
	testkit.Until(t, "it to be held", func() bool {
		look, err := s.Parts.Store.Webhooks.LookAtWebhooks(t.Context(), now)
		if err != nil || len(look.Enabled) != 1 {
			t.Fatalf("%+v, %v", look, err)
		}
		state, err := s.Parts.Store.Webhooks.StandingOf(t.Context(), look.Enabled[0])
		return err == nil && state.PausedUntil != nil && state.PausedUntil.After(now)
	})
	s.Call("POST", "/v1/approvals/"+card.Str("id"), map[string]any{"approved": false}).Want(200)
	second := asked(s)
	s.Call("PATCH", "/v1/settings", map[string]any{"notifications": map[string]any{"quiet_hours": nil}}).Want(200)
	testkit.Until(t, "the push", func() bool { return len(service.Taken()) == 1 })
	if got := service.Asked(); len(got) != 1 || got[0].Browser != b || shown(t, got[0]).ApprovalID != second.Str("id") {
		t.Errorf("there came %+v", got)
	}
}

// After a new secret key is put first, everything is re-encrypted and the old one is removed: existing subscriptions
// still work, and new browsers subscribe for the new key.
func TestTelephonesOutliveTheSecretKey(t *testing.T) {
	db, service := harness.Databases["sqlite"](t), pushservice.New(t)
	with := func(keys string) func(*app.Config) { return func(c *app.Config) { c.SecretKey = keys } }
	before, now := harness.EncodedKeys("b"), harness.EncodedKeys("n")
	s := reachable(t, db, with(before))
	key := s.Call("GET", "/v1/push-key", nil).Want(200).Str("public_key")
	subscribed(s, service, "en")
	s.Stop()
	if err := (&app.Rotate{Config: app.Config{Database: db, SecretKey: now + "," + before, Listen: "127.0.0.1:0"}, Printed: operate.Printed{Output: "json"}}).Run(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	s = reachable(t, db, with(now))
	if other := s.Call("GET", "/v1/push-key", nil).Want(200).Str("public_key"); other == key {
		t.Error("the key is the same")
	}
	subscribed(s, service, "en")
	asked(s)
	testkit.Until(t, "both pushes", func() bool { return len(service.Taken()) == 2 }) // the service looks at who sends
}
