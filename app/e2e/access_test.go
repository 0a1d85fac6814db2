package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
)

// bearer is the header of a key.
func bearer(key string) []string { return []string{"Authorization", "Bearer " + key} }

// TestTheFirstKeyClosesTheServer: it must be one that can make others, its answer says what
// changes, and nothing opens the server again.
func TestTheFirstKeyClosesTheServer(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		soon := time.Now().Add(time.Hour)
		for _, bad := range []map[string]any{
			{"name": "dash", "role": "viewer"}, {"name": "dash", "role": "member"}, {"name": "dash", "role": "admin", "expires_at": soon},
		} {
			s.call("POST", "/v1/keys", bad).problem(409, "first_key")
		}
		s.call("GET", "/v1/zones", nil).want(200)

		made := s.call("POST", "/v1/keys", map[string]any{"name": "me", "role": "admin"}).want(201)
		if !strings.Contains(made.str("notice"), "every call needs a key") {
			t.Errorf("the first key says %s", made.body)
		}
		me := bearer(made.str("key"))
		s.call("GET", "/v1/zones", nil).problem(401, "unauthenticated")
		guest := s.call("POST", "/v1/keys", map[string]any{"name": "guest", "role": "viewer", "expires_at": soon}, me...).want(201)
		if guest.at("notice") != nil || guest.str("expires_at") == "" {
			t.Errorf("the second key says %s", guest.body)
		}
		s.call("DELETE", "/v1/keys/"+made.str("id"), nil, me...).problem(409, "last_admin_key")
		other := s.call("POST", "/v1/keys", map[string]any{"name": "other", "role": "admin"}, me...).want(201)
		s.call("DELETE", "/v1/keys/"+made.str("id"), nil, me...).want(204)
		s.call("DELETE", "/v1/keys/"+made.str("id"), nil, bearer(other.str("key"))...).want(204)
		s.call("GET", "/v1/zones", nil, me...).problem(401, "unauthenticated")
		s.stop()

		// With a root key all of them may go. Without it again, the server stays closed.
		s = newServer(t, db, func(f *app.Config) { f.RootKey = aRootKey })
		for _, key := range []*reply{other, guest} {
			s.call("DELETE", "/v1/keys/"+key.str("id"), nil, bearer(aRootKey)...).want(204)
		}
		s.stop()
		s = newServer(t, db)
		for _, path := range []string{"/v1/zones", "/v1/workspaces", "/v1/keys"} {
			s.call("GET", path, nil).problem(401, "unauthenticated")
		}
	})
}

// TestOneNodeMakesTheFirstKey: the others ask for one with the next request, and go on
// doing so when it is revoked.
func TestOneNodeMakesTheFirstKey(t *testing.T) {
	a, b := twoNodes(t)
	b.call("GET", "/v1/zones", nil).want(200)
	first := a.call("POST", "/v1/keys", map[string]any{"name": "me", "role": "admin"}).want(201)
	b.call("GET", "/v1/zones", nil).problem(401, "unauthenticated")
	b.call("GET", "/v1/zones", nil, bearer(first.str("key"))...).want(200)
}

// TestAKeyIsKnownToBeUsed: when, is written in the background; at the latest when the
// server stops.
func TestAKeyIsKnownToBeUsed(t *testing.T) {
	onBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		key := bearer(s.call("POST", "/v1/keys", map[string]any{"name": "me", "role": "admin"}).want(201).str("key"))
		before := time.Now().Add(-time.Second)
		if used := s.call("GET", "/v1/keys", nil, key...).want(200).at("data.0.last_used_at"); used != nil {
			t.Errorf("used before anything was written: %v", used)
		}
		s.stop()
		s = newServer(t, db)
		text := s.call("GET", "/v1/keys", nil, key...).want(200).str("data.0.last_used_at")
		used, err := time.Parse(time.RFC3339, text)
		if err != nil || used.Before(before) || used.After(time.Now()) {
			t.Errorf("used last at %q: %v", text, err)
		}
	})
}

// TestMetricsAreOfTheOperator: keys of a workspace do not read the figures of all.
func TestMetricsAreOfTheOperator(t *testing.T) {
	s := newServer(t, databases["sqlite"](t), func(f *app.Config) { f.RootKey = aRootKey })
	admin := bearer(s.call("POST", "/v1/keys", map[string]any{"name": "a", "role": "admin"}, bearer(aRootKey)...).want(201).str("key"))
	through := []string{"X-Forwarded-For", "203.0.113.9"}
	s.call("GET", "/metrics", nil).want(200)
	s.call("GET", "/metrics", nil, through...).problem(401, "unauthenticated")
	s.call("GET", "/metrics", nil, append(through, admin...)...).problem(403, "forbidden")
	s.call("GET", "/metrics", nil, append(through, bearer(aRootKey)...)...).want(200)
}

// TestMetricsOnAnAddressOfTheirOwn: whoever reaches that may read them, and nothing else.
func TestMetricsOnAnAddressOfTheirOwn(t *testing.T) {
	s := newServer(t, databases["sqlite"](t), func(f *app.Config) {
		f.RootKey, f.PublicURL, f.MetricsListen = aRootKey, "https://fermata.example", "127.0.0.1:0"
	})
	s.call("GET", "/metrics", nil).problem(401, "unauthenticated") // a proxy that says nothing looks like this
	for path, want := range map[string]int{"/metrics": 200, "/v1/zones": 404, "/": 404} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+s.parts.MetricsAddr()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != want || want == 200 && !strings.Contains(string(body), "fermata_build_info") {
			t.Errorf("%s: %d %.100s", path, response.StatusCode, body)
		}
	}
}

// TestStatusTellsAnAdminOfItsWorkspaceOnly: not of the process and its nodes.
func TestStatusTellsAnAdminOfItsWorkspaceOnly(t *testing.T) {
	s := newServer(t, databases["sqlite"](t), func(f *app.Config) { f.RootKey = aRootKey })
	operator := bearer(aRootKey)
	admin := bearer(s.call("POST", "/v1/keys", map[string]any{"name": "a", "role": "admin"}, operator...).want(201).str("key"))
	s.call("POST", "/v1/workspaces", map[string]any{"id": "acme"}, operator...).want(201)
	events, stop := s.listen("/v1/events", append(operator, "Fermata-Workspace", "acme")...)
	defer stop()
	next(t, events, "snapshot")
	ours, stopOurs := s.listen("/v1/events", admin...)
	defer stopOurs()
	next(t, ours, "snapshot")
	whole := s.call("GET", "/v1/admin/status", nil, operator...).want(200)
	if whole.at("stream_clients") != 2.0 || len(whole.list("nodes")) != 1 {
		t.Errorf("the operator is told %s", whole.body)
	}
	part := s.call("GET", "/v1/admin/status", nil, admin...).want(200)
	if part.at("stream_clients") != 1.0 || part.at("sessions") != 0.0 || len(part.list("nodes")) != 0 {
		t.Errorf("the workspace's admin is told %s", part.body)
	}
}
