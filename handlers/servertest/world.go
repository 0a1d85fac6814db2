package servertest

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
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/automations"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/outside"
	"github.com/fermata-dev/fermata/handlers/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/stream"
)

// Wiring is how a server is wired for a test.
type Wiring struct {
	Dir                string
	RootKey, PublicURL string
	Clock              clock.Clock
	NewID              domain.IDSource
	// Schedules starts the scheduler, which gives the slot to sessions that wait for it. Time must pass by itself.
	Schedules bool
}

// Behind is what stands behind the handlers of a server.
type Behind struct {
	Store  *repository.Store
	Broker *stream.Broker
	Stop   func()
}

var WorldTime = time.Date(2026, 3, 2, 12, 0, 0, 123456000, time.UTC)

// World is a complete server over its own database, which contains the fixture of story_test.go. It records what
// the handlers request from their ports.
type World struct {
	Behind
	Config handlers.Config
	Seen   *seen
}

// NewWorld opens a world, a minute after its story.
func NewWorld(tb testing.TB) *World {
	tb.Helper()
	return OpenWorld(tb, Wiring{RootKey: RootKey, PublicURL: "https://fermata.example", Clock: repeatable.Clock(WorldTime.Add(time.Minute))})
}

func OpenWorld(tb testing.TB, w Wiring) *World {
	tb.Helper()
	w.Dir = tb.TempDir()
	for name, text := range FixtureFiles(tb) {
		if err := os.WriteFile(filepath.Join(w.Dir, name), text, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return WiredWorld(tb, w)
}

// RunningWorld is one in which time passes as it does for the test.
func RunningWorld(tb testing.TB) *World {
	tb.Helper()
	return OpenWorld(tb, Wiring{RootKey: RootKey, PublicURL: "https://fermata.example", Clock: clock.System})
}

// ServeNamed is the whole API for callers who name their keys, of which each may do as much
// as the program allows by itself.
func (w *World) ServeNamed() http.Handler {
	w.Config.Edge.Auth, w.Config.Edge.RateLimits = NamedAuth{}, edge.RateLimits{}
	return handlers.New(w.Config)
}

func WiredWorld(tb testing.TB, wiring Wiring) *World {
	tb.Helper()
	w := &World{Seen: &seen{}}
	w.Config, w.Behind = WireServer(tb, wiring)
	tb.Cleanup(w.Stop)
	w.Config.Edge.Auth = RoleAuth{}
	w.Config.Edge.RateLimits = edge.RateLimits{PerSecond: 1e6, Burst: 1e6, FailuresPerSecond: 1e6, FailuresBurst: 1e6, HooksPerSecond: 1e6, HooksBurst: 1e6}
	w.Config.Web = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // that of the program may not be built
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<p>page"))
	})
	w.Config.Outside.Tasks.Callbacks = &service{Callbacks: w.Config.Outside.Tasks.Callbacks}
	w.Seen.watch(&w.Config)
	return w
}

// Serve runs the whole API over the world, and gives a client whose every exchange is held to the
// contract.
func (w *World) Serve(t *testing.T) *Client {
	t.Helper()
	return w.ServeWith(t, w.Config.Edge.RateLimits)
}

// ServeKeys is Serve where callers are let in as the program does, by their credentials.
func (w *World) ServeKeys(t *testing.T) *Client {
	t.Helper()
	who, ok := w.Config.People.Tokens.(edge.Authenticator)
	if !ok {
		t.Fatal("the tokens of people are not those of the authenticator")
	}
	w.Config.Edge.Auth = who
	return w.Serve(t)
}

// ServeWith is serve where it matters how often who may call.
func (w *World) ServeWith(t *testing.T, limits edge.RateLimits) *Client {
	t.Helper()
	config := w.Config
	config.Edge.RateLimits = limits
	return w.serveConfig(t, config)
}

// ServeAlone is serve with nothing behind the handlers that a body could go on to: whatever
// they do not refuse by themselves fails.
func (w *World) ServeAlone(t *testing.T) *Client {
	t.Helper()
	config := w.Config
	s := &config.Sessions
	s.Sessions, s.Again, s.Messages, s.Answers, s.RichText = nil, nil, nil, nil, missing{}
	config.UserData = userdata.Ports{}
	o := &config.Outside
	o.Connectors, o.Providers.Providers, o.Tasks.Callbacks = outside.ConnectorPorts{}, nil, &service{}
	config.Automations = automations.Ports{Runs: w.Config.Automations.Runs, Seeds: missing{}}
	config.People.Settings.Keys, config.People.Settings.Providers = nil, nil
	return w.serveConfig(t, config)
}

// missing implements Seeds without being able to resolve enrichments.
type missing struct{ automations.Seeds }

var errMissing = errors.New("not available")

func (missing) Resolve(context.Context, string, []domain.Segment) (*domain.RichContent, error) {
	return nil, errMissing
}

func (missing) ResolveSeed(context.Context, string, []domain.Segment) (*domain.RichContent, error) {
	return nil, errMissing
}

// Wait is until the session ses_1, or another one, is in a phase.
func (w *World) Wait(tb testing.TB, session string, phase domain.Phase) {
	tb.Helper()
	testkit.Until(tb, fmt.Sprintf("%s is in %s", session, phase), func() bool {
		s, err := w.Store.Sessions.Session(tb.Context(), domain.DefaultWorkspace, session)
		return err == nil && s.Phase == phase
	})
}

