package webhooks

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// bad are receivers that do something else than to answer, and what the list of deliveries
// says of them.
var bad = map[string]struct {
	answer  http.HandlerFunc
	state   string
	details string
}{
	"a web page": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><p>secret words of another server"))
	}, "delivered", "it answered with a web page: check the URL"},
	"a web page that refuses": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(500)
		_, _ = w.Write([]byte("<p>secret words of another server"))
	}, "retrying", "it answered 500 Internal Server Error"},
	"ten megabytes": {func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(200)
		_, _ = w.Write(make([]byte, 10<<20))
	}, "delivered", ""},
	"a byte a second": {func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		for range 60 {
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(time.Second):
			}
		}
	}, "delivered", ""},
	"it breaks off": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "retrying", "the connection broke off"},
	"a redirect to metadata": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://169.254.169.254/latest/meta-data/")
		w.WriteHeader(307)
	}, "retrying", "it answered 307 Temporary Redirect, a redirect to http://169.254.169.254:80: redirects are not followed"},
	"a redirect to itself": {func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Path)
		w.WriteHeader(302)
	}, "retrying", "it answered 302 Found, a redirect to HERE: redirects are not followed"},
	"304": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) }, "retrying", "it answered 304 Not Modified"},
	"nonsense in Retry-After": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "9999999999999999999")
		w.WriteHeader(429)
	}, "retrying", "it answered 429 Too Many Requests"},
}

// For any behaviour of a receiver, its deliveries describe it without the receiver's own text, and another webhook
// receives everything.
func TestBadReceivers(t *testing.T) {
	s, good := harness.NewServer(t, harness.Databases["sqlite"](t)), newReceiver(t)
	good.registered(s, "data.changed")
	ids, urls := map[string]string{}, map[string]string{}
	for name, is := range bad {
		server := httptest.NewServer(is.answer)
		urls[name] = server.URL
		t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		ids[name] = s.Call("POST", "/v1/webhooks", map[string]any{"url": server.URL, "types": []string{"data.changed"}}).Want(201).Str("id")
	}
	for i := range 3 {
		s.Call("POST", "/v1/zones", map[string]any{"name": fmt.Sprint(i)}).Want(201)
	}
	testkit.Until(t, "the good one to have it all", func() bool { return len(good.taken()) == 3 })
	for name, is := range bad {
		var list *harness.Reply
		testkit.Until(t, name+" to be tried", func() bool {
			list = s.Call("GET", "/v1/webhooks/"+ids[name]+"/deliveries", nil).Want(200)
			return len(list.List("data")) > 0
		})
		rows := list.List("data")
		row := rows[len(rows)-1].(map[string]any)
		detail, _ := row["detail"].(string)
		if row["state"] != is.state || detail != strings.ReplaceAll(is.details, "HERE", urls[name]) || strings.Contains(string(list.Body), "secret words") {
			t.Errorf("%s: %s", name, list.Body)
		}
	}
}

// A receiver that hangs is given up after a while, and its neighbours wait for nothing.
func TestAReceiverThatHangs(t *testing.T) {
	s, good := harness.NewServer(t, harness.Databases["sqlite"](t)), newReceiver(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0") // it takes the connection, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	id := s.Call("POST", "/v1/webhooks", map[string]any{"url": "http://" + listener.Addr().String(), "types": []string{"data.changed"}}).Want(201).Str("id")
	good.registered(s, "data.changed")
	s.Call("POST", "/v1/zones", map[string]any{"name": "z"}).Want(201)
	testkit.Until(t, "the good one to have it", func() bool { return len(good.taken()) == 1 })
	testkit.Until(t, "the other to be given up for now", func() bool {
		list := s.Call("GET", "/v1/webhooks/"+id+"/deliveries?state=retrying", nil).Want(200)
		return len(list.List("data")) == 1 && strings.Contains(string(list.Body), "timed out")
	})
}

// Addresses that lead into the server's own networks are refused where they can be seen, and
// else when the connection is made: whatever the name led to before.
func TestAddressesThatAreNotSentTo(t *testing.T) {
	s := harness.NewServer(t, harness.Databases["sqlite"](t), func(c *app.Config) {
		c.RootKey, c.AllowedHosts = harness.RootKey, nil
	})
	s.Key = harness.RootKey
	for _, url := range []string{
		"http://receiver.example/x", "ftp://receiver.example", "https://user:pass@receiver.example", "https://", "receiver.example",
		"https://receiver.example/#x", "https://receiver.example/\n", "https://xn--\u00e9.example", "javascript:alert(1)", "https://" + strings.Repeat("x", 2000),
	} {
		if got := s.Call("POST", "/v1/webhooks", map[string]any{"url": url, "types": []string{"notice"}}); got.Status != 422 {
			t.Errorf("%.60q: %d", url, got.Status)
		}
	}
	r := newReceiver(t)
	port := r.URL[strings.LastIndexByte(r.URL, ':'):]
	// localhost simulates a name that resolves to this machine since it was entered.
	for _, host := range []string{"localhost", "127.0.0.1", "[::1]", "169.254.169.254", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		made := s.Call("POST", "/v1/webhooks", map[string]any{"url": "https://" + host + port, "types": []string{"notice"}}).Want(201)
		got := s.Call("POST", "/v1/webhooks/"+made.Str("id")+"/test", nil).Want(200)
		if detail := got.Str("detail"); got.At("ok") != false || !strings.HasPrefix(detail, "not allowed") && detail != "no such host" {
			t.Errorf("%s: %s", host, got.Body)
		}
		s.Call("DELETE", "/v1/webhooks/"+made.Str("id"), nil).Want(204)
	}
	if r.tries != 0 {
		t.Errorf("the receiver was reached %d times", r.tries)
	}
}

// Private addresses that were open while the server needed no key are closed by the first key, also for existing
// webhooks.
func TestTheFirstKeyClosesLoopback(t *testing.T) {
	s, r := harness.NewServer(t, harness.Databases["sqlite"](t)), newReceiver(t)
	id := r.registered(s, "data.changed")
	if got := s.Call("POST", "/v1/webhooks/"+id+"/test", nil).Want(200); got.At("ok") != true {
		t.Fatalf("before: %s", got.Body)
	}
	s.Key = s.Call("POST", "/v1/keys", map[string]any{"name": "me", "role": "admin"}).Want(201).Str("key")
	if got := s.Call("POST", "/v1/webhooks/"+id+"/test", nil).Want(200); got.At("ok") != false || got.Str("detail") != "not allowed without TLS (https)" {
		t.Errorf("afterwards: %s", got.Body)
	}
	if len(r.taken()) != 1 {
		t.Errorf("taken: %v", r.taken())
	}
}
