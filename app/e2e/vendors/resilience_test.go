package vendors

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	anthropic "github.com/fermata-dev/fermata/providers/anthropic/fake"
	openai "github.com/fermata-dev/fermata/providers/openai/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

// vendor is a vendor whose state the test controls: it answers or fails.
type vendor struct {
	url string

	mu     sync.Mutex
	fail   http.HandlerFunc // nil: it answers
	calls  int
	bodies []string
}

// newVendor starts one that says "Fine." and, to an automation, that it is done.
func newVendor(t *testing.T) *vendor {
	t.Helper()
	v := &vendor{}
	player := openai.Compatible()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		body := string(raw)
		v.mu.Lock()
		v.calls++
		v.bodies = append(v.bodies, body)
		fail := v.fail
		v.mu.Unlock()
		if fail != nil {
			fail(w, r)
			return
		}
		reply := suite.Reply{Text: []string{"Fine."}, StopReason: "stop", Usage: domain.Usage{InputTokens: 100, OutputTokens: 2}}
		if strings.Contains(body, "work at night") {
			reply = suite.Reply{Calls: []suite.Call{{ID: "c1", Name: "COMPLETE", Arguments: "{}"}}, StopReason: "calls"}
		}
		player.Write(w, r, raw, reply)
	}))
	t.Cleanup(server.Close)
	v.url = server.URL
	return v
}

func (v *vendor) set(fail http.HandlerFunc) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fail = fail
}

func (v *vendor) count() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.calls
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		http.Error(w, `{"error":{"message":"not now"}}`, code)
	}
}

func withKey(config map[string]any) map[string]any {
	config["api_key"] = "sk-of-the-fake-0123456789"
	return config
}

// A provider that is down is not called repeatedly. When it is back, waiting sessions continue at once, long
// before their next attempt is due.
func TestADownProviderIsLeftAloneAndItsReturnIsNews(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		v := newVendor(t)
		v.set(status(503))
		id := s.Configured("Far", v.url, true)
		s.Call("PATCH", "/v1/settings", `{"completion_confirmation_delay": "0s", "chat_eviction_after": "0s", "network_retry": {"delays": ["1h"]}}`).Want(200)
		run := s.Execute(s.Automation("night", "work at night")).Session.ID
		s.Until(run, "waiting")
		chat := s.Chat()
		for range 4 {
			s.Say(chat, "Hello?")
		}
		if n := v.count(); n != 5 {
			t.Fatalf("%d calls were made", n)
		}
		s.Say(chat, "And now?")
		if n := v.count(); n != 5 {
			t.Errorf("a provider that is down was called: %d calls", n)
		}
		if text := s.LastError(chat); !strings.Contains(text, "it was not called") || !strings.Contains(text, "retry_at=") {
			t.Errorf("the error is: %s", text)
		}
		breaker := s.Call("GET", "/v1/admin/status", nil).Want(200)
		if breaker.Str("breakers.0.state") != "open" || breaker.Str("breakers.0.provider_id") != id || breaker.At("breakers.0.failures") != 5.0 || breaker.Str("breakers.0.until") == "" {
			t.Errorf("the breaker is %s", breaker.Body)
		}
		v.set(nil)
		if r := s.Call("POST", "/v1/providers/"+id+"/test", nil).Want(200); r.At("ok") != true {
			t.Fatalf("the test call: %s", r.Body)
		}
		if end := s.Until(run, "ended"); end.Str("end_reason") != "COMPLETED" {
			t.Errorf("the run ended with %s", end.Body)
		}
		s.Say(chat, "Back?")
		if got := s.LastText(chat); got != "Fine." {
			t.Errorf("the chat got %q", got)
		}
		if r := s.Call("GET", "/v1/admin/status", nil).Want(200); len(r.List("breakers")) != 0 {
			t.Errorf("the breaker is %s", r.Body)
		}
		s.Sound()
	})
}

// A provider that asked for time is left alone by every session of the workspace.
func TestRetryAfterIsEverybodys(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	v := newVendor(t)
	v.set(status(429, "Retry-After", "30"))
	s.Configured("Far", v.url, true)
	for i := range 3 {
		chat := s.Chat()
		r := s.Say(chat, "Hello?")
		if text := s.LastError(chat); r.Str("phase") != "IDLE" || !strings.Contains(text, "retry_at=") {
			t.Errorf("the error in chat %d is: %s", i, text)
		}
	}
	if n := v.count(); n != 1 {
		t.Errorf("%d calls were made", n)
	}
}

// A config that was changed is another provider: what failed before does not count.
func TestAChangedConfigIsTriedAtOnce(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	v := newVendor(t)
	v.set(status(429, "Retry-After", "300"))
	id := s.Configured("Far", v.url, true)
	chat := s.Chat()
	s.Say(chat, "Hello?")
	v.set(nil)
	s.Call("PATCH", "/v1/providers/"+id, `{"config": {"temperature": 0.5}}`).Want(200)
	s.Call("POST", "/v1/sessions/"+chat+"/retry", nil).Want(200)
	s.Settle(chat)
	if got := s.LastText(chat); got != "Fine." {
		t.Errorf("the chat got %q: %s", got, s.LastError(chat))
	}
}

// When the first provider is down, the next one answers, in its own protocol and without
// the first one's thoughts. The record says who was called.
func TestTheFallbackAnswers(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		claude := anthropic.Claude()
		first := claude.Play(
			suite.Reply{Thinking: []string{"a secret thought"}, Calls: []suite.Call{{ID: "t1", Name: "ZONES", Arguments: "{}"}}, StopReason: "calls"},
			suite.Reply{Status: 529, Body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
		)
		server := httptest.NewServer(first)
		defer server.Close()
		v := newVendor(t)
		own := s.Call("POST", "/v1/providers", map[string]any{
			"name": "Claude", "kind": claude.Kind, "is_default": true, "config": withKey(claude.Config(server.URL, domain.ProtocolNative)),
		}).Want(201).Str("id")
		other := s.Configured("Near", v.url, false)
		s.Call("PATCH", "/v1/settings", map[string]any{"fallback_providers": []string{other}}).Want(200)
		chat := s.Chat()
		if r := s.Say(chat, "How many zones?"); r.Str("phase") != "IDLE" || r.Str("provider_id") == other {
			t.Errorf("the session is %s", r.Body)
		}
		if got := strings.Join(s.Record(chat), " "); got != "USER AI DATA_ADDED AI" || s.LastText(chat) != "Fine." {
			t.Errorf("the record is %s, and %q was said: %s", got, s.LastText(chat), s.LastError(chat))
		}
		if v.count() != 1 || strings.Contains(v.bodies[0], "secret thought") || !strings.Contains(v.bodies[0], `"tool_call_id"`) {
			t.Errorf("the fallback was asked %d times: %s", v.count(), v.bodies)
		}
		var calls []string
		for _, line := range s.Call("GET", "/v1/sessions/"+chat+"/timeline?limit=200", nil).Want(200).List("data") {
			call, ok := line.(map[string]any)["roundtrip"].(map[string]any)
			if !ok {
				continue
			}
			calls = append(calls, fmt.Sprint(call["provider_id"], " ", call["outcome"]))
		}
		want := own + " answered, " + own + " overloaded, " + other + " answered"
		if got := strings.Join(calls, ", "); got != want {
			t.Errorf("the calls are %s, want %s", got, want)
		}
		s.Sound()
	})
}
