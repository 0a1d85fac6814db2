package harness

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/repository/suite"
)

// Databases are the two databases of every test, each with the newest schema and no rows: copies of
// a template, because the migrations from an empty database take seconds and have tests of their own.
var Databases = map[string]func(t testing.TB) app.Database{
	"sqlite": func(t testing.TB) app.Database {
		db := app.Database{DataDir: t.TempDir()}
		suite.MigratedSQLite(t, db.SQLitePath())
		return db
	},
	"postgres": func(t testing.TB) app.Database {
		return app.Database{DataDir: t.TempDir(), DatabaseURL: suite.MigratedPostgres(t)}
	},
}

// OnBoth runs a test on both databases.
func OnBoth(t *testing.T, story func(t *testing.T, db app.Database)) {
	t.Helper()
	for name, open := range Databases {
		t.Run(name, func(t *testing.T) { story(t, open(t)) })
	}
}

// FreshCopy gives a database of its own to each of several servers in one test.
func FreshCopy(t testing.TB, db app.Database) app.Database {
	if db.DatabaseURL != "" {
		return Databases["postgres"](t)
	}
	return Databases["sqlite"](t)
}

// Server is the whole server, started on a free port, as a client sees it.
type Server struct {
	T      testing.TB
	app    *app.App
	Parts  *app.Parts // what it is made of
	Config app.Config // what it was started with
	URL    string
	Key    string // sent with each call; optional
	// client holds every answer against the contract.
	client *http.Client

	Mu      sync.Mutex
	commits []*domain.Change
	newest  int64 // the number of the latest event among the commits so far
	// then is called after each commit, before its caller continues; optional.
	Then func(*domain.Change)
}

// NewServer starts a server. Every answer that its client gets is held against the
// contract.
func NewServer(t testing.TB, db app.Database, change ...func(*app.Config)) *Server {
	t.Helper()
	s := &Server{T: t}
	s.Config = app.Config{
		Database: db, Listen: "127.0.0.1:0", LeaseTTL: 15 * time.Second, EventRetention: 168 * time.Hour,
		LogLevel: "warn", NodeID: "test", ShutdownGrace: time.Second,
		ScriptProvider: true,
		SecretKey:      "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
	}
	s.Config.Log = zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)
	for _, c := range change {
		c(&s.Config)
	}
	s.Config.TestHooks.Wired = func(parts *app.Parts) { s.Parts = parts }
	s.Config.TestHooks.Committed = s.committed
	ctx := context.Background()
	a, err := app.New(ctx, s.Config)
	if err != nil {
		t.Fatalf("make the server: %v", err)
	}
	s.app = a
	if err := a.Start(ctx); err != nil {
		t.Fatalf("start the server: %v", err)
	}
	s.URL = a.URL()
	s.client = &http.Client{Transport: testkit.Contract(t, s.URL), Timeout: 30 * time.Second}
	t.Cleanup(s.Stop)
	return s
}

func (s *Server) committed(c *domain.Change) {
	s.Mu.Lock()
	s.commits = append(s.commits, c)
	for _, e := range c.Events {
		s.newest = max(s.newest, e.Seq)
	}
	then := s.Then
	s.Mu.Unlock()
	if then != nil {
		then(c)
	}
}

// TakeCommits gives what was committed in the default workspace since it was taken last. A request may see a commit before
// the server reports it: TakeCommits waits for the report.
func (s *Server) TakeCommits() []*domain.Change {
	s.T.Helper()
	w, err := s.Parts.Store.Workspaces.Workspace(context.Background(), domain.DefaultWorkspace)
	if err != nil {
		s.T.Fatalf("read the workspace: %v", err)
	}
	testkit.Until(s.T, "the latest commit to be reported", func() bool {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		return s.newest >= w.LastSeq
	})
	s.Mu.Lock()
	defer s.Mu.Unlock()
	all := s.commits
	s.commits = nil
	return all
}

// Stop ends the server; it may be called twice.
func (s *Server) Stop() {
	if s.app == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := s.app.Stop(ctx); err != nil {
		s.T.Errorf("stop the server: %v", err)
	}
	s.app = nil
}
