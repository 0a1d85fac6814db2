package repository

import (
	"context"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/migrations"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// Config locates the database and names the writing process.
type Config struct {
	// URL of a PostgreSQL server, or Path of a SQLite file: one of the two.
	URL  string
	Path string
	// DirectURL leads to the PostgreSQL server itself where URL leads to a pooler: what
	// needs a connection of its own goes there. Empty: URL.
	DirectURL string
	// Unprepared: the pooler does not know prepared statements (PgBouncer before 1.21).
	Unprepared bool
	// Node names this process among those that share the database; Incarnation is
	// random for each start of it.
	Node        string
	Incarnation string
	Clock       clock.Clock
	NewID       domain.IDSource
	// Encode gives an event its bytes, once its numbers are known. What it returns is
	// what every stream, history and webhook sends.
	Encode func(*domain.LogEvent) ([]byte, error)
	// Committed is called after each commit that wrote events, on the goroutine that
	// committed, with the change as it was stored. It must be quick. Optional.
	Committed func(*domain.Change)
	// AroundCommit, when set, carries out every COMMIT by calling what it is given. It
	// is the point at which a failure can be brought about. Optional.
	AroundCommit func(commit func() error) error
	// Connections bounds those to PostgreSQL, half of them for writing; 0 means 16.
	// With SQLite half of them read, and one writes.
	Connections int
}

// Store is the database of a server. It writes changes and the user's data itself; what
// else is read and kept has a store of its own for each aggregate.
type Store struct {
	*base

	Workspaces  *WorkspaceStore
	Sessions    *SessionStore
	Records     *RecordStore
	Events      *EventStore
	Approvals   *ApprovalStore
	Automations *AutomationStore
	Slot        *SlotStore
	Nodes       *NodeStore
	Requests    *RequestStore
	Keys        *KeyStore
	SignIns     *SignInStore
	Passkeys    *PasskeyStore
	Providers   *ProviderStore
	Secrets     *SecretStore
	Histories   *HistoryStore
	Webhooks    *WebhookStore
	Pushes      *PushStore
	Agents      *AgentStore
	Tasks       *TaskStore
	Connectors  *ConnectorStore
	Files       *FileStore
}

// base is what all of them stand on.
type base struct {
	cfg       Config
	db        *sqldb.DB
	search    search.Index
	settings  settingsCache
	standings standings

	connectorChanges connectorChanges
	reservedBeside   func(workspace string) float64 // nil: nothing is
}

// InUse says whether the database was not opened because another process holds its SQLite
// file.
func InUse(err error) bool {
	_, held := errors.AsType[*sqldb.HeldError](err)
	return held
}

// Open connects to the database. A SQLite file is made when it is missing, and held
// by one process at a time; the second one is refused.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	preparePacking()
	db, err := sqldb.Open(ctx, sqldb.Config{
		URL: cfg.URL, Path: cfg.Path, DirectURL: cfg.DirectURL, Unprepared: cfg.Unprepared, Connections: cfg.Connections,
		Migrations: sqldb.Migrations{SQLite: migrations.SQLite(), Postgres: migrations.Postgres()},
		Clock:      cfg.Clock, NewID: cfg.NewID, AroundCommit: cfg.AroundCommit,
	})
	if err != nil {
		return nil, err
	}
	b := &base{cfg: cfg, db: db, search: search.IndexOf(db.Dialect)}
	return &Store{
		base: b, Workspaces: &WorkspaceStore{b}, Sessions: &SessionStore{b}, Records: &RecordStore{b}, Events: &EventStore{b},
		Approvals: &ApprovalStore{b}, Automations: &AutomationStore{b}, Slot: &SlotStore{b}, Nodes: &NodeStore{base: b},
		Requests: &RequestStore{b, newKeysHeld()}, Keys: &KeyStore{b}, SignIns: &SignInStore{b}, Passkeys: &PasskeyStore{b},
		Providers: &ProviderStore{b}, Secrets: &SecretStore{b},
		Histories:  &HistoryStore{b},
		Webhooks:   &WebhookStore{b},
		Pushes:     &PushStore{b},
		Agents:     &AgentStore{b},
		Tasks:      &TaskStore{b},
		Connectors: &ConnectorStore{b},
		Files:      &FileStore{b},
	}, nil
}

// Migrate brings the schema up to date. Nodes that start together wait for each
// other.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.db.Migrate(ctx); err != nil {
		return err
	}
	return s.indexAgain(ctx)
}

// Ping says whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Kind is "sqlite" or "postgres".
func (s *Store) Kind() string { return s.db.Dialect.Name }

// Close ends every connection and gives the SQLite file free. Closing again does
// nothing.
func (s *Store) Close() error { return s.db.Close() }
