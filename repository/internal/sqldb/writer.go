package sqldb

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// writer is the one connection that writes to a SQLite file. It is kept for good, with
// its prepared statements; whoever wants to write comes through the gate, and shares
// the COMMIT with those that wait at the same time (group.go). Only who has passed the
// gate touches the connection.
//
// No statement on it is ever interrupted: an interrupted one rolls back the whole
// transaction, and with it what others have done. So a context that ends is noticed
// between the statements, and no later than before the COMMIT.
type writer struct {
	db   *DB
	gate gate
	line *held // nil: the last one was given up
}

// held is the connection with its own statements.
type held struct {
	*sqlx.Conn
	stmts *statements
}

// stmt prepares a text that was not used yet: the connection is the caller's own, so
// nothing has to be waited for.
func (h *held) stmt(ctx context.Context, query string) *sqlx.Stmt {
	if stmt := h.stmts.find(query); stmt != nil {
		return stmt
	}
	h.stmts.prepare(ctx, []string{query})
	return h.stmts.find(query)
}

func (w *writer) connect(ctx context.Context) error {
	conn, err := w.db.writes.Connx(ctx)
	if err != nil {
		return fmt.Errorf("connect to write: %w", err)
	}
	w.line = &held{Conn: conn, stmts: newStatements(conn)}
	return nil
}

// open begins a transaction, on a fresh connection if the one that is there is of no
// use. Who is told that the database is busy has waited for busyTimeout.
func (w *writer) open(ctx context.Context) error {
	const begin = "BEGIN IMMEDIATE"
	if w.line != nil {
		err := w.exec(ctx, begin)
		if err == nil || w.db.Dialect.classify(err) == busy {
			return err
		}
		w.giveUp()
	}
	if err := w.connect(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	return w.exec(ctx, begin)
}

// rollback leaves no transaction behind. SQLite may have rolled it back by itself, and
// says so by an error about the statement; after any other the connection is given up,
// which rolls back too.
func (w *writer) rollback(ctx context.Context) {
	if err := w.exec(ctx, "ROLLBACK"); err != nil && w.db.Dialect.endsAll(err) {
		w.giveUp()
	}
}

// exec carries out what moves the transaction as a whole.
func (w *writer) exec(ctx context.Context, query string) error {
	ctx = Unwatched(ctx)
	if stmt := w.line.stmt(ctx, query); stmt != nil {
		_, err := stmt.ExecContext(ctx)
		return err
	}
	_, err := w.line.ExecContext(ctx, query)
	return err
}

// giveUp closes the connection; the next transaction makes another one.
func (w *writer) giveUp() {
	line := w.line
	w.line = nil
	line.stmts.close() // SQLite keeps a connection and its transaction for as long as it has statements
	// The pool must not hand it out again.
	_ = line.Raw(func(any) error { return driver.ErrBadConn })
}

// leave gives the gate to the next one.
func (w *writer) leave() {
	if w.gate.leave() {
		_ = w.end() // whoever closed the database has gone on
	}
}

// close lets nobody write any more. A group that is on its way comes to its end first,
// and the connection is closed then.
func (w *writer) close() error {
	if !w.gate.close() {
		return nil
	}
	return w.end()
}

func (w *writer) end() error {
	if w.line == nil {
		return nil
	}
	w.line.stmts.close()
	return w.line.Close()
}
