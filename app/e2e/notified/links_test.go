package notified

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// asks is a model that adds a zone, and has nothing to say afterwards.
const asks = `[{"when":{"roundtrip":1},"answer":{"calls":[{"name":"CREATE_ZONE","arguments":{"name":"Garden"}}]}},{"answer":{"text":"Done."}}]`

// reachable is a server that knows the address that browsers use.
func reachable(t testing.TB, db app.Database, change ...func(*app.Config)) *harness.Server {
	t.Helper()
	address := freeAddress(t)
	s := harness.NewServer(t, db, append([]func(*app.Config){func(c *app.Config) {
		c.Listen, c.PublicURL = address, "http://"+address
	}}, change...)...)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	return s
}

func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// asked creates an approval in a chat.
func asked(s *harness.Server) *harness.Reply {
	s.T.Helper()
	s.Scripted(asks)
	chat := s.Chat()
	s.Say(chat, "Add the garden.")
	s.Until(chat, "requires_action")
	return s.Card()
}

// A webhook with links gets one with each approval, and anyone who follows it can answer.
func TestAWebhookGetsALink(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := reachable(t, db)
		links := make(chan string, 10)
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var message struct {
				Type string `json:"type"`
				Link string `json:"link"`
			}
			if err := json.NewDecoder(r.Body).Decode(&message); err != nil || message.Type != "approval.requested" {
				t.Errorf("%s: %v", message.Type, err)
			}
			links <- message.Link
			w.WriteHeader(http.StatusNoContent)
		}))
		t.Cleanup(receiver.Close)
		made := s.Call("POST", "/v1/webhooks", map[string]any{"url": receiver.URL, "types": []string{"approval.requested"}, "links": true}).Want(201)
		card := asked(s)
		link := <-links
		if got := harness.Press(t, link, "yes"); got != http.StatusSeeOther {
			t.Fatalf("pressing was answered %d", got)
		}
		settled := s.Call("GET", "/v1/approvals/"+card.Str("id"), nil).Want(200)
		if settled.Str("status") != "approved" || settled.Str("settled_by") != "link:"+made.Str("id") {
			t.Errorf("it was settled as %s by %s", settled.Str("status"), settled.Str("settled_by"))
		}
		testkit.Until(t, "the zone", func() bool { return len(s.Call("GET", "/v1/zones", nil).Want(200).List("data")) == 1 })
		if got := harness.Press(t, link, "no"); got != 0 {
			t.Errorf("what is settled was answered with %d", got)
		}
	})
}

// Without a known server address there are no links.
func TestLinksNeedAnAddress(t *testing.T) {
	s := harness.NewServer(t, harness.Databases["sqlite"](t))
	s.Call("POST", "/v1/webhooks", map[string]any{"url": "http://127.0.0.1:1", "types": []string{"approval.requested"}, "links": true}).Want(422)
	id := s.Call("POST", "/v1/webhooks", map[string]any{"url": "http://127.0.0.1:1", "types": []string{"approval.requested"}}).Want(201).Str("id")
	s.Call("PATCH", "/v1/webhooks/"+id, map[string]any{"links": true}).Want(422)
}
