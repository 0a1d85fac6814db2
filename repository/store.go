package repository

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/jmoiron/sqlx"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Config says where the database is and whose hands write in it.
type Config struct {
	// URL of a PostgreSQL server, or Path of a SQLite file: one of the two.
	URL  string
	Path string
	// DirectURL leads to the PostgreSQL server itself where URL leads to a pooler: what
	// needs a connection of its own goes there. Empty: URL.
	DirectURL string
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

// Store is the database of a server.
type Store struct {
	cfg     Config
	dialect *dialect
	writes  *sqlx.DB // reached by tx.go alone
	stmts   *statements
	texts   texts
	reads   *readPool
	lock    *fileLock
	renewed atomic.Bool // this incarnation has held its lease
	closing sync.Once
	closed  error

	settings settingsCache
}

// Open connects to the database. A SQLite file is made when it is missing, and held
// by one process at a time; the second one is refused.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if (cfg.URL == "") == (cfg.Path == "") {
		return nil, errors.New("open the database: give a URL or a path, and only one of them")
	}
	if cfg.Connections == 0 {
		cfg.Connections = 16
	}
	half := max(cfg.Connections/2, 1)
	s := &Store{cfg: cfg, texts: texts{by: map[textKey]string{}}}
	var err error
	if cfg.Path != "" {
		if s.lock, err = lockFile(cfg.Path + ".lock"); err != nil {
			return nil, err
		}
		if err := private(cfg.Path); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.dialect, err = sqliteDialect(cfg.Path, half)
	} else {
		s.dialect, err = postgresDialect(cfg.URL, half, half)
	}
	if err == nil {
		err = s.connect(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// private makes the file before SQLite does, so that nobody else on the machine may
// read it. Its journal takes over the same rights.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("make the database file: %w", err)
	}
	return f.Close()
}

// connect opens both pools, the writing one first: it is the one that makes a SQLite
// file and its journal.
func (s *Store) connect(ctx context.Context) error {
	var err error
	if s.writes, err = s.dialect.openPool(false); err != nil {
		return err
	}
	s.stmts = newStatements(s.writes)
	if err := s.writes.PingContext(ctx); err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	db, err := s.dialect.openPool(true)
	if err != nil {
		return err
	}
	s.reads = &readPool{db: db, stmts: newStatements(db), dialect: s.dialect}
	return nil
}

// Migrate brings the schema up to date. Nodes that start together wait for each
// other.
func (s *Store) Migrate(ctx context.Context) error {
	// A pool of its own: the migrator needs more than one connection, and its
	// statements are not the store's.
	d := s.dialect
	if s.cfg.DirectURL != "" { // the migration's lock belongs to a connection
		var err error
		if d, err = postgresDialect(s.cfg.DirectURL, 4, 1); err != nil {
			return err
		}
	}
	db, err := d.open(false)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // its work is committed or failed by now
	db.SetMaxOpenConns(4)
	migrator, err := d.migrator(db)
	if err != nil {
		return err
	}
	if _, err := migrator.Up(ctx); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}

// Ping says whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.reads.get(ctx, &one, "SELECT 1")
}

// Kind is "sqlite" or "postgres".
func (s *Store) Kind() string { return s.dialect.name }

// Close ends every connection and gives the SQLite file free. Closing again does
// nothing.
func (s *Store) Close() error {
	s.closing.Do(func() { s.closed = s.close() })
	return s.closed
}

func (s *Store) close() error {
	var all []error
	if s.reads != nil {
		s.reads.stmts.close()
		all = append(all, s.reads.db.Close())
	}
	if s.writes != nil {
		s.stmts.close()
		all = append(all, s.writes.Close())
	}
	if s.lock != nil {
		all = append(all, s.lock.release())
	}
	return errors.Join(all...)
}
