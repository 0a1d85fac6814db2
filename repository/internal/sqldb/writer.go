package sqldb

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// writer is the only connection that writes to a SQLite file. It stays open, with its prepared
// statements; transactions enter through the gate and share the COMMIT with those that wait at the
// same time (group.go). Only the member that has passed the gate uses the connection. Its
// statements are never interrupted: an interrupted one would roll back the whole transaction, other
// members included. A context that ends is therefore checked between statements, and at the latest
// before the COMMIT.
type writer struct {
	db   *DB
	gate gate
	line *held // nil: the last connection was closed after an error
}

// held is the connection with its prepared statements.
type held struct {
	*sqlx.Conn
	stmts *statements
}

// stmt prepares a text on first use: the connection belongs to the caller, so preparing waits for
// no other transaction.
func (h *held) stmt(ctx context.Context, query string) *sqlx.Stmt {
	if stmt := h.stmts.find(query); stmt != nil {
		return stmt
	}
	if unprepared(ctx) {
		return nil
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

// open begins a transaction, on a new connection if the current one is unusable. If the database is
// busy, busyTimeout has passed.
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

// rollback ends any open transaction. If SQLite has rolled it back already, the ROLLBACK fails with
// a statement error; after any other error the connection is closed, which rolls back too.
func (w *writer) rollback(ctx context.Context) {
	if err := w.exec(ctx, "ROLLBACK"); err != nil && w.db.Dialect.endsAll(err) {
		w.giveUp()
	}
}

// exec executes a transaction statement.
func (w *writer) exec(ctx context.Context, query string) error {
	ctx = Unwatched(ctx)
	if stmt := w.line.stmt(ctx, query); stmt != nil {
		_, err := stmt.ExecContext(ctx)
		return err
	}
	_, err := w.line.ExecContext(ctx, query)
	return err
}

// giveUp closes the connection; the next transaction opens a new one.
func (w *writer) giveUp() {
	line := w.line
	w.line = nil
	line.stmts.close() // SQLite keeps a connection and its transaction open as long as it has statements
	// The pool must not reuse it.
	_ = line.Raw(func(any) error { return driver.ErrBadConn })
}

// leave passes the gate to the next group.
func (w *writer) leave() {
	if w.gate.leave() {
		_ = w.end() // the caller of close has returned already
	}
}

// close rejects further writes. A group in progress finishes first, then the connection is closed.
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
