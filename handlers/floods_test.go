package handlers

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// calls are the requests to doors that read by a body. Another one that a viewer may use, and that is not
// here, fails TestFloods.
var calls = map[string][]string{
	"POST /mcp": {
		mcpCall("get_session", `{"session_id":"ses_1"}`), mcpCall("get_session", `{"session_id":"ses_1","messages":200}`),
		mcpCall("list_sessions", `{"limit":200}`), mcpCall("list_pending", `{"limit":200}`), mcpCall("describe_data", `{}`),
		mcpCall("query_data", `{"search":"a"}`),
	},
	"POST /v1/completions": {`{"model":"fermata","prompt":"a"}`}, "POST /v1/embeddings": {`{"model":"fermata","input":"a"}`}, // refused
}

func mcpCall(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

var inPath = regexp.MustCompile(`\{([a-z_]+)\}`)

// ids are of what there is in the story; what there is not costs a refusal.
var storyIDs = map[string]string{
	"session_id": "ses_1", "id": "ses_1", "zone_id": "zon_1", "tool_id": "tol_1", "entry_id": "ent_1", "document_id": "doc_1",
	"automation_id": "aut_1", "approval_id": "apr_1", "file_id": "fil_1", "agent_id": "agt_1", "response_id": "resp_1",
}

// TestFloods asks every route and every door that a viewer reads by, many times at once with one key, and reads none of the
// answers: what waits for that key stays within its account, nothing is held when it has left, and another
// workspace is served at once. Routes come from the table and doors from the program: a new one is in it.
func TestFloods(t *testing.T) {
	fixtureFiles(t)
	type request struct{ method, pattern, body string }
	var all []request
	w := newWorld(t)
	for _, r := range newServer(w.config).all() {
		if r.method == http.MethodGet && r.role != public {
			all = append(all, request{r.method, r.pattern, ""})
		}
	}
	for _, d := range w.config.Outside.Protocols {
		bodies, known := calls[d.Method+" "+d.Pattern]
		if d.Role != viewer {
			continue // it writes: what many of them do to each other is no matter of who reads
		}
		if d.Method == http.MethodGet {
			bodies, known = []string{""}, true
		}
		if !known {
			t.Errorf("%s %s: no test says how the door is called", d.Method, d.Pattern)
		}
		for _, body := range bodies {
			all = append(all, request{d.Method, d.Pattern, body})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		w := runningWorld(t)
		w.say(t, strings.Repeat("a", 3_500_000))
		w.config.Edge.Auth, w.config.Edge.RateLimits = placedAuth{}, RateLimits{PerSecond: 1e6, Burst: 1e6}
		s := newServer(w.config)
		h := s.middleware(s.routes())
		for _, asked := range all {
			path := inPath.ReplaceAllStringFunc(asked.pattern, func(in string) string { return storyIDs[strings.Trim(in, "{}")] })
			if strings.HasSuffix(path, "/stream") {
				path += "?after=0"
			}
			flood(t, s, h, asked.method, path, asked.body)
		}
		w.Broker.Drain()
	})
}

// flood asks for one thing, over and over.
func flood(t *testing.T, s *server, h http.Handler, method, path, body string) {
	ctx, leave := context.WithCancel(t.Context())
	ask := func(token, method, path, body string, out http.ResponseWriter) {
		r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		defer func() {
			if broken := recover(); broken != nil && broken != http.ErrAbortHandler { // as an http.Server does
				panic(broken)
			}
		}()
		h.ServeHTTP(out, r)
	}
	what := fmt.Sprintf("%s %s %.100s", method, path, body)
	var held gauge
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() { ask("default/greedy", method, path, body, &stuck{header: http.Header{}, held: &held}) })
	}
	time.Sleep(time.Second)
	began := time.Now()
	got := httptest.NewRecorder()
	if ask("b/key", http.MethodGet, "/v1/zones", "", got); got.Code != http.StatusOK || time.Since(began) > 0 {
		t.Errorf("%s: another workspace got %d after %s", what, got.Code, time.Since(began))
	}
	time.Sleep(time.Minute)
	leave()
	all.Wait()
	if held.most > maxHeldByKey {
		t.Errorf("%s: %d bytes wait for one key", what, held.most)
	}
	s.unread.mu.Lock()
	defer s.unread.mu.Unlock()
	if len(s.unread.held)+len(s.unread.waiting)+len(s.unread.growing) > 0 {
		t.Errorf("%s: left behind: %v", what, s.unread.held)
	}
}

