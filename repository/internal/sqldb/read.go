package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/jmoiron/sqlx"
)

// Reader reads, from the read pool or within a transaction. It cannot write.
type Reader interface {
	// Get reads one row into dest, a struct or a single value; it returns sql.ErrNoRows if there is
	// none.
	Get(ctx context.Context, dest any, query string, args ...any) error
	// All reads every row into dest, a slice.
	All(ctx context.Context, dest any, query string, args ...any) error
	// Each passes the rows to fn, which reads them one by one and may stop early, and closes them.
	// Errors of fn are returned unchanged, errors of the rows are translated.
	Each(ctx context.Context, fn func(rows *sqlx.Rows) error, query string, args ...any) error
}

// statements caches prepared statements by their text. A statement that is first used within a
// transaction of a pool runs unprepared and is prepared afterwards: with a single connection,
// preparing it meanwhile would wait for that transaction.
type statements struct {
	on preparer // nil: nothing is prepared (Config.Unprepared)
	mu sync.RWMutex
	by map[string]*sqlx.Stmt
}

type unpreparedKey struct{}

// WithoutPreparing marks statements whose text a caller makes up: kept prepared, they would displace the fixed ones.
func WithoutPreparing(ctx context.Context) context.Context {
	return context.WithValue(ctx, unpreparedKey{}, true)
}

func unprepared(ctx context.Context) bool { return ctx.Value(unpreparedKey{}) != nil }

// maxStatements limits the prepared statements; the texts are few and constant.
const maxStatements = 400

// preparer is a pool or a connection.
type preparer interface {
	PreparexContext(ctx context.Context, query string) (*sqlx.Stmt, error)
}

func newStatements(on preparer) *statements {
	return &statements{on: on, by: map[string]*sqlx.Stmt{}}
}

func (s *statements) find(query string) *sqlx.Stmt {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.by[query]
}

func (s *statements) full() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.by) >= maxStatements
}

// prepare prepares statements. An error is ignored: the statement runs unprepared the next time,
// and returns the error then.
func (s *statements) prepare(ctx context.Context, queries []string) {
	if s.on == nil {
		return
	}
	for _, query := range queries {
		if s.find(query) != nil || s.full() { // preparing a statement that cannot be cached would cost a round trip each time
			continue
		}
		stmt, err := s.on.PreparexContext(ctx, query)
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.by[query] != nil || len(s.by) >= maxStatements {
			_ = stmt.Close()
		} else {
			s.by[query] = stmt
		}
		s.mu.Unlock()
	}
}

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.by {
		_ = stmt.Close() // the pool closes next, with everything on its connections
	}
	clear(s.by)
}

// Statements lists the texts of the prepared statements, for reading and for writing, so that a
// test can check their query plans.
func (db *DB) Statements() []string {
	kept := []*statements{db.readPool.stmts}
	if db.writer == nil {
		kept = append(kept, db.stmts)
	} else if err := db.writer.aside(context.Background(), func(line) error {
		kept = append(kept, db.writer.line.stmts)
		return nil
	}); err != nil {
		return nil // closed: nothing is cached
	}
	all := map[string]bool{}
	for _, s := range kept {
		s.mu.RLock()
		for text := range s.by {
			all[text] = true
		}
		s.mu.RUnlock()
	}
	return slices.Sorted(maps.Keys(all))
}

// readPool is the Reader outside of transactions.
type readPool struct {
	db      *sqlx.DB
	stmts   *statements
	dialect *Dialect
}

func (p *readPool) Get(ctx context.Context, dest any, query string, args ...any) error {
	if p.stmts.on == nil {
		return p.pinned(ctx, func(tx *sqlx.Tx) error { return tx.GetContext(ctx, dest, query, args...) })
	}
	if stmt := p.prepared(ctx, query); stmt != nil {
		return p.translate(ctx, stmt.GetContext(ctx, dest, args...))
	}
	return p.translate(ctx, p.db.GetContext(ctx, dest, query, args...))
}

func (p *readPool) All(ctx context.Context, dest any, query string, args ...any) error {
	if p.stmts.on == nil {
		return p.pinned(ctx, func(tx *sqlx.Tx) error { return tx.SelectContext(ctx, dest, query, args...) })
	}
	if stmt := p.prepared(ctx, query); stmt != nil {
		return p.translate(ctx, stmt.SelectContext(ctx, dest, args...))
	}
	return p.translate(ctx, p.db.SelectContext(ctx, dest, query, args...))
}

func (p *readPool) Each(ctx context.Context, fn func(rows *sqlx.Rows) error, query string, args ...any) error {
	if p.stmts.on == nil {
		return p.pinned(ctx, func(tx *sqlx.Tx) error { return p.each(ctx, fn)(tx.QueryxContext(ctx, query, args...)) })
	}
	if stmt := p.prepared(ctx, query); stmt != nil {
		return p.each(ctx, fn)(stmt.QueryxContext(ctx, args...))
	}
	return p.each(ctx, fn)(p.db.QueryxContext(ctx, query, args...))
}

func (p *readPool) each(ctx context.Context, fn func(rows *sqlx.Rows) error) func(*sqlx.Rows, error) error {
	return func(rows *sqlx.Rows, err error) error {
		return eachOf(rows, err, fn, func(err error) error { return p.translate(ctx, err) })
	}
}

