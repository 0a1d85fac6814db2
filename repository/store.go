package repository

import (
	"context"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/migrations"
	"github.com/fermata-dev/fermata/repository/automations"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/nodes"
	"github.com/fermata-dev/fermata/repository/outside"
	"github.com/fermata-dev/fermata/repository/people"
	"github.com/fermata-dev/fermata/repository/requests"
	"github.com/fermata-dev/fermata/repository/search"
	"github.com/fermata-dev/fermata/repository/userdata"
)

// Config locates the database and identifies the process.
type Config struct {
	// URL of a PostgreSQL server, or Path of a SQLite file: exactly one is set.
	URL  string
	Path string
	// DirectURL leads to the PostgreSQL server itself if URL leads to a connection pooler; what
	// needs a dedicated connection uses it. The default is URL.
	DirectURL string
	// Unprepared is set for a pooler without support for prepared statements (PgBouncer before
	// 1.21).
	Unprepared bool
	// Node names this process among those that share the database; Incarnation is random for each
	// start.
	Node        string
	Incarnation string
	Clock       clock.Clock
	NewID       domain.IDSource
	// Encode encodes an event once its numbers are known. Streams, histories and webhooks all send
	// these bytes.
	Encode func(*domain.LogEvent) ([]byte, error)
	// Committed is called after each commit that wrote events, on the committing goroutine, with
	// the change as it was userdata. It must not block. Optional.
	Committed func(*domain.Change)
	// AroundCommit, if set, wraps every COMMIT, so that tests can inject failures. Optional.
	AroundCommit func(commit func() error) error
	// Connections limits those to PostgreSQL, half of them for writing; 0 means 16. With SQLite
	// half of them read, and one writes.
	Connections int
}

// Store is the database of a server. It writes changes and the user's data itself; everything else
// is in a store per aggregate.
type Store struct {
	*base
	people.Stores

	Workspaces  *WorkspaceStore
	Sessions    *SessionStore
	Records     *RecordStore
	Events      *EventStore
	Approvals   *ApprovalStore
	Automations *automations.AutomationStore
	Slot        *SlotStore
	Nodes       *nodes.Store
	Requests    *requests.RequestStore
	Providers   *outside.ProviderStore
	Secrets     *outside.SecretStore
	Histories   *HistoryStore
	Webhooks    *outside.WebhookStore
	Pushes      *outside.PushStore
	Agents      *userdata.AgentStore
	Tasks       *outside.TaskStore
	Connectors  *outside.ConnectorStore
	Files       *userdata.FileStore
}

// base is shared by the stores of this package.
type base struct {
	cfg            Config
	db             *transaction.DB
	settings       settingsCache
	states         workspaceStates
	connectors     *outside.ConnectorStore
	reservedBeside func(workspace string) float64 // nil: nothing is reserved
}

// InUse reports whether opening failed because another process holds the SQLite file.
func InUse(err error) bool {
	_, held := errors.AsType[*sqldb.HeldError](err)
	return held
}

// Open connects to the database. A SQLite file is created if it is missing, and locked: a second
// process gets an error.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	preparePacking()
	opened, err := sqldb.Open(ctx, sqldb.Config{
		URL: cfg.URL, Path: cfg.Path, DirectURL: cfg.DirectURL, Unprepared: cfg.Unprepared, Connections: cfg.Connections,
		Migrations: sqldb.Migrations{SQLite: migrations.SQLite(), Postgres: migrations.Postgres()},
		Clock:      cfg.Clock, NewID: cfg.NewID, AroundCommit: cfg.AroundCommit,
	})
	if err != nil {
		return nil, err
	}
	db := &transaction.DB{
		DB: opened, Node: cfg.Node, Incarnation: cfg.Incarnation, Clock: cfg.Clock, NewID: cfg.NewID,
		Search: search.IndexOf(opened.Dialect), OnCommitted: cfg.Committed,
	}
	b := &base{
		cfg: cfg, db: db, connectors: outside.NewConnectorStore(db),
		states: workspaceStates{by: cache.Map[string, transaction.State]{Most: 10_000}},
	}
	return &Store{
		base:        b,
		Stores:      people.NewStores(db),
		Workspaces:  &WorkspaceStore{b},
		Sessions:    &SessionStore{b},
		Records:     &RecordStore{b},
		Events:      &EventStore{b},
		Approvals:   &ApprovalStore{b},
		Automations: automations.NewAutomationStore(db),
		Slot:        &SlotStore{b},
		Nodes:       nodes.NewStore(db),
		Requests:    requests.NewRequestStore(db),
		Providers:   outside.NewProviderStore(db),
		Secrets:     outside.NewSecretStore(db),
		Histories:   &HistoryStore{b},
		Webhooks:    outside.NewWebhookStore(db, b.apply),
		Pushes:      outside.NewPushStore(db),
		Agents:      userdata.NewAgentStore(db),
		Tasks:       outside.NewTaskStore(db),
		Connectors:  b.connectors,
		Files:       userdata.NewFileStore(db),
	}, nil
}

// Migrate updates the schema to the newest version. Nodes that start concurrently wait for each
// other.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.db.Migrate(ctx); err != nil {
		return err
	}
	return userdata.Reindex(ctx, s.db)
}

// Ping returns an error if the database does not respond.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Kind is "sqlite" or "postgres".
func (s *Store) Kind() string { return s.db.Dialect.Name }

// Close closes all connections and unlocks the SQLite file. It may be called again.
func (s *Store) Close() error { return s.db.Close() }