// atOnce is how many ask at a time. Without an account, what they ask for is more than one holds.
const atOnce = 40

// lapsing are credentials that end at some time.
type lapsing struct {
	roleAuth

	ended *atomic.Bool
	with  error
}

func (a lapsing) Still(context.Context, *auth.Identity) error {
	if a.ended.Load() {
		return a.with
	}
	return nil
}

// waiting is a door whose handler asks nothing but the context.
type waiting struct{ over chan error }

func (d waiting) Serve(_ http.ResponseWriter, r *http.Request, _ *auth.Identity, _ []byte) error {
	<-r.Context().Done()
	d.over <- context.Cause(r.Context())
	return nil
}

// A request that lasts ends within a minute of its credential, whatever its handler does; a database that
// does not answer ends none.
func TestARevokedKeyEndsWhateverLasts(t *testing.T) {
	fixtureFiles(t)
	for what, c := range map[string]struct {
		with error
		ends bool
	}{
		"a revoked key":    {domain.Errorf(domain.CodeUnauthenticated, "no"), true},
		"an expired token": {domain.Errorf(domain.CodeTokenExpired, "no"), true},
		"no database":      {domain.Errorf(domain.CodeUnavailable, "no"), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := runningWorld(t)
			ended, door := &atomic.Bool{}, waiting{make(chan error, 1)}
			w.config.Edge.Auth = lapsing{ended: ended, with: c.with}
			s := newServer(w.config)
			routes := chi.NewRouter()
			routes.Get("/v1/anything", s.requireRole(domain.RoleViewer, func(w http.ResponseWriter, r *http.Request) { _ = door.Serve(w, r, nil, nil) }))
			handler := s.middleware(routes)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/anything", nil)
			r.Header.Set("Authorization", "Bearer viewer")
			go handler.ServeHTTP(httptest.NewRecorder(), r)
			time.Sleep(10 * time.Minute)
			if len(door.over) > 0 {
				t.Fatalf("%s: it ended before", what)
			}
			ended.Store(true)
			time.Sleep(time.Minute)
			if over := len(door.over) > 0; over != c.ends {
				t.Errorf("%s: ended: %v", what, over)
			}
			if c.ends {
				if err := <-door.over; domain.ErrorCode(err) != domain.ErrorCode(c.with) {
					t.Errorf("%s: ended with %v", what, err)
				}
			}
			leave()
			synctest.Wait()
		})
	}
}

// keeping holds on to the context of a request, as a query does that waits for its end beside the answer.
type keeping struct {
	roleAuth

	ctx  context.Context
	done <-chan struct{}
}

func (k *keeping) Authenticate(r *http.Request) (*auth.Identity, error) {
	k.ctx, k.done = r.Context(), r.Context().Done()
	return k.roleAuth.Authenticate(r)
}

// What was handed the context of a request may read it at any time, from any goroutine: it never changes.
func TestContextOfARequestDoesNotChange(t *testing.T) {
	w := openWorld(t, Wiring{Clock: clock.System})
	k := &keeping{}
	w.config.Edge.Auth = k
	s := newServer(w.config)
	routes := chi.NewRouter()
	routes.Get("/v1/anything", s.requireRole(domain.RoleViewer, func(_ http.ResponseWriter, r *http.Request) {
		if k.ctx.Done() != k.done {
			t.Error("the context that identified the caller is another one now")
		}
		if exchangeOf(r) == nil {
			t.Error("the handler's context has lost the request")
		}
	}))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/anything", nil)
	r.Header.Set("Authorization", "Bearer viewer")
	answer := httptest.NewRecorder()
	s.middleware(routes).ServeHTTP(answer, r)
	if answer.Code != http.StatusOK {
		t.Errorf("answered with %d", answer.Code)
	}
}