// eachOf passes rows to fn and closes them; translate maps a driver error to a domain error.
func eachOf(rows *sqlx.Rows, err error, fn func(*sqlx.Rows) error, translate func(error) error) error {
	if err != nil {
		return translate(err)
	}
	defer func() { _ = rows.Close() }() // all rows were read, and Err is checked
	if err := fn(rows); err != nil {
		return err
	}
	return translate(rows.Err())
}

// pinned reads within a transaction if statements cannot be prepared: the driver sends a statement
// with values in two steps, between which a pooler in transaction mode could switch connections.
func (p *readPool) pinned(ctx context.Context, ask func(tx *sqlx.Tx) error) error {
	tx, err := p.db.BeginTxx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return p.translate(ctx, fmt.Errorf("begin to read: %w", err))
	}
	defer func() { _ = tx.Rollback() }() // nothing was written, so its result does not matter
	return p.translate(ctx, ask(tx))
}

func (p *readPool) prepared(ctx context.Context, query string) *sqlx.Stmt {
	if unprepared(ctx) {
		return nil
	}
	if stmt := p.stmts.find(query); stmt != nil {
		return stmt
	}
	p.stmts.prepare(ctx, []string{query})
	return p.stmts.find(query)
}

func (p *readPool) translate(ctx context.Context, err error) error {
	return p.dialect.translate(ctx, err)
}

// line executes the statements of a transaction.
type line interface {
	GetContext(ctx context.Context, dest any, query string, args ...any) error
	SelectContext(ctx context.Context, dest any, query string, args ...any) error
	QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	// stmt returns the prepared statement of a text, or nil if there is none yet.
	stmt(ctx context.Context, query string) *sqlx.Stmt
}

// poolTx is a transaction on a pooled connection.
type poolTx struct {
	*sqlx.Tx
	stmts *statements
	// missed are the texts that were not prepared yet. It is locked because several goroutines may
	// read in one transaction, as database/sql allows.
	mu     sync.Mutex
	missed []string
}

func (p *poolTx) stmt(ctx context.Context, query string) *sqlx.Stmt {
	if stmt := p.stmts.find(query); stmt != nil {
		return p.StmtxContext(ctx, stmt)
	}
	if p.stmts.on == nil || unprepared(ctx) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.missed = append(p.missed, query)
	return nil
}

// prepareMissed must be called after the transaction.
func (p *poolTx) prepareMissed(ctx context.Context) { p.stmts.prepare(ctx, p.missed) }

// snapshot is a Reader whose reads all see the same instant.
type snapshot struct {
	tx line
	d  *Dialect
	whole
}

func (s *snapshot) Get(ctx context.Context, dest any, query string, args ...any) error {
	ctx, err := s.may(ctx)
	if err != nil {
		return err
	}
	defer s.alone()()
	if stmt := s.tx.stmt(ctx, query); stmt != nil {
		return s.ended(ctx, stmt.GetContext(ctx, dest, args...))
	}
	return s.ended(ctx, s.tx.GetContext(ctx, dest, query, args...))
}

func (s *snapshot) All(ctx context.Context, dest any, query string, args ...any) error {
	ctx, err := s.may(ctx)
	if err != nil {
		return err
	}
	defer s.alone()()
	if stmt := s.tx.stmt(ctx, query); stmt != nil {
		return s.ended(ctx, stmt.SelectContext(ctx, dest, args...))
	}
	return s.ended(ctx, s.tx.SelectContext(ctx, dest, query, args...))
}

func (s *snapshot) Each(ctx context.Context, fn func(rows *sqlx.Rows) error, query string, args ...any) error {
	ctx, err := s.may(ctx)
	if err != nil {
		return err
	}
	each := func(rows *sqlx.Rows, err error) error {
		return eachOf(rows, err, fn, func(err error) error { return s.ended(ctx, err) })
	}
	if s.uncut { // a separate handle: others may run the same query before these rows have been read
		return each(s.tx.QueryxContext(ctx, query, args...))
	}
	if stmt := s.tx.stmt(ctx, query); stmt != nil {
		return each(stmt.QueryxContext(ctx, args...))
	}
	return each(s.tx.QueryxContext(ctx, query, args...))
}

// ended translates a statement's error.
func (s *snapshot) ended(ctx context.Context, err error) error {
	if err != nil && s.uncut && s.d.endsAll(err) {
		s.lose(err)
	}
	return s.d.translate(ctx, err)
}

// Read runs fn with a Reader on one snapshot of the database.
func (db *DB) Read(ctx context.Context, fn func(r Reader) error) error {
	tx, err := db.db.BeginTxx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: db.Dialect.snapshot})
	if err != nil {
		return db.translate(ctx, fmt.Errorf("begin to read: %w", err))
	}
	on := &poolTx{Tx: tx, stmts: db.readPool.stmts}
	err = fn(&snapshot{tx: on, d: db.Dialect})
	// Nothing was written, so its result does not matter.
	_ = tx.Rollback()
	on.prepareMissed(ctx)
	return err
}

// NotFound reports whether a read found no row.
func NotFound(err error) bool { return errors.Is(err, sql.ErrNoRows) }

var (
	_ Reader = (*Tx)(nil)
	_ Reader = (*DB)(nil)
)
