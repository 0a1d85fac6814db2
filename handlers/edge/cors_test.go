package edge_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit"
)

const friend = "https://app.example"

// newFriendlyServer lets pages of one other origin use the API.
func newFriendlyServer(t *testing.T, root string) *edgetest.Server {
	t.Helper()
	return edgetest.New(t, root, clock.System, func(e *edgetest.Server, r chi.Router) {
		origins, err := auth.ParseOrigins(friend)
		if err != nil {
			t.Fatal(err)
		}
		e.Origins = origins
		who, err := auth.New(auth.Config{RootKey: root, Loopback: true, Origins: origins, Keys: e.Store, Workspaces: e.Store, Clock: clock.System})
		if err != nil {
			t.Fatal(err)
		}
		e.Auth = who
		r.Get("/v1/things", e.Allow(domain.RoleViewer, edgetest.Answer(200, "things")))
		r.Post("/v1/things", e.Allow(domain.RoleMember, edgetest.Answer(201, "thing")))
		r.Patch("/v1/things/{id}", e.Allow(domain.RoleMember, edgetest.Answer(200, "thing")))
	})
}

// readable says whether a browser shows an answer to pages of the origin that is allowed.
func readable(h http.Header) bool {
	return h.Get("Access-Control-Allow-Origin") == friend && h.Get("Cross-Origin-Resource-Policy") == "cross-origin" &&
		strings.Contains(h.Get("Access-Control-Expose-Headers"), "Fermata-Event-Seq")
}

// TestPagesOfOtherOrigins verifies which origins may read responses and errors; no other origin can read or change
// anything.
func TestPagesOfOtherOrigins(t *testing.T) {
	for name, c := range map[string]struct {
		root, method, path string
		headers            []string
		status             int
		reads              bool
	}{
		"an allowed page reads":             {"", "GET", "/v1/things", []string{"Origin", friend, "Sec-Fetch-Site", "cross-site"}, 200, true},
		"an allowed page changes":           {"", "POST", "/v1/things", []string{"Origin", friend, "Sec-Fetch-Site", "cross-site"}, 201, true},
		"an allowed page, old browser":      {"", "POST", "/v1/things", []string{"Origin", friend}, 201, true},
		"it reads why it needs a key":       {servertest.RootKey, "GET", "/v1/things", []string{"Origin", friend, "Sec-Fetch-Site", "cross-site"}, 401, true},
		"with a key":                        {servertest.RootKey, "POST", "/v1/things", []string{"Origin", friend, "Sec-Fetch-Site", "cross-site", "Authorization", "Bearer " + servertest.RootKey}, 201, true},
		"it reads that there is nothing":    {"", "GET", "/v1/none", []string{"Origin", friend}, 404, true},
		"it reads which methods there are":  {"", "PUT", "/v1/things", []string{"Origin", friend}, 405, true},
		"it reads who is refused":           {"", "GET", "/v1/things", []string{"Origin", friend, "Host", "evil.example"}, 403, true},
		"another page":                      {"", "GET", "/v1/things", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403, false},
		"another page changes":              {"", "POST", "/v1/things", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403, false},
		"another page with a key":           {servertest.RootKey, "POST", "/v1/things", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Authorization", "Bearer " + servertest.RootKey}, 403, false},
		"one whose name begins the same":    {"", "GET", "/v1/things", []string{"Origin", friend + ".evil.example", "Sec-Fetch-Site", "cross-site"}, 403, false},
		"one below it":                      {"", "GET", "/v1/things", []string{"Origin", "https://x.app.example", "Sec-Fetch-Site", "cross-site"}, 403, false},
		"without TLS":                       {"", "GET", "/v1/things", []string{"Origin", "http://app.example", "Sec-Fetch-Site", "cross-site"}, 403, false},
		"on another port":                   {"", "GET", "/v1/things", []string{"Origin", friend + ":8443", "Sec-Fetch-Site", "cross-site"}, 403, false},
		"a sandbox":                         {"", "GET", "/v1/things", []string{"Origin", "null", "Sec-Fetch-Site", "cross-site"}, 403, false},
		"an image on the allowed page":      {"", "GET", "/v1/things", []string{"Referer", friend + "/", "Sec-Fetch-Site", "cross-site"}, 403, false},
		"a program":                         {"", "GET", "/v1/things", nil, 200, false},
		"asked before it changes":           {"", "OPTIONS", "/v1/things/1", []string{"Origin", friend, "Access-Control-Request-Method", "PATCH"}, 204, true},
		"asked before, on a closed server":  {servertest.RootKey, "OPTIONS", "/v1/things", []string{"Origin", friend, "Access-Control-Request-Method", "POST"}, 204, true},
		"asked before, for what is not":     {"", "OPTIONS", "/v1/none", []string{"Origin", friend, "Access-Control-Request-Method", "POST"}, 204, true},
		"OPTIONS that is no such question":  {"", "OPTIONS", "/v1/things", []string{"Origin", friend}, 204, true},
		"asked before by another":           {"", "OPTIONS", "/v1/things", []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"}, 204, false},
		"asked before, behind the same one": {"", "OPTIONS", "/v1/things", []string{"Origin", friend + "/", "Access-Control-Request-Method", "POST"}, 204, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := newFriendlyServer(t, c.root)
			res, body := e.Call(t, c.method, c.path, "", c.headers...)
			if res.StatusCode != c.status || readable(res.Header) != c.reads {
				t.Errorf("%d, readable %v: %v %s", res.StatusCode, readable(res.Header), res.Header, body)
			}
			if !c.reads && res.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("allowed for %q", res.Header.Get("Access-Control-Allow-Origin"))
			}
			if (res.Header.Get("Access-Control-Allow-Credentials") == "true") != c.reads || res.Header.Get("Vary") != "Origin" {
				t.Errorf("credentials %q, Vary %q", res.Header.Get("Access-Control-Allow-Credentials"), res.Header.Get("Vary"))
			}
		})
	}
}

