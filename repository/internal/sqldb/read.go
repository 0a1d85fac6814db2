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
	// Get reads one row into dest, a struct or a single value; sql.ErrNoRows if there
	// is none.
	Get(ctx context.Context, dest any, query string, args ...any) error
	// All reads every row into dest, a slice.
	All(ctx context.Context, dest any, query string, args ...any) error
	// Each hands the rows to fn, which reads one after the other and may stop before their
	// end; it closes them. What fn says is handed on as it is, what the database says of the
	// rows is given its meaning.
	Each(ctx context.Context, fn func(rows *sqlx.Rows) error, query string, args ...any) error
}

// statements are prepared statements, by their text. With a pool, a statement that is
// used within a transaction for the first time runs unprepared there and is
// prepared afterwards: with a single connection, preparing meanwhile would wait for
// that very transaction.
type statements struct {
	on preparer // nil: nothing is kept prepared (Config.Unprepared)
	mu sync.RWMutex
	by map[string]*sqlx.Stmt
}

// maxStatements bounds what is kept prepared; the texts are few and fixed.
const maxStatements = 400

// preparer is a pool, or one connection.
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

// prepare keeps the statements of these texts. A failure is no harm: the text runs
// unprepared again, and says itself what is wrong with it.
func (s *statements) prepare(ctx context.Context, queries []string) {
	if s.on == nil {
		return
	}
	for _, query := range queries {
		if s.find(query) != nil || s.full() { // preparing what is not kept would cost a way each time
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

// Statements are the texts that are kept prepared, for reading and for writing: a test has
// the database say how it carries each of them out.
func (db *DB) Statements() []string {
	kept := []*statements{db.readPool.stmts}
	if db.writer == nil {
		kept = append(kept, db.stmts)
	} else if err := db.writer.aside(context.Background(), func(line) error {
		kept = append(kept, db.writer.line.stmts)
		return nil
	}); err != nil {
		return nil // it is closed: nothing is kept
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

// readPool is the reader outside transactions.
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

// eachOf hands rows to fn and closes them; told gives what the database says its meaning.
func eachOf(rows *sqlx.Rows, err error, fn func(*sqlx.Rows) error, told func(error) error) error {
	if err != nil {
		return told(err)
	}
	defer func() { _ = rows.Close() }() // what was read stands, and Err is asked
	if err := fn(rows); err != nil {
		return err
	}
	return told(rows.Err())
}

// pinned asks within a transaction, where nothing is kept prepared: the driver sends a
// statement with values in two steps, and a pooler in transaction mode would let another's
// statement come between them on another connection.
func (p *readPool) pinned(ctx context.Context, ask func(tx *sqlx.Tx) error) error {
	tx, err := p.db.BeginTxx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return p.translate(ctx, fmt.Errorf("begin to read: %w", err))
	}
	defer func() { _ = tx.Rollback() }() // nothing was written: how it ends does not matter
	return p.translate(ctx, ask(tx))
}

func (p *readPool) prepared(ctx context.Context, query string) *sqlx.Stmt {
	if stmt := p.stmts.find(query); stmt != nil {
		return stmt
	}
	p.stmts.prepare(ctx, []string{query})
	return p.stmts.find(query)
}

func (p *readPool) translate(ctx context.Context, err error) error {
	return p.dialect.translate(ctx, err)
}

// line is where the statements of a transaction run.
type line interface {
	GetContext(ctx context.Context, dest any, query string, args ...any) error
	SelectContext(ctx context.Context, dest any, query string, args ...any) error
	QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	// stmt is the prepared statement of a text, nil if there is none yet.
	stmt(ctx context.Context, query string) *sqlx.Stmt
}

// poolTx is a transaction on a connection of a pool.
type poolTx struct {
	*sqlx.Tx
	stmts *statements
	// missed are the texts that were not prepared yet. Several goroutines may read in one
	// transaction, as database/sql lets them.
	mu     sync.Mutex
	missed []string
}

func (p *poolTx) stmt(ctx context.Context, query string) *sqlx.Stmt {
	if stmt := p.stmts.find(query); stmt != nil {
		return p.StmtxContext(ctx, stmt)
	}
	if p.stmts.on == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.missed = append(p.missed, query)
	return nil
}

// prepareMissed is for when the transaction is over.
func (p *poolTx) prepareMissed(ctx context.Context) { p.stmts.prepare(ctx, p.missed) }

// snapshot is a reader all of whose reads see the database at one instant.
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
	if s.uncut { // others may ask the same before these rows have been read: a handle of its own
		return each(s.tx.QueryxContext(ctx, query, args...))
	}
	if stmt := s.tx.stmt(ctx, query); stmt != nil {
		return each(stmt.QueryxContext(ctx, args...))
	}
	return each(s.tx.QueryxContext(ctx, query, args...))
}

// ended is what a statement's error is told as.
func (s *snapshot) ended(ctx context.Context, err error) error {
	if err != nil && s.uncut && s.d.endsAll(err) {
		s.lose(err)
	}
	return s.d.translate(ctx, err)
}

// Read runs fn on one snapshot of the database.
func (db *DB) Read(ctx context.Context, fn func(r Reader) error) error {
	tx, err := db.db.BeginTxx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: db.Dialect.snapshot})
	if err != nil {
		return db.translate(ctx, fmt.Errorf("begin to read: %w", err))
	}
	on := &poolTx{Tx: tx, stmts: db.readPool.stmts}
	err = fn(&snapshot{tx: on, d: db.Dialect})
	// Nothing was written: how it ends does not matter.
	_ = tx.Rollback()
	on.prepareMissed(ctx)
	return err
}

// NotFound says whether a read found no row.
func NotFound(err error) bool { return errors.Is(err, sql.ErrNoRows) }

var (
	_ Reader = (*Tx)(nil)
	_ Reader = (*DB)(nil)
)
