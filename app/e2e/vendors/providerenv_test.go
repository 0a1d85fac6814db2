package vendors

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// canary is the host of an attacker who wants our keys: it records what it receives.
type canary struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
}

func newCanary(t *testing.T) *canary {
	c := &canary{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		text := r.Method + " " + r.URL.String() + "\n" + string(body)
		for name, values := range r.Header {
			text += "\n" + name + ": " + strings.Join(values, ",")
		}
		c.sent = append(c.sent, text)
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(c.Close)
	return c
}

// got is all that the canary was sent so far.
func (c *canary) got() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.sent, "\n\n")
}

// closedServer is a server with a root key, whose requests may go to this machine, and the
// credentials of a workspace's admin.
func closedServer(t *testing.T, change ...func(*app.Config)) (s *server, root, admin []string) {
	t.Helper()
	s = newServer(t, harness.Databases["sqlite"](t), append([]func(*app.Config){func(f *app.Config) {
		f.RootKey, f.AllowedHosts = harness.OtherRootKey, []string{"127.0.0.1"}
	}}, change...)...)
	root = []string{"Authorization", "Bearer " + harness.OtherRootKey}
	key := s.Call("POST", "/v1/keys", map[string]any{"name": "admin", "role": "admin"}, root...).Want(201).Str("key")
	return s, root, []string{"Authorization", "Bearer " + key}
}

func compatible(model, baseURL string, more map[string]any) map[string]any {
	config := map[string]any{"model": model, "base_url": baseURL}
	maps.Copy(config, more)
	return map[string]any{"name": model, "kind": "openai_compatible", "config": config}
}

// A workspace's admin gets no variable of the process out, be it there or not.
func TestAdminsCannotReadTheEnvironment(t *testing.T) {
	evil := newCanary(t)
	secret := map[string]string{"FERMATA_ROOT_KEY": harness.OtherRootKey, "SOME_TOKEN": "token-of-the-operator", "OPENAI_API_KEY": "sk-of-the-operator", "FERMATA_PROVIDER_KEY_X": "key-x"}
	for name, value := range secret {
		t.Setenv(name, value)
	}
	s, _, admin := closedServer(t)
	answer := func(name string) string {
		r := s.Call("POST", "/v1/providers", compatible("m", evil.URL+"/v1", map[string]any{"api_key_env": name}), admin...).Problem(422, "invalid")
		if r.Str("errors.0.pointer") != "/config/api_key_env" {
			t.Errorf("%s: %s", name, r.Body)
		}
		return strings.ReplaceAll(r.Str("errors.0.message"), name, "NAME")
	}
	for name := range secret {
		answer(name)
	}
	if there, not := answer("SOME_TOKEN"), answer("SOME_TOKEM"); there != not {
		t.Errorf("the response reveals which variables exist: %q and %q", there, not)
	}
	if there, not := answer("FERMATA_PROVIDER_KEY_X"), answer("FERMATA_PROVIDER_KEY_Y"); there != not {
		t.Errorf("the response reveals which variables exist: %q and %q", there, not)
	}
	// A variable on its way to its vendor is not led elsewhere by a change.
	id := s.Call("POST", "/v1/providers", map[string]any{"name": "n", "kind": "openai", "config": map[string]any{
		"model": "m", "api_key_env": "OPENAI_API_KEY"}}, admin...).Want(201).Str("id")
	for _, config := range []map[string]any{{"base_url": evil.URL}, {"base_url": evil.URL, "api_key_env": "OPENAI_API_KEY"}, {"api_key_env": "FERMATA_ROOT_KEY"}} {
		s.Call("PATCH", "/v1/providers/"+id, map[string]any{"config": config}, admin...).Problem(422, "invalid")
	}
	if got := evil.got(); got != "" {
		t.Errorf("the canary was called: %s", got)
	}
}

