package edge_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/clock"
)

// TestServesUnderPublicPath: behind a proxy that keeps the path of the public URL, and behind one that strips it,
// the same addresses work, and whatever the server says of its own addresses has the path.
func TestServesUnderPublicPath(t *testing.T) {
	w := servertest.OpenWorld(t, servertest.Wiring{RootKey: servertest.RootKey, PublicURL: "https://fermata.example/fermata", Clock: clock.System})
	w.Config.Edge.PublicURL = "https://fermata.example/fermata"
	h := handlers.New(w.Config)
	for proxy, prefix := range map[string]string{"keeps the path": "/fermata", "strips the path": ""} {
		ask := func(method, path, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), method, prefix+path, strings.NewReader(body))
			r.Header.Set("Authorization", "Bearer root")
			r.Header.Set("Content-Type", "application/json")
			got := httptest.NewRecorder()
			h.ServeHTTP(got, r)
			return got
		}
		for path, want := range map[string]struct {
			status int
			part   string
		}{
			"/": {200, "<p>page"}, "/v1/zones": {200, `"data"`}, "/v1/zones?limit=1": {200, `"data"`}, "/v1/sessions/ses_1": {200, "ses_1"},
			"/v1/agents/a%2Fb": {404, "not_found"}, "/problems/not_found": {200, `<a href="../problems">`},
			"/problems": {200, `<a href="problems/not_found">`}, "/healthz": {200, ""}, "/v1/nothing": {404, "not_found"},
		} {
			if got := ask("GET", path, ""); got.Code != want.status || !strings.Contains(got.Body.String(), want.part) {
				t.Errorf("a proxy that %s: GET %s: %d %.300s", proxy, path, got.Code, got.Body)
			}
		}
		made := ask("POST", "/v1/zones", `{"name":"`+proxy+`"}`)
		if to := made.Header().Get("Location"); made.Code != 201 || !strings.HasPrefix(to, "/fermata/v1/zones/zon_") {
			t.Errorf("a proxy that %s: %d, at %q: %s", proxy, made.Code, to, made.Body)
		}
		link := ask("POST", "/v1/approvals/apr_1/link", `{}`)
		address := link.Header().Get("Location")
		path, _ := strings.CutPrefix(address, "/fermata")
		if link.Code != 201 || !strings.HasPrefix(path, "/a/") ||
			!strings.Contains(link.Body.String(), `"https://fermata.example/fermata/a/`) {
			t.Errorf("a proxy that %s: %d, at %q: %s", proxy, link.Code, address, link.Body)
		}
		if card := ask("GET", path, ""); card.Code != 200 || !strings.Contains(card.Body.String(), `action="`+address+`"`) {
			t.Errorf("a proxy that %s: the card is %d %.2000s", proxy, card.Code, card.Body)
		}
	}
	for path, want := range map[string]string{"/fermata": "/fermata/", "/fermata?a=b": "/fermata/?a=b"} {
		got := httptest.NewRecorder()
		h.ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if to := got.Header().Get("Location"); got.Code != http.StatusPermanentRedirect || to != want {
			t.Errorf("%s: %d to %q", path, got.Code, to)
		}
	}
	got := httptest.NewRecorder()
	h.ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/fermatas/v1/zones", nil))
	if strings.Contains(got.Body.String(), "unauthenticated") {
		t.Errorf("another path is taken for the public one: %s", got.Body)
	}
}

// Addresses that were written to confuse the server are redirected nowhere else, set no header, and show no data
// to a caller without credentials.
func TestPublicPathOfOddAddresses(t *testing.T) {
	w := servertest.OpenWorld(t, servertest.Wiring{RootKey: servertest.RootKey, PublicURL: "https://fermata.example/fermata", Clock: clock.System})
	w.Config.Edge.PublicURL = "https://fermata.example/fermata"
	h := handlers.New(w.Config)
	for _, target := range []string{
		"/fermata?x=%0d%0aSet-Cookie:%20a=b", "/fermata?//b.example", "/fermata/", "/fermata//b.example", "/fermata//b.example/", "//b.example/fermata",
		"/fermata/%2fb.example", "/fermata/%2F%2Fb.example/..", "/fermata/%5cb.example", "/fermata/..;/v1/zones", "/fermata/../v1/zones",
		"/fermata/%2e%2e/v1/zones", "/fermata%2f", "/fermata%2fv1/zones", "/fermata/v1%2fzones", "/fermata//v1/zones", "/fermata/./v1/zones",
		"/fermata/fermata/v1/zones", "/FERMATA/v1/zones", "/fermata/v1/zones;a=b", "/fermata/v1/zones/", "/fermata/%0d%0aSet-Cookie:%20a=b",
		"/fermata;/v1/zones", "/fermata/v1/zones%00", "/fermat%61/v1/zones", "/fermata/v1/zones/..%2fsessions",
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
			r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
			r.Header.Set("Authorization", "Bearer nothing")
			got := httptest.NewRecorder()
			h.ServeHTTP(got, r)
			to := got.Header().Get("Location")
			if to != "" && (!strings.HasPrefix(to, "/fermata/") || strings.HasPrefix(to, "/fermata//") || strings.ContainsAny(to, "\r\n")) {
				t.Errorf("%s %s: redirected to %q", method, target, to)
			}
			if got.Header().Get("Set-Cookie") != "" || strings.Contains(got.Body.String(), `"data"`) {
				t.Errorf("%s %s: %d %v %.200s", method, target, got.Code, got.Header(), got.Body)
			}
		}
	}
}
