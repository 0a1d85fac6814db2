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
	// Rows reads one row after the other; Failed gives their error its meaning. Whoever
	// asks closes them.
	Rows(ctx context.Context, query string, args ...any) (*sqlx.Rows, error)
	Failed(ctx context.Context, err error) error
}

// statements are prepared statements, by their text. With a pool, a statement that is
// used within a transaction for the first time runs unprepared there and is
// prepared afterwards: with a single connection, preparing meanwhile would wait for
// that very transaction.
type statements struct {
	on preparer
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
	if stmt := p.prepared(ctx, query); stmt != nil {
		return p.translate(ctx, stmt.GetContext(ctx, dest, args...))
	}
	return p.translate(ctx, p.db.GetContext(ctx, dest, query, args...))
}

func (p *readPool) All(ctx context.Context, dest any, query string, args ...any) error {
	if stmt := p.prepared(ctx, query); stmt != nil {
		return p.translate(ctx, stmt.SelectContext(ctx, dest, args...))
	}
	return p.translate(ctx, p.db.SelectContext(ctx, dest, query, args...))
}

func (p *readPool) Rows(ctx context.Context, query string, args ...any) (*sqlx.Rows, error) {
	if stmt := p.prepared(ctx, query); stmt != nil {
		rows, err := stmt.QueryxContext(ctx, args...)
		return rows, p.translate(ctx, err)
	}
	rows, err := p.db.QueryxContext(ctx, query, args...)
	return rows, p.translate(ctx, err)
}

func (p *readPool) Failed(ctx context.Context, err error) error { return p.translate(ctx, err) }

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

func (s *snapshot) Rows(ctx context.Context, query string, args ...any) (*sqlx.Rows, error) {
	ctx, err := s.may(ctx)
	if err != nil {
		return nil, err
	}
	if s.uncut { // others may ask the same before these rows have been read: a handle of its own
		rows, err := s.tx.QueryxContext(ctx, query, args...)
		return rows, s.ended(ctx, err)
	}
	if stmt := s.tx.stmt(ctx, query); stmt != nil {
		rows, err := stmt.QueryxContext(ctx, args...)
		return rows, s.ended(ctx, err)
	}
	rows, err := s.tx.QueryxContext(ctx, query, args...)
	return rows, s.ended(ctx, err)
}

func (s *snapshot) Failed(ctx context.Context, err error) error { return s.ended(ctx, err) }

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
