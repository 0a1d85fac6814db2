package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/fermata-dev/fermata/internal/dsn"
)

// Dialect holds all differences between the two databases, except those of the search.
type Dialect struct {
	Name string // "sqlite" or "postgres"
	// Lock is the clause that locks the rows of a SELECT.
	Lock string
	// Size is an expression for the size of the database in bytes.
	Size string
	// Clock is an expression for the database's time in microseconds, which leases are compared
	// with.
	Clock string
	// Binary compares texts by their bytes, behind an expression.
	Binary string
	// jsonPath is the path of a field, from the placeholders of its names.
	jsonPath func(names []string) string
	// Said matches the text of a message m, a person's or the AI's, with a LIKE pattern, ignoring
	// case. The JSON around the text is not searched.
	Said string
	// snapshot is the isolation level with which several reads see the same instant.
	snapshot sql.IsolationLevel
	// relaxed makes the current transaction return before it is on disk; "" if the database cannot
	// do that per transaction.
	relaxed string
	// unhurried is Unhurried; "" if the database has no such timeout.
	unhurried string
	// joins reports that one statement can contain several INSERTs.
	joins bool
	// classify returns the class of a driver's error.
	classify func(error) class
	// endsAll reports whether the database may have rolled back the whole transaction, not only the
	// statement, after a driver's error. nil: the transaction stays failed until its end.
	endsAll func(error) bool
	// migrator creates the migrator of a database.
	migrator func(*sql.DB, Migrations) (*goose.Provider, error)
	open     func(readOnly bool) (*sql.DB, error)
}

// class is a kind of error, the same for both databases.
type class int

const (
	unclassified class = iota
	retryable          // lost against another transaction: rolled back, can be retried
	busy               // another process or transaction holds the lock
	duplicate          // a unique index was violated
	dangling           // a foreign key was violated
	full               // the disk is full
	gone               // the connection is lost
	readOnly           // the server accepts no writes
)

const (
	busyTimeout = 5 * time.Second
	// idleTimeout releases the locks of a transaction whose client is gone.
	idleTimeout = 5 * time.Second
)

// sqliteDialect opens the file at path. One connection writes; its transactions begin with BEGIN
// IMMEDIATE, because one that reads before it writes fails immediately if another wrote in between.
func sqliteDialect(path string, readers int) (*Dialect, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the database file %s: %w", path, err)
	}
	open := func(readOnly bool) (*sql.DB, error) {
		q := url.Values{"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
			"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "temp_store(MEMORY)",
		}}
		connections := 1
		if readOnly {
			q.Add("_pragma", "query_only(1)")
			connections = readers
		} else {
			q.Set("_txlock", "immediate")
		}
		name := (&url.URL{Path: filepath.ToSlash(absolute)}).EscapedPath()
		db, err := sql.Open("sqlite", "file:"+name+"?"+q.Encode())
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
		return db, nil
	}
	return &Dialect{
		Name: "sqlite", Size: "(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())", open: open, classify: classifySQLite, endsAll: endsAllSQLite,
		Clock:    "CAST(unixepoch('subsec') * 1000000 AS INTEGER)",
		jsonPath: sqliteJSONPath,
		Said: said("COALESCE(json_extract(NULLIF(m.rich, ''), '$.linear_text'), '')",
			"COALESCE(json_extract(NULLIF(m.rich, ''), '$.segments[0].text'), '')", "COALESCE(json_extract(NULLIF(m.ai, ''), '$.pre_text'), '')"),
		migrator: func(db *sql.DB, files Migrations) (*goose.Provider, error) {
			return newMigrator(goose.DialectSQLite3, db, files.SQLite)
		},
	}, nil
}

// said concatenates the texts of a message into one condition.
func said(parts ...string) string {
	return "LOWER(m.text_content || ' ' || " + strings.Join(parts, " || ' ' || ") + ") LIKE LOWER(?) ESCAPE '!'"
}

// textIn extracts a text from JSON for PostgreSQL, whose texts cannot contain NUL: JSON with an
// escaped NUL is skipped.
func textIn(column, path string) string {
	return "COALESCE(CASE WHEN position('\\u0000' in m." + column + ") = 0 THEN NULLIF(m." + column + ", '')::json #>> '" + path + "' END, '')"
}

