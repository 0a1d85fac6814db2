package doors

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// bearer is the header of a key.
func bearer(key string) []string { return []string{"Authorization", "Bearer " + key} }

// TestTheFirstKeyClosesTheServer: it must be one that can make others, its answer says what
// changes, and nothing opens the server again.
func TestTheFirstKeyClosesTheServer(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		soon := time.Now().Add(time.Hour)
		for _, bad := range []map[string]any{
			{"name": "dash", "role": "viewer"}, {"name": "dash", "role": "member"}, {"name": "dash", "role": "admin", "expires_at": soon},
		} {
			s.Call("POST", "/v1/keys", bad).Problem(409, "first_key")
		}
		s.Call("GET", "/v1/zones", nil).Want(200)

		made := s.Call("POST", "/v1/keys", map[string]any{"name": "me", "role": "admin"}).Want(201)
		if !strings.Contains(made.Str("notice"), "every call needs a key") {
			t.Errorf("the first key says %s", made.Body)
		}
		me := bearer(made.Str("key"))
		s.Call("GET", "/v1/zones", nil).Problem(401, "unauthenticated")
		guest := s.Call("POST", "/v1/keys", map[string]any{"name": "guest", "role": "viewer", "expires_at": soon}, me...).Want(201)
		if guest.At("notice") != nil || guest.Str("expires_at") == "" {
			t.Errorf("the second key says %s", guest.Body)
		}
		s.Call("DELETE", "/v1/keys/"+made.Str("id"), nil, me...).Problem(409, "last_admin_key")
		other := s.Call("POST", "/v1/keys", map[string]any{"name": "other", "role": "admin"}, me...).Want(201)
		s.Call("DELETE", "/v1/keys/"+made.Str("id"), nil, me...).Want(204)
		s.Call("DELETE", "/v1/keys/"+made.Str("id"), nil, bearer(other.Str("key"))...).Want(204)
		s.Call("GET", "/v1/zones", nil, me...).Problem(401, "unauthenticated")
		s.Stop()

		// With a root key all of them may go. Without it again, the server stays closed.
		s = newServer(t, db, func(f *app.Config) { f.RootKey = harness.RootKey })
		for _, key := range []*harness.Reply{other, guest} {
			s.Call("DELETE", "/v1/keys/"+key.Str("id"), nil, bearer(harness.RootKey)...).Want(204)
		}
		s.Stop()
		s = newServer(t, db)
		for _, path := range []string{"/v1/zones", "/v1/workspaces", "/v1/keys"} {
			s.Call("GET", path, nil).Problem(401, "unauthenticated")
		}
	})
}

// TestOneNodeMakesTheFirstKey: the others ask for one with the next request, and go on
// doing so when it is revoked.
func TestOneNodeMakesTheFirstKey(t *testing.T) {
	a, b := twoNodes(t)
	b.Call("GET", "/v1/zones", nil).Want(200)
	first := a.Call("POST", "/v1/keys", map[string]any{"name": "me", "role": "admin"}).Want(201)
	b.Call("GET", "/v1/zones", nil).Problem(401, "unauthenticated")
	b.Call("GET", "/v1/zones", nil, bearer(first.Str("key"))...).Want(200)
}

// TestAKeyIsKnownToBeUsed: when, is written in the background; at the latest when the
// server stops.
func TestAKeyIsKnownToBeUsed(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		key := bearer(s.Call("POST", "/v1/keys", map[string]any{"name": "me", "role": "admin"}).Want(201).Str("key"))
		before := time.Now().Add(-time.Second)
		if used := s.Call("GET", "/v1/keys", nil, key...).Want(200).At("data.0.last_used_at"); used != nil {
			t.Errorf("used before anything was written: %v", used)
		}
		s.Stop()
		s = newServer(t, db)
		text := s.Call("GET", "/v1/keys", nil, key...).Want(200).Str("data.0.last_used_at")
		used, err := time.Parse(time.RFC3339, text)
		if err != nil || used.Before(before) || used.After(time.Now()) {
			t.Errorf("used last at %q: %v", text, err)
		}
	})
}

// TestMetricsAreOfTheOperator: keys of a workspace do not read the figures of all.
func TestMetricsAreOfTheOperator(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t), func(f *app.Config) { f.RootKey = harness.RootKey })
	admin := bearer(s.Call("POST", "/v1/keys", map[string]any{"name": "a", "role": "admin"}, bearer(harness.RootKey)...).Want(201).Str("key"))
	through := []string{"X-Forwarded-For", "203.0.113.9"}
	s.Call("GET", "/metrics", nil).Want(200)
	s.Call("GET", "/metrics", nil, through...).Problem(401, "unauthenticated")
	s.Call("GET", "/metrics", nil, append(through, admin...)...).Problem(403, "forbidden")
	s.Call("GET", "/metrics", nil, append(through, bearer(harness.RootKey)...)...).Want(200)
}

// TestMetricsOnAnAddressOfTheirOwn: clients of that address may read the metrics, and nothing else.
func TestMetricsOnAnAddressOfTheirOwn(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t), func(f *app.Config) {
		f.RootKey, f.PublicURL, f.MetricsListen = harness.RootKey, "https://fermata.example", "127.0.0.1:0"
	})
	s.Call("GET", "/metrics", nil).Problem(401, "unauthenticated") // a proxy that says nothing looks like this
	for path, want := range map[string]int{"/metrics": 200, "/v1/zones": 404, "/": 404} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+s.Parts.MetricsAddr()+path, nil)
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
	s := newServer(t, harness.Databases["sqlite"](t), func(f *app.Config) { f.RootKey = harness.RootKey })
	operator := bearer(harness.RootKey)
	admin := bearer(s.Call("POST", "/v1/keys", map[string]any{"name": "a", "role": "admin"}, operator...).Want(201).Str("key"))
	s.Call("POST", "/v1/workspaces", map[string]any{"id": "acme"}, operator...).Want(201)
	events, stop := s.Listen("/v1/events", append(operator, "Fermata-Workspace", "acme")...)
	defer stop()
	next(t, events, "snapshot")
	ours, stopOurs := s.Listen("/v1/events", admin...)
	defer stopOurs()
	next(t, ours, "snapshot")
	whole := s.Call("GET", "/v1/admin/status", nil, operator...).Want(200)
	if whole.At("stream_clients") != 2.0 || len(whole.List("nodes")) != 1 {
		t.Errorf("the operator receives %s", whole.Body)
	}
	part := s.Call("GET", "/v1/admin/status", nil, admin...).Want(200)
	if part.At("stream_clients") != 1.0 || part.At("sessions") != 0.0 || len(part.List("nodes")) != 0 {
		t.Errorf("the workspace's admin receives %s", part.Body)
	}
}
