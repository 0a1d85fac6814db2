package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/domain"
	anthropic "github.com/fermata-dev/fermata/providers/anthropic/fake"
	openai "github.com/fermata-dev/fermata/providers/openai/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

// vendor is one whose state the test changes: it answers, or it fails as it is told.
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

// configured makes a provider that calls the vendor.
func (s *server) configured(name, url string, isDefault bool) string {
	s.t.Helper()
	return s.call("POST", "/v1/providers", map[string]any{
		"name": name, "kind": "openai_compatible", "is_default": isDefault, "config": openai.Compatible().Config(url, domain.ProtocolNative),
	}).want(201).str("id")
}

func withKey(config map[string]any) map[string]any {
	config["api_key"] = "sk-of-the-fake-0123456789"
	return config
}

// lastError is the text of the latest NETWORK_ERROR.
func (s *server) lastError(session string) string {
	s.t.Helper()
	text := ""
	for _, m := range s.call("GET", "/v1/sessions/"+session+"/messages?limit=200", nil).want(200).list("data") {
		if system, ok := m.(map[string]any)["system_message"].(map[string]any); ok && system["type"] == "NETWORK_ERROR" {
			text, _ = system["summary"].(string)
		}
	}
	return text
}

// A provider that is down is not called again and again. When it is back, who waits for
// it goes on at once, long before its next try is due.
func TestADownProviderIsLeftAloneAndItsReturnIsNews(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		v := newVendor(t)
		v.set(status(503))
		id := s.configured("Far", v.url, true)
		s.call("PATCH", "/v1/settings", `{"completion_confirmation_delay": "0s", "chat_eviction_after": "0s", "network_retry": {"delays": ["1h"]}}`).want(200)
		run := s.execute(s.standing("night", "work at night")).Session.ID
		s.until(run, "waiting")
		chat := s.chat()
		for range 4 {
			s.say(chat, "Hello?")
		}
		if n := v.count(); n != 5 {
			t.Fatalf("%d calls were made", n)
		}
		s.say(chat, "And now?")
		if n := v.count(); n != 5 {
			t.Errorf("a provider that is down was called: %d calls", n)
		}
		if text := s.lastError(chat); !strings.Contains(text, "it was not called") || !strings.Contains(text, "It may be called again at") {
			t.Errorf("the person is told: %s", text)
		}
		breaker := s.call("GET", "/v1/admin/status", nil).want(200)
		if breaker.str("breakers.0.state") != "open" || breaker.str("breakers.0.provider_id") != id || breaker.at("breakers.0.failures") != 5.0 || breaker.str("breakers.0.until") == "" {
			t.Errorf("the breaker is %s", breaker.body)
		}
		v.set(nil)
		if r := s.call("POST", "/v1/providers/"+id+"/test", nil).want(200); r.at("ok") != true {
			t.Fatalf("the test call: %s", r.body)
		}
		if end := s.until(run, "ended"); end.str("end_reason") != "COMPLETED" {
			t.Errorf("the run ended with %s", end.body)
		}
		s.say(chat, "Back?")
		if got := s.lastText(chat); got != "Fine." {
			t.Errorf("the chat got %q", got)
		}
		if r := s.call("GET", "/v1/admin/status", nil).want(200); len(r.list("breakers")) != 0 {
			t.Errorf("the breaker is %s", r.body)
		}
		s.sound()
	})
}

// A provider that asked for time is left alone by every session of the workspace.
func TestRetryAfterIsEverybodys(t *testing.T) {
	s := newServer(t, databases["sqlite"](t))
	v := newVendor(t)
	v.set(status(429, "Retry-After", "30"))
	s.configured("Far", v.url, true)
	for i := range 3 {
		chat := s.chat()
		r := s.say(chat, "Hello?")
		if text := s.lastError(chat); r.str("phase") != "IDLE" || !strings.Contains(text, "UTC (in ") {
			t.Errorf("chat %d is told: %s", i, text)
		}
	}
	if n := v.count(); n != 1 {
		t.Errorf("%d calls were made", n)
	}
}

// A config that was changed is another provider: what failed before does not count.
func TestAChangedConfigIsTriedAtOnce(t *testing.T) {
	s := newServer(t, databases["sqlite"](t))
	v := newVendor(t)
	v.set(status(429, "Retry-After", "300"))
	id := s.configured("Far", v.url, true)
	chat := s.chat()
	s.say(chat, "Hello?")
	v.set(nil)
	s.call("PATCH", "/v1/providers/"+id, `{"config": {"temperature": 0.5}}`).want(200)
	s.call("POST", "/v1/sessions/"+chat+"/retry", nil).want(200)
	s.settle(chat)
	if got := s.lastText(chat); got != "Fine." {
		t.Errorf("the chat got %q: %s", got, s.lastError(chat))
	}
}

// When the first provider is down, the next one answers, in its own protocol and without
// the first one's thoughts. The record says who was called.
func TestTheFallbackAnswers(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		claude := anthropic.Claude()
		first := claude.Play(
			suite.Reply{Thinking: []string{"a secret thought"}, Calls: []suite.Call{{ID: "t1", Name: "ZONES", Arguments: "{}"}}, StopReason: "calls"},
			suite.Reply{Status: 529, Body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
		)
		server := httptest.NewServer(first)
		defer server.Close()
		v := newVendor(t)
		own := s.call("POST", "/v1/providers", map[string]any{
			"name": "Claude", "kind": claude.Kind, "is_default": true, "config": withKey(claude.Config(server.URL, domain.ProtocolNative)),
		}).want(201).str("id")
		other := s.configured("Near", v.url, false)
		s.call("PATCH", "/v1/settings", map[string]any{"fallback_providers": []string{other}}).want(200)
		chat := s.chat()
		if r := s.say(chat, "How many zones?"); r.str("phase") != "IDLE" || r.str("provider_id") == other {
			t.Errorf("the session is %s", r.body)
		}
		if got := strings.Join(s.record(chat), " "); got != "USER AI DATA_ADDED AI" || s.lastText(chat) != "Fine." {
			t.Errorf("the record is %s, and %q was said: %s", got, s.lastText(chat), s.lastError(chat))
		}
		if v.count() != 1 || strings.Contains(v.bodies[0], "secret thought") || !strings.Contains(v.bodies[0], `"tool_call_id"`) {
			t.Errorf("the fallback was asked %d times: %s", v.count(), v.bodies)
		}
		var calls []string
		for _, line := range s.call("GET", "/v1/sessions/"+chat+"/timeline?limit=200", nil).want(200).list("data") {
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
		s.sound()
	})
}
