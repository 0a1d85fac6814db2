package doors

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/traces"
)

// shop is a third-party API: it has items, and takes orders.
type shop struct {
	*httptest.Server
	mu     sync.Mutex
	orders []order
}

type order struct{ body, key, secret, agent, trace string }

func newShop(t *testing.T) *shop {
	s := &shop{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.Method + " " + r.URL.Path {
		case "GET /v1/items/tea":
			_, _ = io.WriteString(w, `{"id":"tea","stock":42}`)
		case "POST /v1/orders":
			body, _ := io.ReadAll(r.Body)
			s.mu.Lock()
			s.orders = append(s.orders, order{
				string(body), r.Header.Get("Idempotency-Key"), r.Header.Get("Authorization"), r.Header.Get("User-Agent"), r.Header.Get("Traceparent"),
			})
			s.mu.Unlock()
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"order":{"number":"A-17"}}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *shop) taken() []order {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]order{}, s.orders...)
}

// connector is what a person enters for the shop.
func (s *shop) connector() map[string]any {
	params := map[string]any{"type": "object", "properties": map[string]any{"item": map[string]any{"type": "string"}, "count": map[string]any{"type": "integer"}}}
	return map[string]any{
		"name": "Shop", "kind": "http", "prefix": "SHOP",
		"config": map[string]any{"base_url": s.URL + "/v1", "headers": map[string]any{"Authorization": "Bearer of-the-shop"}},
		"commands": []any{
			map[string]any{"name": "GET_ITEM", "description": "An item and its stock.", "effect": "read_only", "params_schema": params,
				"request": map[string]any{"method": "GET", "path": "/items/{item}"}},
			map[string]any{"name": "ORDER", "description": "Orders an item.", "params_schema": params, "result": "/order/number",
				"request": map[string]any{"method": "POST", "path": "/orders"}},
		},
	}
}

// TestAnAPIOfOnesOwn: a connector is made, its commands are in the catalogue; the AI reads, a
// person approves what changes something there, it is sent once, and the result is in the next
// prompt. What is switched off is not there any more.
func TestAnAPIOfOnesOwn(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, shop := newServer(t, db), newShop(t)
		s.Scripted(`[
			{"when": {"contains": "stock", "roundtrip": 1, "offers": "SHOP_GET_ITEM"}, "answer": {"calls": [{"name": "SHOP_GET_ITEM", "arguments": {"item": "tea"}}]}},
			{"when": {"result": "42"}, "answer": {"text": "There are 42."}},
			{"when": {"contains": "order", "roundtrip": 1, "offers": "SHOP_ORDER"}, "answer": {"text": "I order it.", "calls": [{"name": "SHOP_ORDER", "arguments": {"item": "tea", "count": 2}}]}},
			{"when": {"result": "A-17"}, "answer": {"text": "It is order A-17."}},
			{"when": {"contains": "order", "without": "SHOP_ORDER"}, "answer": {"text": "I cannot order."}}]`)
		made := s.Call("POST", "/v1/connectors", shop.connector()).Want(201)
		if strings.Contains(string(made.Body), "of-the-shop") || made.Str("config.headers.Authorization") != "…" {
			t.Fatalf("the secret comes back: %s", made.Body)
		}
		at := "/v1/connectors/" + made.Str("id")
		if test := s.Call("POST", at+"/test", nil).Want(200); test.At("ok") != true {
			t.Errorf("the test says %s", test.Body)
		}

		chat := s.Chat()
		s.Say(chat, "What is the stock of tea?")
		s.Settle(chat)
		if got := s.LastText(chat); got != "There are 42." {
			t.Fatalf("the AI says %q: %v", got, s.Record(chat))
		}

		other := s.Chat() // here nothing was read from outside
		const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
		s.Call("POST", "/v1/sessions/"+other+"/messages", map[string]any{"text": "Please order tea."},
			"Traceparent", "00-"+trace+"-00f067aa0ba902b7-01").Want(202)
		s.Settle(other)
		card := s.Card()
		if len(shop.taken()) != 0 {
			t.Fatal("it was ordered before anybody said yes")
		}
		s.Call("POST", "/v1/approvals/"+card.Str("id"), map[string]any{"approved": true}).Want(200)
		s.Settle(other)
		if got := s.LastText(other); got != "It is order A-17." {
			t.Fatalf("the AI says %q: %v", got, s.Record(other))
		}
		taken := shop.taken()
		if len(taken) != 1 {
			t.Fatalf("%d orders", len(taken))
		}
		var sent map[string]any
		if err := json.Unmarshal([]byte(taken[0].body), &sent); err != nil || sent["item"] != "tea" || sent["count"] != 2.0 {
			t.Errorf("ordered %s", taken[0].body)
		}
		if o := taken[0]; !strings.HasPrefix(o.key, "exe_") || o.secret != "Bearer of-the-shop" || !strings.HasPrefix(o.agent, "fermata/") {
			t.Errorf("sent %+v", o)
		} else if want := traces.Parent(trace, traces.Span(o.key)); o.trace != want {
			t.Errorf("the order came with the trace %q, not %q", o.trace, want)
		}

		cannot := func(why string) {
			t.Helper()
			third := s.Chat()
			s.Say(third, "Please order tea.")
			s.Settle(third)
			if got := s.LastText(third); got != "I cannot order." {
				t.Errorf("%s: the AI says %q", why, got)
			}
		}
		s.Call("PATCH", "/v1/settings", map[string]any{"commands": []string{"SHOP.GET_ITEM", "OTHER.*"}}).Want(200)
		cannot("not on the workspace's list")
		if listed := string(s.Call("GET", "/v1/commands", nil).Want(200).Body); strings.Contains(listed, "SHOP.ORDER") || !strings.Contains(listed, "SHOP.GET_ITEM") {
			t.Error("the list of the commands does not know the workspace's")
		}
		s.Call("PATCH", "/v1/settings", map[string]any{"commands": nil}).Want(200)
		s.Call("PATCH", at+"/commands/ORDER", map[string]any{"state": "off"}).Want(200)
		cannot("off")
		s.Sound()
	})
}