// postgresDialect connects to the server of a URL, with settings (name, value, ...) in addition to
// the default ones. The readers' connections are read-only on the server.
func postgresDialect(address string, writers, readers int, settings ...string) (*Dialect, error) {
	cfg, err := dsn.Parse(address)
	if err != nil {
		return nil, err
	}
	open := func(readOnly bool) (*sql.DB, error) {
		own := cfg.Clone()
		if own.Runtime == nil {
			own.Runtime = map[string]string{}
		}
		own.Runtime[idleSetting] = fmt.Sprint(idleTimeout.Milliseconds())
		own.Runtime["timezone"] = "UTC"
		for i := 0; i < len(settings); i += 2 {
			own.Runtime[settings[i]] = settings[i+1]
		}
		if own.TargetSessionAttrs == "" {
			// A proxy may lag behind a failover, and a standby's data may be stale.
			own.TargetSessionAttrs = pq.TargetSessionAttrsPrimary
		}
		connections := writers
		if readOnly {
			own.Runtime[readOnlySetting] = "on"
			connections = readers
		}
		if own.ConnectTimeout == 0 {
			own.ConnectTimeout = 10 * time.Second
		}
		connector, err := pq.NewConnectorConfig(own)
		if err != nil {
			return nil, fmt.Errorf("prepare the connection: %w", err)
		}
		connector.Dialer(dialer{})
		plain, err := poolable(own)
		if err != nil {
			return nil, err
		}
		db := sql.OpenDB(dsn.Discreet(&tolerant{full: connector, plain: plain}, cfg.Password))
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
		return db, nil
	}
	return &Dialect{
		Name: "postgres", Size: "pg_database_size(current_database())",
		Lock: " FOR UPDATE", joins: true, snapshot: sql.LevelRepeatableRead, open: open, classify: classifyPostgres,
		Clock:  "(extract(epoch from clock_timestamp()) * 1000000)::bigint",
		Binary: ` COLLATE "C"`, jsonPath: postgresJSONPath,
		Said:    said(textIn("rich", "{linear_text}"), textIn("rich", "{segments,0,text}"), textIn("ai", "{pre_text}")),
		relaxed: "SET LOCAL synchronous_commit = off", unhurried: Unhurried,
		migrator: func(db *sql.DB, files Migrations) (*goose.Provider, error) {
			// Nodes that start concurrently migrate one after the other.
			locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
			if err != nil {
				return nil, fmt.Errorf("prepare the migration lock: %w", err)
			}
			return newMigrator(goose.DialectPostgres, db, files.Postgres, goose.WithSessionLocker(locker))
		},
	}, nil
}

func newMigrator(d goose.Dialect, db *sql.DB, files fs.FS, opts ...goose.ProviderOption) (*goose.Provider, error) {
	opts = append(opts, goose.WithDisableGlobalRegistry(true))
	p, err := goose.NewProvider(d, db, files, opts...)
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return p, nil
}

func (d *Dialect) openPool(readOnly bool) (*sqlx.DB, error) {
	db, err := d.open(readOnly)
	if err != nil {
		return nil, err
	}
	return sqlx.NewDb(db, d.Name), nil
}

func classifySQLite(err error) class {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return lostConnection(err)
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return duplicate
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return dangling
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return busy
	case sqlite3.SQLITE_FULL:
		return full
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return gone
	}
	return unclassified
}

// endsAllSQLite lists the errors that are known to concern only the statement. FULL, IOERR, NOMEM,
// BUSY and INTERRUPT may end the transaction according to SQLite's documentation; about others it
// says nothing.
func endsAllSQLite(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return lostConnection(err) == gone
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_RANGE:
		return false
	}
	return true
}

func classifyPostgres(err error) class {
	e := pq.As(err)
	if e == nil {
		return lostConnection(err)
	}
	switch e.Code {
	case pqerror.TRSerializationFailure, pqerror.TRDeadlockDetected:
		return retryable
	case pqerror.UniqueViolation:
		return duplicate
	case pqerror.ForeignKeyViolation:
		return dangling
	case pqerror.DiskFull:
		return full
	case pqerror.LockNotAvailable:
		return busy
	case pqerror.ReadOnlySQLTransaction:
		return readOnly
	}
	switch code := string(e.Code); {
	case e.Code == pqerror.QueryCanceled:
		return unclassified
	case code == "25P03", code[:2] == "08", code[:2] == "57", code[:2] == "53":
		return gone // idle too long, connection, operator intervention, resources
	}
	return unclassified
}

// lostConnection classifies network errors as gone.
func lostConnection(err error) class {
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return unclassified
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, errStandby), errors.As(err, &network),
		errors.Is(err, net.ErrClosed), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return gone
	}
	return unclassified
}
