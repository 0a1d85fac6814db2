package edge_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/clock"
)

func TestRequestID(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	for given, kept := range map[string]bool{
		"abc-123_x.y:z/+=~": true, "": false, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false,
		"with space": false, "é": false, "<script>": false, `"`: false,
	} {
		res, body := e.Call(t, http.MethodGet, "/none", "", "X-Request-ID", given)
		id := res.Header.Get("X-Request-ID")
		if (id == given) != kept || id == "" {
			t.Errorf("%q became %q", given, id)
		}
		if !kept && (len(id) != 28 || !strings.HasPrefix(id, "req_")) {
			t.Errorf("made %q", id)
		}
		if p := edgetest.ProblemIn(t, body); p.RequestID != id {
			t.Errorf("the problem says %q, the header %q", p.RequestID, id)
		}
	}
}

func TestPanicIsAProblemWithoutItsText(t *testing.T) {
	e := edgetest.New(t, "", clock.System, func(e *edgetest.Server, r chi.Router) {
		r.Get("/v1/panic", e.Allow(domain.RoleViewer, func(http.ResponseWriter, *http.Request) { panic("the secret") }))
		r.Get("/v1/late", e.Allow(domain.RoleViewer, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(strings.Repeat("x", 10_000)))
			panic("the secret")
		}))
	})
	res, body := e.Call(t, http.MethodGet, "/v1/panic", "")
	p := edgetest.ProblemIn(t, body)
	if res.StatusCode != http.StatusInternalServerError || p.Code != "internal" || strings.Contains(body, "secret") || p.Outcome != "unknown" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if log := e.Logged.String(); !strings.Contains(log, "the secret") || !strings.Contains(log, p.RequestID) {
		t.Errorf("the log does not say what happened:\n%s", log)
	}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, e.HTTP.URL+"/v1/late", nil)
	late, err := http.DefaultClient.Do(r)
	if err == nil {
		defer func() { _ = late.Body.Close() }()
		buf := make([]byte, 20_000)
		for err == nil {
			_, err = late.Body.Read(buf)
		}
		if err.Error() == "EOF" {
			t.Error("half an answer looks like a whole one")
		}
	}
}

func TestMethods(t *testing.T) {
	e := edgetest.New(t, "", clock.System, func(e *edgetest.Server, r chi.Router) {
		r.Get("/v1/things", e.Allow(domain.RoleViewer, edgetest.Answer(200, "things")))
		r.Post("/v1/things", e.Allow(domain.RoleMember, edgetest.Answer(201, "thing")))
	})
	res, body := e.Call(t, http.MethodPut, "/v1/things", "{}")
	if res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != "GET, HEAD, POST, OPTIONS" || edgetest.ProblemIn(t, body).Code != "method_not_allowed" {
		t.Errorf("%d, Allow %q, %s", res.StatusCode, res.Header.Get("Allow"), body)
	}
	res, body = e.Call(t, http.MethodOptions, "/v1/things", "", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST")
	if res.StatusCode != http.StatusNoContent || res.Header.Get("Allow") != "GET, HEAD, POST, OPTIONS" || res.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, body)
	}
	if res, body = e.Call(t, http.MethodHead, "/v1/things", ""); res.StatusCode != http.StatusOK || body != "" {
		t.Errorf("HEAD: %d %q", res.StatusCode, body)
	}
}

