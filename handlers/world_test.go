package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/stream"
)

// Wiring is how a server is wired for a test.
type Wiring struct {
	Dir                string
	RootKey, PublicURL string
	Clock              clock.Clock
	NewID              domain.IDSource
}

// Behind is what stands behind the handlers of a server.
type Behind struct {
	Store  *repository.Store
	Broker *stream.Broker
	Stop   func()
}

// WireServer wires the server as the program does. Package app, which does it, imports this
// one: the tests outside this package say how.
var WireServer func(t testing.TB, w Wiring) (Config, Behind)

var worldTime = time.Date(2026, 3, 2, 12, 0, 0, 123456000, time.UTC)

// world is a complete server over its own database, which contains the fixture of story_test.go. It records what
// the handlers request from their ports.
type world struct {
	Behind
	config Config
	seen   *seen
}

// newWorld opens a world, a minute after its story.
func newWorld(t testing.TB) *world {
	t.Helper()
	return openWorld(t, Wiring{RootKey: aRootKey, PublicURL: "https://fermata.example", Clock: clock.Fixed(worldTime.Add(time.Minute))})
}

func openWorld(t testing.TB, w Wiring) *world {
	t.Helper()
	w.Dir = t.TempDir()
	for name, text := range fixtureFiles(t) {
		if err := os.WriteFile(filepath.Join(w.Dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return wiredWorld(t, w)
}

// runningWorld is one in which time passes as it does for the test.
func runningWorld(t testing.TB) *world {
	t.Helper()
	return openWorld(t, Wiring{RootKey: aRootKey, PublicURL: "https://fermata.example", Clock: clock.System})
}

// serveNamed is the whole API for callers who name their keys, of which each may do as much
// as the program allows by itself.
func (w *world) serveNamed() http.Handler {
	w.config.Edge.Auth, w.config.Edge.RateLimits = namedAuth{}, RateLimits{}
	return New(w.config)
}

func wiredWorld(t testing.TB, wiring Wiring) *world {
	t.Helper()
	w := &world{seen: &seen{}}
	w.config, w.Behind = WireServer(t, wiring)
	t.Cleanup(w.Stop)
	w.config.Edge.Auth = roleAuth{}
	w.config.Edge.RateLimits = RateLimits{PerSecond: 1e6, Burst: 1e6, FailuresPerSecond: 1e6, FailuresBurst: 1e6, HooksPerSecond: 1e6, HooksBurst: 1e6}
	w.config.Web = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // that of the program may not be built
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<p>page"))
	})
	w.config.Outside.Tasks.Callbacks = &service{Callbacks: w.config.Outside.Tasks.Callbacks}
	w.seen.watch(&w.config)
	return w
}

// serve runs the whole API over the world, and gives a client whose every exchange is held to the
// contract.
func (w *world) serve(t *testing.T) *testClient {
	t.Helper()
	return w.serveWith(t, w.config.Edge.RateLimits)
}

// serveWith is serve where it matters how often who may call.
func (w *world) serveWith(t *testing.T, limits RateLimits) *testClient {
	t.Helper()
	config := w.config
	config.Edge.RateLimits = limits
	return w.serveConfig(t, config)
}

// serveAlone is serve with nothing behind the handlers that a body could go on to: whatever
// they do not refuse by themselves fails.
func (w *world) serveAlone(t *testing.T) *testClient {
	t.Helper()
	config := w.config
	s := &config.Sessions
	s.Sessions, s.Again, s.Messages, s.Answers, s.RichText = nil, nil, nil, nil, missing{}
	config.UserData = DataPorts{}
	o := &config.Outside
	o.Connectors, o.Providers.Providers, o.Tasks.Callbacks = ConnectorPorts{}, nil, &service{}
	config.Automations = AutomationPorts{Runs: w.config.Automations.Runs, Seeds: missing{}}
	config.People.Settings.Keys, config.People.Settings.Providers = nil, nil
	return w.serveConfig(t, config)
}

// missing implements Seeds without being able to resolve enrichments.
type missing struct{ Seeds }

var errMissing = errors.New("not available")

func (missing) Resolve(context.Context, string, []domain.Segment) (*domain.RichContent, error) {
	return nil, errMissing
}

func (missing) ResolveSeed(context.Context, string, []domain.Segment) (*domain.RichContent, error) {
	return nil, errMissing
}

// wait is until the session ses_1, or another one, is in a phase.
func (w *world) wait(t testing.TB, session string, phase domain.Phase) {
	t.Helper()
	testkit.Until(t, fmt.Sprintf("%s is in %s", session, phase), func() bool {
		s, err := w.Store.Sessions.Session(t.Context(), domain.DefaultWorkspace, session)
		return err == nil && s.Phase == phase
	})
}

func (w *world) serveConfig(t *testing.T, config Config) *testClient {
	t.Helper()
	srv := httptest.NewServer(New(config))
	t.Cleanup(func() {
		w.Broker.Drain()
		srv.Close()
	})
	contract := testkit.Contract(t, srv.URL)
	return &testClient{t: t, url: srv.URL, contract: contract, http: &http.Client{Transport: contract}}
}

// newest is the number of the last event of a workspace.
func (w *world) newest(t testing.TB) int64 {
	t.Helper()
	_, newest, err := w.Store.Events.EventBounds(t.Context(), domain.DefaultWorkspace)
	if err != nil {
		t.Fatal(err)
	}
	return newest
}

// settings are the workspace's, as they are stored.
func (w *world) settings(t testing.TB) domain.Settings {
	t.Helper()
	ws, err := w.Store.Workspaces.Workspace(t.Context(), domain.DefaultWorkspace)
	if err != nil {
		t.Fatal(err)
	}
	return ws.Settings
}

// say puts a person's messages into the session ses_1.
func (w *world) say(t testing.TB, texts ...string) {
	t.Helper()
	w.sayIn(t, "ses_1", texts...)
}

func (w *world) sayIn(t testing.TB, session string, texts ...string) {
	t.Helper()
	w.changeIn(t, session, func(s *domain.Session, c *domain.Change) {
		for _, text := range texts {
			m := &domain.Message{
				ID: ids.New(domain.PrefixMessage), WorkspaceID: s.WorkspaceID, SessionID: s.ID, Timestamp: worldTime,
				Sender: domain.SenderUser, Status: domain.MessageStored, Rich: &domain.RichContent{LinearText: text},
			}
			c.Messages = append(c.Messages, m)
			c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: m})
		}
	})
}

