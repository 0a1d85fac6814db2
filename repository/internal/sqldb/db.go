package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/jmoiron/sqlx"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Config locates the database.
type Config struct {
	// URL of a PostgreSQL server, or Path of a SQLite file: exactly one is set.
	URL  string
	Path string
	// DirectURL leads to the PostgreSQL server itself if URL leads to a connection pooler; what
	// needs a dedicated connection uses it. The default is URL.
	DirectURL string
	// Unprepared: URL leads to a pooler in transaction mode without support for prepared statements
	// (PgBouncer before 1.21). Every statement then runs in a transaction and none is prepared,
	// which costs two more round trips for each.
	Unprepared bool
	// Connections limits those to PostgreSQL, half of them for writing; 0 means 16. With SQLite
	// half of them read, and one writes.
	Connections int
	// Migrations create the schema.
	Migrations Migrations
	Clock      clock.Clock
	NewID      domain.IDSource
	// AroundCommit, if set, wraps every COMMIT, so that tests can inject failures. Optional.
	AroundCommit func(commit func() error) error
}

// Migrations are the migration files of each database.
type Migrations struct{ SQLite, Postgres fs.FS }

// DB is an open database. Its own reads each see an instant of their own; Read gives several reads
// one snapshot, and only Write can write.
type DB struct {
	*readPool
	// Dialect holds the differences between the two databases.
	Dialect *Dialect

	cfg     Config
	writes  *sqlx.DB    // used by tx.go and writer.go only
	stmts   *statements // of writes; nil with SQLite
	writer  *writer     // the writing connection of SQLite; nil with PostgreSQL
	texts   texts
	lock    *fileLock
	ownLock *fileLock // of the database file itself
	closing sync.Once
	closed  error
}

// Open connects to the database. A SQLite file is created if it is missing, and locked: a second
// process gets an error.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	if (cfg.URL == "") == (cfg.Path == "") {
		return nil, errors.New("open the database: give a URL or a path, and only one of them")
	}
	if cfg.Connections == 0 {
		cfg.Connections = 16
	}
	half := max(cfg.Connections/2, 1)
	db := &DB{cfg: cfg, texts: texts{by: map[textKey]string{}}}
	var err error
	if cfg.Path != "" {
		if db.lock, err = lockFile(cfg.Path + ".lock"); err != nil {
			return nil, err
		}
		if err := makePrivate(cfg.Path); err != nil {
			return nil, errors.Join(err, db.Close())
		}
		if db.ownLock, err = lockDatabase(cfg.Path); err != nil {
			return nil, errors.Join(err, db.Close())
		}
		db.Dialect, err = sqliteDialect(cfg.Path, half)
	} else {
		db.Dialect, err = postgresDialect(cfg.URL, half, half)
	}
	if err == nil {
		err = db.connect(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// makePrivate creates the file before SQLite does, so that no other user of the machine can read
// it. SQLite gives its journal the same mode.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("make the database file: %w", err)
	}
	return f.Close()
}

// connect opens both pools, the writing one first: it creates a SQLite file and its journal.
func (db *DB) connect(ctx context.Context) error {
	var err error
	if db.writes, err = db.Dialect.openPool(false); err != nil {
		return err
	}
	if err := db.writes.PingContext(ctx); err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	if db.cfg.Path == "" {
		db.stmts = newStatements(db.preparing(db.writes))
	} else {
		db.writer = &writer{db: db}
	}
	pool, err := db.Dialect.openPool(true)
	if err != nil {
		return err
	}
	db.readPool = &readPool{db: pool, stmts: newStatements(db.preparing(pool)), dialect: db.Dialect}
	return nil
}

// preparing returns the pool on which statements are prepared, or nil if none are.
func (db *DB) preparing(pool *sqlx.DB) preparer {
	if db.cfg.Unprepared && db.cfg.Path == "" {
		return nil
	}
	return pool
}

// Ping returns an error if the database does not respond.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	return db.Get(ctx, &one, "SELECT 1")
}

// Close closes all connections and unlocks the SQLite file. It may be called again.
func (db *DB) Close() error {
	db.closing.Do(func() { db.closed = db.close() })
	return db.closed
}

func (db *DB) close() error {
	var all []error
	if db.readPool != nil {
		db.readPool.stmts.close()
		all = append(all, db.readPool.db.Close())
	}
	if db.stmts != nil {
		db.stmts.close()
	}
	if db.writer != nil {
		all = append(all, db.writer.close())
	}
	if db.writes != nil {
		all = append(all, db.writes.Close())
	}
	for _, lock := range []*fileLock{db.ownLock, db.lock} {
		if lock != nil {
			all = append(all, lock.release())
		}
	}
	return errors.Join(all...)
}