// A web page that the owner's browser shows may not act on the open door.
func TestOtherOrigins(t *testing.T) {
	done := 0
	e := edgetest.New(t, "", clock.System, func(e *edgetest.Server, r chi.Router) {
		r.Post("/v1/things", e.Allow(domain.RoleMember, func(w http.ResponseWriter, _ *http.Request) { done++; w.WriteHeader(http.StatusCreated) }))
		r.Get("/v1/things", e.Allow(domain.RoleViewer, edgetest.Answer(200, "secret things")))
	})
	for name, c := range map[string]struct {
		method  string
		headers []string
		want    int
	}{
		"a program":                     {http.MethodPost, nil, 201},
		"the page itself":               {http.MethodPost, []string{"Sec-Fetch-Site", "same-origin"}, 201},
		"another site":                  {http.MethodPost, []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, 403},
		"another port":                  {http.MethodPost, []string{"Sec-Fetch-Site", "same-site", "Origin", "http://127.0.0.1:1"}, 403},
		"an old browser":                {http.MethodPost, []string{"Origin", "https://evil.example"}, 403},
		"a rebound name":                {http.MethodPost, []string{"Host", "evil.example", "Sec-Fetch-Site", "same-origin"}, 403},
		"a rebound name reads":          {http.MethodGet, []string{"Host", "evil.example"}, 403},
		"a link from elsewhere (reads)": {http.MethodGet, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"an address that was typed":     {http.MethodGet, []string{"Sec-Fetch-Site", "none"}, 200},
	} {
		before := done
		res, body := e.Call(t, c.method, "/v1/things", "", c.headers...)
		if res.StatusCode != c.want || c.want == 403 && (done != before || strings.Contains(body, "secret")) {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
		if res.Header.Get("Access-Control-Allow-Origin") != "" || res.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: %v", name, res.Header)
		}
	}
}

func TestDraining(t *testing.T) {
	draining := false
	e := edgetest.New(t, "", clock.System, func(e *edgetest.Server, r chi.Router) {
		e.Draining = func() bool { return draining }
		r.Post("/v1/things", e.Allow(domain.RoleMember, edgetest.Answer(201, "")))
		r.Get("/v1/things", e.Allow(domain.RoleViewer, edgetest.Answer(200, "")))
	})
	if res, _ := e.Call(t, http.MethodPost, "/v1/things", ""); res.StatusCode != http.StatusCreated {
		t.Error(res.StatusCode)
	}
	draining = true
	res, body := e.Call(t, http.MethodPost, "/v1/things", "")
	if p := edgetest.ProblemIn(t, body); res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" || !p.Retryable || p.Outcome != "not_applied" {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, body)
	}
	if res, _ := e.Call(t, http.MethodGet, "/v1/things", ""); res.StatusCode != http.StatusOK {
		t.Error(res.StatusCode)
	}
}

func TestRoles(t *testing.T) {
	root := servertest.RootKey
	e := edgetest.New(t, root, clock.System, func(e *edgetest.Server, r chi.Router) {
		r.Get("/v1/things", e.Allow(domain.RoleMember, func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(edge.Caller(r).Workspace))
		}))
	})
	for name, c := range map[string]struct {
		headers []string
		status  int
		body    string
	}{
		"unknown credentials": {nil, 401, ""},
		"root":                {[]string{"Authorization", "Bearer " + root}, 200, "default"},
		"root of acme":        {[]string{"Authorization", "Bearer " + root, "Fermata-Workspace", "acme"}, 200, "acme"},
		"root of nowhere":     {[]string{"Authorization", "Bearer " + root, "Fermata-Workspace", "none"}, 404, ""},
		"a key of two roles":  {[]string{"Authorization", "Basic abc"}, 401, ""},
	} {
		res, body := e.Call(t, http.MethodGet, "/v1/things", "", c.headers...)
		if res.StatusCode != c.status || c.body != "" && body != c.body {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a route without a role is taken")
		}
	}()
	e.Allow("", edgetest.Answer(200, ""))
}

// refusing refuses everybody, each in its own way.
type refusing struct {
	servertest.RoleAuth

	err error
}

func (a refusing) Authenticate(*http.Request) (*auth.Identity, error) { return nil, a.err }

// TestBadCredentialsOfEveryKindAreLimited: whatever is wrong with what a caller shows, and however it
// was shown, refusals count for the address. What is no matter of credentials does not.
func TestBadCredentialsOfEveryKindAreLimited(t *testing.T) {
	for _, c := range []struct {
		code    domain.Code
		limited bool
	}{
		{domain.CodeUnauthenticated, true},
		{domain.CodeTokenInvalid, true},
		{domain.CodeTokenExpired, true},
		{domain.CodeTokenEarly, true},
		{domain.CodeForbidden, false},
		{domain.CodeIssuerUnavailable, false},
	} {
		w := servertest.NewWorld(t)
		w.Config.Edge.Auth = refusing{err: fmt.Errorf("a token of the issuer: %w", domain.Errorf(c.code, "no"))}
		w.Config.Edge.RateLimits = edge.RateLimits{FailuresPerSecond: 0.001, FailuresBurst: 2}
		h := handlers.New(w.Config)
		last := 0
		for range 3 {
			out := httptest.NewRecorder()
			h.ServeHTTP(out, httptest.NewRequest(http.MethodGet, "/v1/zones", nil))
			last = out.Code
		}
		if (last == http.StatusTooManyRequests) != c.limited {
			t.Errorf("%s: the third is answered with %d", c.code, last)
		}
	}
}

