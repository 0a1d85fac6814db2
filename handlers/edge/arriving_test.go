package edge_test

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
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

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
	servertest.FixtureFiles(t)
	for what, c := range map[string]struct {
		first, each int
		step        time.Duration
		length      int64
		ends        time.Duration // at most
	}{
		"silent":                                {0, 0, 0, -1, edge.BodyGrace},
		"silent, of 10 MiB":                     {0, 0, 0, 10 << 20, edge.BodyGrace},
		"begun, and silent":                     {200 << 10, 0, 0, 10 << 20, 23 * time.Second},
		"begun, of no length":                   {200 << 10, 0, 0, -1, 23 * time.Second},
		"a byte a second":                       {0, 1, time.Second, 10 << 20, edge.BodyGrace},
		"a byte every four seconds, of 4 MB":    {100 << 10, 1, 4 * time.Second, 4 << 20, 17 * time.Second},
		"just fast enough, and too long for it": {0, edge.LeastRate, time.Second, -1, edge.BodyWithin},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := servertest.RunningWorld(t).ServeWorkspaces()
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
func readBodies(e *edge.Edge) http.Handler {
	read := func(in func() any) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if err := e.Read(w, r, in()); err != nil {
				e.Fail(w, r, err)
			}
		}
	}
	routes := chi.NewRouter()
	routes.Post("/v1/heartbeat", e.RequireRole(domain.RoleViewer, read(func() any { return &api.HeartbeatInput{} })))
	routes.Post("/v1/sign-in", read(func() any { return &api.KeySignIn{} }))
	return e.Middleware(routes)
}

// filled is an account that a body of others fills.
func filled(l *edge.Ledger, a edge.Account) *edge.Hold {
	h := l.Open(a)
	h.Resize(1 << 30)
	return h
}

// TestRefusalsNameWhoUsedTheAccountUp verifies that an error names the account whose quota is exhausted and no
// other.
func TestRefusalsNameWhoUsedTheAccountUp(t *testing.T) {
	servertest.FixtureFiles(t)
	synctest.Test(t, func(t *testing.T) {
		w := servertest.RunningWorld(t)
		config := w.Config
		config.Edge.Auth = servertest.PlacedAuth{}
		s := edge.New(config.Edge, nil)
		h := readBodies(s)
		post := func(token string) string {
			text := `{"session_ids":["` + strings.Repeat("a", 100<<10) + `"]}`
			got, _ := sendBody(h, "/v1/heartbeat", token, int64(len(text)), func(*line) io.Reader { return strings.NewReader(text) })
			return fmt.Sprint(got.Code, " ", got.Header().Get("Retry-After"), " ", got.Body)
		}
		a := &auth.Identity{Workspace: "a", Name: "key_a"}
		for name, c := range map[string]struct {
			full  edge.Account
			token string
			want  string
		}{
			"its key":                 {edge.OfKey("bodies", a, 0), "a/key_a", "Too much of this key is under way"},
			"its workspace":           {edge.OfWorkspace("bodies", a, 0), "a/key_b", "Too much of this workspace is under way"},
			"its address":             {edge.Account{Name: "bodies of address 192.0.2.1"}, "", "401"},
			"the server, its share":   {edge.Account{Name: "bodies"}, "c/key_c", "422"},
			"the server, and the key": {edge.Account{Name: "bodies"}, "root", "422"},
		} {
			taken := filled(s.Ledger, c.full)
			if got := post(c.token); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s", name, got)
			}
			taken.Release()
		}
		c := &auth.Identity{Workspace: "c", Name: "key_d"}
		everybody, share := filled(s.Ledger, edge.Account{Name: "bodies"}), filled(s.Ledger, edge.OfWorkspace("bodies", c, 0))
		share.Resize(edge.ShareOfBodies)
		if got := post("c/key_c"); !strings.Contains(got, "429 3") || !strings.Contains(got, "because of others' requests") {
			t.Errorf("beyond its share: %s", got)
		}
		share.Release()
		everybody.Release()
		if held, unsettled := s.Ledger.InUse(); len(held)+unsettled > 0 {
			t.Errorf("left behind: %v, %d", held, unsettled)
		}
	})
}

// TestBodiesWithoutCredentials verifies that requests without credentials share a quota per address.
func TestBodiesWithoutCredentials(t *testing.T) {
	servertest.FixtureFiles(t)
	synctest.Test(t, func(t *testing.T) {
		w := servertest.RunningWorld(t)
		config := w.Config
		config.Edge.Auth = servertest.PlacedAuth{}
		s := edge.New(config.Edge, nil)
		h := readBodies(s)
		taken := filled(s.Ledger, edge.Account{Name: "bodies of address 192.0.2.1"})
		defer taken.Release()
		text := `{"key":"` + strings.Repeat("a", 100<<10) + `"}`
		got, _ := sendBody(h, "/v1/sign-in", "", int64(len(text)), func(*line) io.Reader { return strings.NewReader(text) })
		if got.Code != http.StatusTooManyRequests || !strings.Contains(got.Body.String(), "this address") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}