// change writes the session ses_1 as a driver would, to bring it where a story needs it.
func (w *world) change(t testing.TB, with func(*domain.Session, *domain.Change)) {
	t.Helper()
	w.changeIn(t, "ses_1", with)
}

func (w *world) changeIn(t testing.TB, session string, with func(*domain.Session, *domain.Change)) {
	t.Helper()
	s, err := w.Store.Sessions.Session(t.Context(), domain.DefaultWorkspace, session)
	if err != nil {
		t.Fatal(err)
	}
	c := &domain.Change{WorkspaceID: s.WorkspaceID, At: worldTime, Sessions: []domain.SessionWrite{{Session: s}}}
	with(s, c)
	if err := w.Store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// roleAuth takes the name of a role as a bearer token.
type roleAuth struct{}

func (roleAuth) Authenticate(r *http.Request) (*auth.Identity, error) {
	role := domain.Role(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if !domain.RoleRoot.Allows(role) {
		return nil, domain.Errorf(domain.CodeUnauthenticated, "Who are you?")
	}
	workspace := r.Header.Get("Fermata-Workspace")
	if workspace == "" {
		workspace = domain.DefaultWorkspace
	}
	return &auth.Identity{Workspace: workspace, Role: role, Name: "key_" + string(role), Method: auth.MethodKey}, nil
}
func (roleAuth) Still(context.Context, *auth.Identity) error { return nil }
func (roleAuth) Changed()                                    {}
func (roleAuth) Redeemed(*http.Request, *auth.Identity) error {
	return nil
}
func (roleAuth) LocalPeer(r *http.Request) bool { return r.Header.Get("Authorization") == "" }

// fixtureFiles returns the files of a data directory with the fixture, built once for all tests.
func fixtureFiles(t testing.TB) map[string][]byte {
	t.Helper()
	fixture.once.Do(func() { fixture.files = buildFixture(t) })
	if fixture.files == nil {
		t.Fatal("the fixture could not be built")
	}
	return fixture.files
}

var fixture struct {
	once  sync.Once
	files map[string][]byte
}