func TestTooManyRequests(t *testing.T) {
	e := edgetest.New(t, servertest.RootKey, clock.System, func(e *edgetest.Server, r chi.Router) {
		e.Failures = edge.NewLimiter(clock.System, 0.1, 2)
		r.Get("/v1/things", e.Allow(domain.RoleViewer, edgetest.Answer(200, "")))
	})
	for i, want := range []int{401, 401, 429} {
		res, body := e.Call(t, http.MethodGet, "/v1/things", "", "Authorization", "Bearer wrong")
		if res.StatusCode != want {
			t.Errorf("call %d: %d %s", i, res.StatusCode, body)
		}
		if want == 429 && (edgetest.Number(t, res.Header.Get("Retry-After")) < 1 || edgetest.ProblemIn(t, body).Code != "rate_limited") {
			t.Errorf("%v %s", res.Header, body)
		}
	}
	if res, _ := e.Call(t, http.MethodGet, "/v1/things", "", "Authorization", "Bearer "+servertest.RootKey); res.StatusCode != http.StatusOK {
		t.Errorf("good credentials were refused: %d", res.StatusCode)
	}
}

// measured remembers what was counted.
type measured struct {
	mu   sync.Mutex
	seen []string
	open int
}

func (m *measured) Request(route, method string, status int, _ time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, method+" "+route+" "+edgetest.StringOf(int64(status)))
}

func (m *measured) StreamReset() {}

func (m *measured) SignIn(string, string) {}

func (m *measured) Stream(delta int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open += delta
}

// What is counted and logged: routes, never paths, queries or bodies.
func TestLogAndMetrics(t *testing.T) {
	m := &measured{}
	e := edgetest.New(t, "", clock.System, func(e *edgetest.Server, r chi.Router) {
		e.Metrics = m
		r.Post("/v1/hooks/{id}/{token}", e.Allow(domain.RoleMember, edgetest.Answer(202, "")))
	})
	trace := "4bf92f3577b34da6a3ce929d0e0e4736"
	e.Call(t, http.MethodPost, "/v1/hooks/1/hidden?secret=1", "what people write", "X-Request-ID", "r1",
		"Traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
	e.Call(t, http.MethodGet, "/elsewhere/hidden", "")
	e.Listen(t, "/v1/events").Want("0:snapshot")
	log := e.Logged.String()
	for _, part := range []string{`"route":"/v1/hooks/{id}/{token}"`, `"request_id":"r1"`, `"status":202`, `"workspace":"default"`, `"by":"local"`, trace, `"route":"unmatched"`} {
		if !strings.Contains(log, part) {
			t.Errorf("no %s in\n%s", part, log)
		}
	}
	for _, secret := range []string{"hidden", "secret", "people"} {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log:\n%s", secret, log)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.seen) < 2 || m.seen[0] != "POST /v1/hooks/{id}/{token} 202" || m.seen[1] != "GET unmatched 404" || m.open != 1 {
		t.Errorf("%v, %d open", m.seen, m.open)
	}
}

// A client that leaves is no error and makes no noise.
func TestClientThatLeaves(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	e := edgetest.New(t, "", clock.System, func(e *edgetest.Server, r chi.Router) {
		r.Get("/v1/slow", e.Allow(domain.RoleViewer, func(w http.ResponseWriter, r *http.Request) {
			leave()
			<-r.Context().Done()
			e.Fail(w, r, r.Context().Err())
		}))
	})
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, e.HTTP.URL+"/v1/slow", nil)
	if res, err := http.DefaultClient.Do(r); err == nil {
		_ = res.Body.Close()
		t.Error("answered")
	}
	e.HTTP.Close() // waits for the handler
	if log := e.Logged.String(); strings.Contains(log, `"level":"error"`) || !strings.Contains(log, `"status":499`) {
		t.Errorf("log:\n%s", log)
	}
}

// What the edge adds to each request, without network and handler.
func BenchmarkEdge(b *testing.B) {
	root := servertest.RootKey
	e, handler := edgetest.Build(b, root, clock.System, func(e *edgetest.Server, r chi.Router) {
		e.Log = e.Log.Output(edgetest.Discard{})
		r.Post("/v1/sessions/{session_id}/messages", e.Allow(domain.RoleMember, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	})
	_ = e
	bare := chi.NewRouter()
	bare.Post("/v1/sessions/{session_id}/messages", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	for name, h := range map[string]http.Handler{"chi": bare, "edge": handler} {
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodPost, "/v1/sessions/ses_1/messages", nil)
			r.Header.Set("Authorization", "Bearer "+root)
			w := &edgetest.PipeWriter{Head: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.Head)
				h.ServeHTTP(w, r)
			}
		})
	}
}