// TestSecretsStayWhereTheyBelong: a connector that is pointed elsewhere needs its secrets again.
func TestSecretsStayWhereTheyBelong(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, shop := newServer(t, db), newShop(t)
		at := "/v1/connectors/" + s.Call("POST", "/v1/connectors", shop.connector()).Want(201).Str("id")
		elsewhere := map[string]any{"base_url": "https://other.example/v1"}
		refused := s.Call("PATCH", at, map[string]any{"config": elsewhere}).Problem(422, "invalid")
		if refused.Str("errors.0.pointer") != "/config/headers/Authorization" || refused.Str("errors.0.code") != "enter_again" {
			t.Errorf("refused with %s", refused.Body)
		}
		s.Call("PATCH", at, map[string]any{"config": map[string]any{"base_url": shop.URL + "/v2"}}).Want(200)
		elsewhere["headers"] = map[string]any{"Authorization": "Bearer new"}
		s.Call("PATCH", at, map[string]any{"config": elsewhere}).Want(200)
		elsewhere["headers"] = map[string]any{"Authorization": nil}
		elsewhere["base_url"] = shop.URL
		s.Call("PATCH", at, map[string]any{"config": elsewhere}).Want(200)
	})
}

// TestConnectorsAsDocumented follows docs/connectors.md: its file is added as it is there,
// but for the port.
func TestConnectorsAsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/connectors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	file, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page has no file to add")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "tea.json"), []byte(`{"id": "tea", "stock": 42}`), 0o600); err != nil {
		t.Fatal(err)
	}
	shop := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer shop.Close()
	at := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(at, []byte(strings.Replace(file, "http://127.0.0.1:9000", shop.URL, 1)), 0o600); err != nil {
		t.Fatal(err)
	}

	s := newServer(t, harness.Databases["sqlite"](t))
	s.Scripted(`[{"when": {"roundtrip": 1}, "answer": {"calls": [{"name": "SHOP_GET_ITEM", "arguments": {"item": "tea"}}]}},
		{"when": {"result": "42"}, "answer": {"text": "There are 42."}}]`)
	out, _ := s.Types("", "connectors", "add", at)
	harness.Wants(t, out, "SHOP", "ready", "SHOP.GET_ITEM", "read_only", "SHOP.ORDER", "non_idempotent", "yes")
	if strings.Contains(out, "not-a-real-one") {
		t.Errorf("the secret is shown: %s", out)
	}
	out, _ = s.Types("", "connectors", "test", "SHOP")
	harness.Wants(t, out, "SHOP responds", "2 commands")
	out, _ = s.Types("", "connectors")
	harness.Wants(t, out, "SHOP", "http", "ready", "2 of 2", "Shop")
	out, _ = s.Types("", "connectors", "commands", "shop", "order", "--state=off", "--timeout=30s")
	harness.Wants(t, out, "SHOP.ORDER", "off", "30s")
	chat := s.Chat()
	s.Say(chat, "How much tea is in stock?")
	s.Settle(chat)
	if got := s.LastText(chat); got != "There are 42." {
		t.Errorf("the AI says %q", got)
	}
	out, _ = s.Types("", "connectors", "disable", "Shop")
	harness.Wants(t, out, "disabled")
	s.Types("", "connectors", "enable", "Shop")
	shop.Close()
	if _, _, err := s.Typed("", "connectors", "test", "SHOP"); err == nil || !strings.Contains(err.Error(), "SHOP is unreachable: Nothing was sent to Shop: connection refused") {
		t.Errorf("a server that is down: %v", err)
	}
	out, _ = s.Types("", "connectors", "refresh", "SHOP", "-o", "json")
	harness.Wants(t, out, `"unreachable"`)
	s.Types("", "connectors", "delete", "SHOP")
	if out, _ = s.Types("", "connectors", "-o", "json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("left: %s", out)
	}
}
