package edge_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/clock"
)

// lapsing are credentials that end at some time.
type lapsing struct {
	servertest.RoleAuth

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
	servertest.FixtureFiles(t)
	for what, c := range map[string]struct {
		with error
		ends bool
	}{
		"a revoked key":    {domain.Errorf(domain.CodeUnauthenticated, "no"), true},
		"an expired token": {domain.Errorf(domain.CodeTokenExpired, "no"), true},
		"a blocked person": {domain.Errorf(domain.CodePersonBlocked, "no"), true},
		"no database":      {domain.Errorf(domain.CodeUnavailable, "no"), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := servertest.RunningWorld(t)
			ended, door := &atomic.Bool{}, waiting{make(chan error, 1)}
			w.Config.Edge.Auth = lapsing{ended: ended, with: c.with}
			s := edge.New(w.Config.Edge, nil)
			routes := chi.NewRouter()
			routes.Get("/v1/anything", s.RequireRole(domain.RoleViewer, func(w http.ResponseWriter, r *http.Request) { _ = door.Serve(w, r, nil, nil) }))
			handler := s.Middleware(routes)
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
	servertest.RoleAuth

	ctx  context.Context
	done <-chan struct{}
}

func (k *keeping) Authenticate(r *http.Request) (*auth.Identity, error) {
	k.ctx, k.done = r.Context(), r.Context().Done()
	return k.RoleAuth.Authenticate(r)
}

// What was handed the context of a request may read it at any time, from any goroutine: it never changes.
func TestContextOfARequestDoesNotChange(t *testing.T) {
	w := servertest.OpenWorld(t, servertest.Wiring{Clock: clock.System})
	k := &keeping{}
	w.Config.Edge.Auth = k
	s := edge.New(w.Config.Edge, nil)
	routes := chi.NewRouter()
	routes.Get("/v1/anything", s.RequireRole(domain.RoleViewer, func(_ http.ResponseWriter, r *http.Request) {
		if k.ctx.Done() != k.done {
			t.Error("the context that identified the caller is another one now")
		}
		if edge.ExchangeOf(r) == nil {
			t.Error("the handler's context has lost the request")
		}
	}))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/anything", nil)
	r.Header.Set("Authorization", "Bearer viewer")
	answer := httptest.NewRecorder()
	s.Middleware(routes).ServeHTTP(answer, r)
	if answer.Code != http.StatusOK {
		t.Errorf("answered with %d", answer.Code)
	}
}