// A browser asks before it sends a method or a header that forms cannot.
func TestPreflight(t *testing.T) {
	e := newFriendlyServer(t, servertest.RootKey)
	for path, want := range map[string]string{"/v1/things": "GET, HEAD, POST", "/v1/things/1": "PATCH", "/v1/none": "GET, POST, PUT, PATCH, DELETE"} {
		res, body := e.Call(t, http.MethodOptions, path, "", "Origin", friend, "Access-Control-Request-Method", "PATCH",
			"Access-Control-Request-Headers", "authorization", "Access-Control-Request-Private-Network", "true")
		h := res.Header
		if h.Get("Access-Control-Allow-Methods") != want || body != "" || h.Get("Access-Control-Max-Age") == "" || h.Get("Access-Control-Allow-Private-Network") != "true" {
			t.Errorf("%s: %v %q", path, h, body)
		}
		for _, name := range []string{"Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Fermata-Workspace", "User-Agent", "Last-Event-ID", "X-Request-ID", "Traceparent"} {
			if !strings.Contains(h.Get("Access-Control-Allow-Headers"), name) {
				t.Errorf("%s: %s is not taken: %s", path, name, h.Get("Access-Control-Allow-Headers"))
			}
		}
	}
}

// An event stream is read by an allowed page, with a ticket for what needs a key.
func TestStreamsForOtherOrigins(t *testing.T) {
	e := newFriendlyServer(t, servertest.RootKey)
	from := []string{"Origin", friend, "Sec-Fetch-Site", "cross-site"}
	_, body := e.Call(t, http.MethodPost, "/v1/stream-tickets", "", append(from, "Authorization", "Bearer "+servertest.RootKey)...)
	var ticket api.StreamTicket
	if err := json.Unmarshal([]byte(body), &ticket); err != nil {
		t.Fatal(err)
	}
	s := e.Listen(t, "/v1/events?ticket="+ticket.Ticket, from...)
	s.Want("0:snapshot")
	if !readable(s.Res.Header) {
		t.Errorf("not readable: %v", s.Res.Header)
	}
	s.Cancel()
}

// Every header that the contract names can be sent and read by pages of other origins.
func TestHeadersOfTheContractCrossOrigins(t *testing.T) {
	// What browsers let pass by themselves.
	safe := []string{"cache-control", "content-language", "content-length", "content-type", "expires", "last-modified", "pragma"}
	lower := func(list []string) []string { return strings.Split(strings.ToLower(list[0]), ", ") }
	takes, shows := lower(edge.CorsTakes), append(lower(edge.CorsShows), safe...)
	for path, item := range testkit.LoadContract(t).Paths.Map() {
		for method, op := range item.Operations() {
			for _, p := range append(item.Parameters, op.Parameters...) {
				if name := strings.ToLower(p.Value.Name); p.Value.In == "header" && !slices.Contains(takes, name) {
					t.Errorf("%s %s: %s cannot be sent", method, path, name)
				}
			}
			for status, res := range op.Responses.Map() {
				for name := range res.Value.Headers {
					if !slices.Contains(shows, strings.ToLower(name)) {
						t.Errorf("%s %s: %s of %s cannot be read", method, path, name, status)
					}
				}
			}
		}
	}
}
