package handlers

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

// placedAuth takes "workspace/name" as a bearer token, of an admin; "root" is the root key.
type placedAuth struct{ roleAuth }

func (placedAuth) Authenticate(r *http.Request) (*auth.Identity, error) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if token == "root" {
		return &auth.Identity{Workspace: domain.DefaultWorkspace, Role: domain.RoleRoot, Name: auth.NameRoot}, nil
	}
	workspace, name, ok := strings.Cut(token, "/")
	if !ok {
		return nil, domain.Errorf(domain.CodeUnauthenticated, "Who are you?")
	}
	return &auth.Identity{Workspace: workspace, Role: domain.RoleAdmin, Name: name}, nil
}

// tenants is the whole API for callers of several workspaces.
func (w *world) serveWorkspaces() http.Handler {
	w.config.Edge.Auth, w.config.Edge.RateLimits = placedAuth{}, RateLimits{PerSecond: 1e6, Burst: 1e6}
	return New(w.config)
}

// line is a connection whose deadline for reading is kept.
type line struct {
	*httptest.ResponseRecorder

	mu       sync.Mutex
	deadline time.Time
}

func (l *line) SetReadDeadline(at time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline = at
	return nil
}

// dribble sends its first bytes at once and then so few in each step; with none it is silent until its line
// gives it up.
type dribble struct {
	line        *line
	first, each int
	step        time.Duration
}

func (d *dribble) Read(p []byte) (int, error) {
	if d.first > 0 {
		n := min(len(p), d.first)
		d.first -= n
		return copy(p, strings.Repeat(" ", n)), nil
	}
	d.line.mu.Lock()
	deadline := d.line.deadline
	d.line.mu.Unlock()
	if wait := time.Until(deadline); d.each == 0 || wait < d.step {
		time.Sleep(wait)
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(d.step)
	return copy(p, strings.Repeat(" ", min(len(p), d.each))), nil
}

// send sends one body, and gives the answer and how long it took.
func sendBody(h http.Handler, path, token string, length int64, body func(*line) io.Reader) (*httptest.ResponseRecorder, time.Duration) {
	out := &line{ResponseRecorder: httptest.NewRecorder()}
	r := httptest.NewRequest(http.MethodPost, path, body(out))
	r.ContentLength = length
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	began := time.Now()
	h.ServeHTTP(out, r)
	return out.ResponseRecorder, time.Since(began)
}

// TestBodiesThatDoNotCome verifies that bodies that are announced and never sent, or sent a few bytes at a time,
// block no other workspace, no other key of the same workspace, and not the operator. They end with an error that
// states the reason.
func TestBodiesThatDoNotCome(t *testing.T) {
	fixtureFiles(t)
	for what, c := range map[string]struct {
		first, each int
		step        time.Duration
		length      int64
		ends        time.Duration // at most
	}{
		"silent":                                {0, 0, 0, -1, bodyGrace},
		"silent, of 10 MiB":                     {0, 0, 0, 10 << 20, bodyGrace},
		"begun, and silent":                     {200 << 10, 0, 0, 10 << 20, 23 * time.Second},
		"begun, of no length":                   {200 << 10, 0, 0, -1, 23 * time.Second},
		"a byte a second":                       {0, 1, time.Second, 10 << 20, bodyGrace},
		"a byte every four seconds, of 4 MB":    {100 << 10, 1, 4 * time.Second, 4 << 20, 17 * time.Second},
		"just fast enough, and too long for it": {0, leastRate, time.Second, -1, bodyWithin},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := runningWorld(t).serveWorkspaces()
				var all sync.WaitGroup
				for i := range 40 {
					all.Go(func() {
						path := []string{"/v1/files", "/v1/chat/completions", "/v1/agui", "/v1/tools/t/entries/import"}[i%4]
						got, took := sendBody(h, path, fmt.Sprintf("b/key_%d", i%5), c.length, func(l *line) io.Reader {
							return &dribble{l, c.first, c.each, c.step}
						})
						if got.Code == http.StatusTooManyRequests && c.first > 0 {
							return // its own key, or workspace, has too many of them
						}
						if took > c.ends+time.Second || path != "/v1/tools/t/entries/import" && (got.Code != http.StatusBadRequest || !strings.Contains(got.Body.String(), "too slowly")) {
							t.Errorf("%s: %d after %s: %s", path, got.Code, took, got.Body)
						}
					})
				}
				time.Sleep(5 * time.Second)
				for _, token := range []string{"default/key_a", "root", "default/key_b"} {
					text := strings.Repeat("a", 8<<20)
					got, took := sendBody(h, "/v1/files", token, int64(len(text)), func(*line) io.Reader { return strings.NewReader(text) })
					if got.Code != http.StatusCreated || took > 0 {
						t.Errorf("%s: %d after %s: %s", token, got.Code, took, got.Body)
					}
				}
				all.Wait()
			})
		})
	}
}

