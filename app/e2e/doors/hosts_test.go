package doors

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestAWorkspaceNamesItsHosts: with allowed_hosts nothing leaves to a host that is not named, by
// any of the ways out, and each says why; the change counts at once, in both directions.
func TestAWorkspaceNamesItsHosts(t *testing.T) {
	var reached atomic.Int32
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"data": []}`))
	}))
	defer outside.Close()
	s := newServer(t, harness.Databases["sqlite"](t))
	provider := s.Call("POST", "/v1/providers", map[string]any{
		"name": "Mine", "kind": "openai", "config": map[string]any{"base_url": outside.URL + "/v1", "model": "m"},
	}).Want(201).Str("id")
	connector := s.Call("POST", "/v1/connectors", map[string]any{
		"name": "Shop", "prefix": "SHOP", "kind": "http", "config": map[string]any{"base_url": outside.URL},
		"commands": []map[string]any{{"name": "LIST", "description": "Lists.", "effect": "read_only",
			"params_schema": map[string]any{"type": "object"}, "request": map[string]any{"method": "GET", "path": "/"}}},
	}).Want(201).Str("id")
	webhook := s.Call("POST", "/v1/webhooks", map[string]any{"url": outside.URL, "types": []string{"notice"}}).Want(201).Str("id")
	ways := map[string]func() string{
		"provider's test":   func() string { return string(s.Call("POST", "/v1/providers/"+provider+"/test", nil).Body) },
		"provider's models": func() string { return string(s.Call("GET", "/v1/providers/"+provider+"/models", nil).Body) },
		"connector's test":  func() string { return string(s.Call("POST", "/v1/connectors/"+connector+"/test", nil).Body) },
		"webhook's test":    func() string { return string(s.Call("POST", "/v1/webhooks/"+webhook+"/test", nil).Body) },
		"preview": func() string {
			return string(s.Call("POST", "/v1/connectors/preview", map[string]any{"openapi_url": outside.URL + "/openapi.json"}).Body)
		},
	}
	const why = "allowed_hosts does not name this host"
	at := strings.TrimPrefix(outside.URL, "http://")
	for _, step := range []struct {
		hosts any
		open  bool
	}{
		{nil, true}, {[]string{"api.elsewhere.example", "127.0.0.1:1"}, false}, {[]string{at}, true}, {[]string{}, false},
		{[]string{"127.0.0.0/8"}, true},
	} {
		s.Call("PATCH", "/v1/settings", map[string]any{"allowed_hosts": step.hosts}).Want(200)
		for name, way := range ways {
			before := reached.Load()
			said := way()
			if arrived := reached.Load() > before; arrived != step.open || strings.Contains(said, why) == step.open {
				t.Errorf("%v: the %s arrived: %v, and says %s", step.hosts, name, arrived, said)
			}
		}
	}
	for _, wrong := range []string{"https://a.example", "*.example.com", "a b"} {
		got := s.Call("PATCH", "/v1/settings", map[string]any{"allowed_hosts": []string{"*", wrong}})
		if got.Status != 422 || !strings.Contains(string(got.Body), "/allowed_hosts/1") {
			t.Errorf("%q: %d %s", wrong, got.Status, got.Body)
		}
	}
}