func (w *World) serveConfig(t *testing.T, config handlers.Config) *Client {
	t.Helper()
	srv := httptest.NewServer(handlers.New(config))
	t.Cleanup(func() {
		w.Broker.Drain()
		srv.Close()
	})
	contract := testkit.Contract(t, srv.URL)
	return &Client{T: t, URL: srv.URL, Contract: contract, HTTP: &http.Client{Transport: contract}}
}

// Newest is the number of the last event of a workspace.
func (w *World) Newest(tb testing.TB) int64 {
	tb.Helper()
	_, newest, err := w.Store.Events.EventBounds(tb.Context(), domain.DefaultWorkspace)
	if err != nil {
		tb.Fatal(err)
	}
	return newest
}

// Settings are the workspace's, as they are stored.
func (w *World) Settings(tb testing.TB) domain.Settings {
	tb.Helper()
	ws, err := w.Store.Workspaces.Workspace(tb.Context(), domain.DefaultWorkspace)
	if err != nil {
		tb.Fatal(err)
	}
	return ws.Settings
}

// Say puts a person's messages into the session ses_1.
func (w *World) Say(tb testing.TB, texts ...string) {
	tb.Helper()
	w.SayIn(tb, "ses_1", texts...)
}

func (w *World) SayIn(tb testing.TB, session string, texts ...string) {
	tb.Helper()
	w.changeIn(tb, session, func(s *domain.Session, c *domain.Change) {
		for _, text := range texts {
			m := &domain.Message{
				ID: ids.New(domain.PrefixMessage), WorkspaceID: s.WorkspaceID, SessionID: s.ID, Timestamp: WorldTime,
				Sender: domain.SenderUser, Status: domain.MessageStored, Rich: &domain.RichContent{LinearText: text},
			}
			c.Messages = append(c.Messages, m)
			c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: m})
		}
	})
}

// Change writes the session ses_1 as a driver would, to bring it where a story needs it.
func (w *World) Change(tb testing.TB, with func(*domain.Session, *domain.Change)) {
	tb.Helper()
	w.changeIn(tb, "ses_1", with)
}

func (w *World) changeIn(tb testing.TB, session string, with func(*domain.Session, *domain.Change)) {
	tb.Helper()
	s, err := w.Store.Sessions.Session(tb.Context(), domain.DefaultWorkspace, session)
	if err != nil {
		tb.Fatal(err)
	}
	c := &domain.Change{WorkspaceID: s.WorkspaceID, At: WorldTime, Sessions: []domain.SessionWrite{{Session: s}}}
	with(s, c)
	if err := w.Store.Commit(tb.Context(), c); err != nil {
		tb.Fatal(err)
	}
}

// RoleAuth takes the name of a role as a bearer token.
type RoleAuth struct{}

func (RoleAuth) Authenticate(r *http.Request) (*auth.Identity, error) {
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
func (RoleAuth) Still(context.Context, *auth.Identity) error { return nil }
func (RoleAuth) Changed()                                    {}
func (RoleAuth) ActFor(_ context.Context, id *auth.Identity, _, _ string) (*auth.Identity, error) {
	return id, nil
}
func (RoleAuth) Redeemed(*http.Request, *auth.Identity) error {
	return nil
}
func (RoleAuth) LocalPeer(r *http.Request) bool { return r.Header.Get("Authorization") == "" }

// FixtureFiles returns the files of a data directory with the fixture, built once for all tests.
func FixtureFiles(tb testing.TB) map[string][]byte {
	tb.Helper()
	fixture.once.Do(func() { fixture.files = buildFixture(tb) })
	if fixture.files == nil {
		tb.Fatal("the fixture could not be built")
	}
	return fixture.files
}

var fixture struct {
	once  sync.Once
	files map[string][]byte
}

// PlacedAuth takes "workspace/name" as a bearer token, of an admin; "root" is the root key.
type PlacedAuth struct{ RoleAuth }

func (PlacedAuth) Authenticate(r *http.Request) (*auth.Identity, error) {
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
func (w *World) ServeWorkspaces() http.Handler {
	w.Config.Edge.Auth, w.Config.Edge.RateLimits = PlacedAuth{}, edge.RateLimits{PerSecond: 1e6, Burst: 1e6}
	return handlers.New(w.Config)
}

const RootKey = "0123456789abcdefghijklmnopqrstuv"

// NamedAuth takes every bearer token for the name of a viewer's key.
type NamedAuth struct{ RoleAuth }

func (NamedAuth) Authenticate(r *http.Request) (*auth.Identity, error) {
	return &auth.Identity{Workspace: domain.DefaultWorkspace, Role: domain.RoleViewer, Name: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}, nil
}

// WaitingRun is a run that says it is done, and waits for a person to agree.
func (w *World) WaitingRun(t *testing.T, c *Client) string {
	t.Helper()
	c.Want(200, "PATCH", "/v1/automations/aut_1", `{"completion":"ask"}`)
	run := c.Want(202, "POST", "/v1/automations/aut_1/execute", "").Body["session"].(map[string]any)["id"].(string)
	w.Wait(t, run, domain.WaitingCompletionConfirmation)
	return run
}