// readBodies serves a call that needs a key, and one that needs none. They do nothing but read their bodies.
func readBodies(e *edge) http.Handler {
	read := func(in func() any) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if err := e.read(w, r, in()); err != nil {
				e.fail(w, r, err)
			}
		}
	}
	routes := chi.NewRouter()
	routes.Post("/v1/heartbeat", e.requireRole(domain.RoleViewer, read(func() any { return &api.HeartbeatInput{} })))
	routes.Post("/v1/sign-in", read(func() any { return &api.KeySignIn{} }))
	return e.middleware(routes)
}

// filled is an account that a body of others fills.
func filled(l *ledger, a account) *hold {
	h := l.open(a)
	h.resize(1 << 30)
	return h
}

// TestRefusalsNameWhoUsedTheAccountUp verifies that an error names the account whose quota is exhausted and no
// other.
func TestRefusalsNameWhoUsedTheAccountUp(t *testing.T) {
	fixtureFiles(t)
	synctest.Test(t, func(t *testing.T) {
		w := runningWorld(t)
		config := w.config
		config.Edge.Auth = placedAuth{}
		s := newEdge(config.Edge, nil)
		h := readBodies(s)
		post := func(token string) string {
			text := `{"session_ids":["` + strings.Repeat("a", 100<<10) + `"]}`
			got, _ := sendBody(h, "/v1/heartbeat", token, int64(len(text)), func(*line) io.Reader { return strings.NewReader(text) })
			return fmt.Sprint(got.Code, " ", got.Header().Get("Retry-After"), " ", got.Body)
		}
		a := &auth.Identity{Workspace: "a", Name: "key_a"}
		for name, c := range map[string]struct {
			full  account
			token string
			want  string
		}{
			"its key":                 {ofKey("bodies", a, 0), "a/key_a", "Too much of this key is under way"},
			"its workspace":           {ofWorkspace("bodies", a, 0), "a/key_b", "Too much of this workspace is under way"},
			"its address":             {account{name: "bodies of address 192.0.2.1"}, "", "401"},
			"the server, its share":   {account{name: "bodies"}, "c/key_c", "422"},
			"the server, and the key": {account{name: "bodies"}, "root", "422"},
		} {
			taken := filled(s.unread, c.full)
			if got := post(c.token); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s", name, got)
			}
			taken.release()
		}
		c := &auth.Identity{Workspace: "c", Name: "key_d"}
		everybody, share := filled(s.unread, account{name: "bodies"}), filled(s.unread, ofWorkspace("bodies", c, 0))
		share.resize(shareOfBodies)
		if got := post("c/key_c"); !strings.Contains(got, "429 3") || !strings.Contains(got, "because of others' requests") {
			t.Errorf("beyond its share: %s", got)
		}
		share.release()
		everybody.release()
		if held, unsettled := s.unread.inUse(); len(held)+unsettled > 0 {
			t.Errorf("left behind: %v, %d", held, unsettled)
		}
	})
}

// TestBodiesWithoutCredentials verifies that requests without credentials share a quota per address.
func TestBodiesWithoutCredentials(t *testing.T) {
	fixtureFiles(t)
	synctest.Test(t, func(t *testing.T) {
		w := runningWorld(t)
		config := w.config
		config.Edge.Auth = placedAuth{}
		s := newEdge(config.Edge, nil)
		h := readBodies(s)
		taken := filled(s.unread, account{name: "bodies of address 192.0.2.1"})
		defer taken.release()
		text := `{"key":"` + strings.Repeat("a", 100<<10) + `"}`
		got, _ := sendBody(h, "/v1/sign-in", "", int64(len(text)), func(*line) io.Reader { return strings.NewReader(text) })
		if got.Code != http.StatusTooManyRequests || !strings.Contains(got.Body.String(), "this address") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}

// Of bodies that grow in one account the oldest comes to its end, however full the account is.
func TestTheOldestBodyComesToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLedger()
		own := account{name: "a", limit: 10, whose: thisKey}
		first, second := l.open(own), l.open(own)
		if first.grow(t.Context(), 6, 0) != nil || second.grow(t.Context(), 4, 0) != nil {
			t.Fatal("an account that is not full has no room")
		}
		if full := second.grow(t.Context(), 1, time.Second); full == nil || full.whose != thisKey {
			t.Errorf("the later one grows beyond the limit: %+v", full)
		}
		if first.grow(t.Context(), 100, 0) != nil {
			t.Error("the oldest one waits")
		}
		grown := make(chan *account)
		go func() { grown <- second.grow(t.Context(), 20, time.Minute) }()
		synctest.Wait()
		first.release()
		if <-grown != nil {
			t.Error("the next one is not the oldest now")
		}
		second.release()
		second.release()
		if len(l.held)+len(l.waiting)+len(l.growing) > 0 {
			t.Errorf("left behind: %v, %v", l.held, l.growing)
		}
	})
}