// What was stored before the rule, or by hand, is not believed.
func TestStoredNamesOfVariablesAreChecked(t *testing.T) {
	evil := newCanary(t)
	t.Setenv("OPENAI_API_KEY", "sk-of-the-operator")
	s, _, admin := closedServer(t)
	for id, name := range map[string]string{"prv_1": "FERMATA_ROOT_KEY", "prv_2": "PATH", "prv_3": "OPENAI_API_KEY"} {
		now := time.Now()
		err := s.Parts.Store.Providers.InsertProvider(t.Context(), &outside.Provider{
			ID: id, WorkspaceID: domain.DefaultWorkspace, Name: id, Kind: "openai_compatible", CreatedAt: now, UpdatedAt: now,
			Config: []byte(`{"model":"m","base_url":"` + evil.URL + `","api_key_env":"` + name + `"}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Call("POST", "/v1/providers/"+id+"/test", nil, admin...).Want(200)
		if r.Str("error.code") != "provider_key_not_allowed" {
			t.Errorf("%s: %s", name, r.Body)
		}
		s.Call("GET", "/v1/providers/"+id+"/models", nil, admin...).Problem(503, "provider_failed")
	}
	if got := evil.got(); got != "" {
		t.Errorf("the canary was called: %s", got)
	}
}

// The root key allows a variable for a host: it is sent there and to no other host, even if the provider is changed
// afterwards.
func TestRootSendsAVariableToAHost(t *testing.T) {
	mine, evil := newCanary(t), newCanary(t)
	t.Setenv("FERMATA_PROVIDER_KEY_MINE", "key-of-mine-0123456789")
	s, root, admin := closedServer(t)
	id := s.Call("POST", "/v1/providers", compatible("m", mine.URL, map[string]any{"api_key_env": "FERMATA_PROVIDER_KEY_MINE"}), root...).Want(201).Str("id")
	works := func() {
		t.Helper()
		before := strings.Count(mine.got(), "Bearer key-of-mine-0123456789")
		r := s.Call("POST", "/v1/providers/"+id+"/test", nil, admin...).Want(200)
		if strings.Count(mine.got(), "Bearer key-of-mine-0123456789") != before+1 {
			t.Errorf("the key did not come: %s, %s", r.Body, mine.got())
		}
	}
	works()
	s.Call("PATCH", "/v1/providers/"+id, map[string]any{"config": map[string]any{"max_tokens": 5000}}, admin...).Want(200)
	works()
	s.Call("PATCH", "/v1/providers/"+id, map[string]any{"config": map[string]any{"base_url": evil.URL}}, admin...).Problem(422, "invalid")
	s.Call("PATCH", "/v1/providers/"+id, map[string]any{"config": map[string]any{"base_url": evil.URL}}, root...).Want(200)
	s.Call("PATCH", "/v1/providers/"+id, map[string]any{"config": map[string]any{"base_url": mine.URL}}, admin...).Problem(422, "invalid")
	if got := evil.got(); got != "" {
		t.Errorf("the canary was called: %s", got)
	}
}

// Private hosts are open to outgoing requests while the server needs no credentials; the first key closes them,
// without a restart.
func TestTheFirstKeyClosesPrivateHosts(t *testing.T) {
	inside := newCanary(t)
	s := newServer(t, harness.Databases["sqlite"](t))
	id := s.Call("POST", "/v1/providers", compatible("m", inside.URL, nil)).Want(201).Str("id")
	s.Call("POST", "/v1/providers/"+id+"/test", nil).Want(200)
	before := inside.got()
	if before == "" {
		t.Fatal("the open server does not reach this machine")
	}
	key := s.Call("POST", "/v1/keys", map[string]any{"name": "admin", "role": "admin"}).Want(201).Str("key")
	r := s.Call("POST", "/v1/providers/"+id+"/test", nil, "Authorization", "Bearer "+key).Want(200)
	if r.Str("error.code") != "provider_invalid_request" || !strings.Contains(r.Str("error.message"), "not allowed") || strings.Contains(r.Str("error.message"), "127.0.0.1") {
		t.Errorf("the answer: %s", r.Body)
	}
	if inside.got() != before {
		t.Errorf("a request came: %s", inside.got())
	}
}
