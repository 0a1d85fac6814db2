package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/jmoiron/sqlx"
)

// ErrNeedsTransaction is returned by operations that a single statement cannot do.
var ErrNeedsTransaction = errors.New("this needs a transaction")

// gathering is the line of a Tx without a transaction: it only gathers the arguments of InsertLater
// and UpdateLater.
type gathering struct{}

func (gathering) GetContext(context.Context, any, string, ...any) error { return ErrNeedsTransaction }
func (gathering) SelectContext(context.Context, any, string, ...any) error {
	return ErrNeedsTransaction
}

func (gathering) QueryxContext(context.Context, string, ...any) (*sqlx.Rows, error) {
	return nil, ErrNeedsTransaction
}

func (gathering) ExecContext(context.Context, string, ...any) (sql.Result, error) {
	return nil, ErrNeedsTransaction
}

func (gathering) stmt(context.Context, string) *sqlx.Stmt { return nil }

// Gathers reports that only InsertLater and UpdateLater work; everything else returns
// ErrNeedsTransaction.
func (t *Tx) Gathers() bool { return t.tx == gathering{} }

// Update is an UPDATE of one row, for UpdateLater.
type Update struct{ table, set, where string }

// NewUpdate parses "UPDATE table SET ... WHERE ...".
func NewUpdate(text string) *Update {
	head, where, found := strings.Cut(text, " WHERE ")
	table, set, set2 := strings.Cut(strings.TrimPrefix(head, "UPDATE "), " SET ")
	if !found || !set2 {
		panic("sqldb: this is no UPDATE on a condition: " + text)
	}
	return &Update{table: table, set: set, where: where}
}

// updating is an Update with its values.
type updating struct {
	*Update
	args []any
}

// UpdateLater adds an update that must match its row; updates run in the order of the calls.
func (t *Tx) UpdateLater(u *Update, args ...any) {
	t.updates = append(t.updates, updating{Update: u, args: args})
}

// Once returns a Reader for a single statement, which sees one instant; a second one returns
// ErrNeedsTransaction.
func (db *DB) Once() Reader { return &once{Reader: db} }

type once struct {
	Reader
	used bool
}

func (o *once) use() error {
	if o.used {
		return ErrNeedsTransaction
	}
	o.used = true
	return nil
}

func (o *once) Get(ctx context.Context, dest any, query string, args ...any) error {
	if err := o.use(); err != nil {
		return err
	}
	return o.Reader.Get(ctx, dest, query, args...)
}

func (o *once) All(ctx context.Context, dest any, query string, args ...any) error {
	if err := o.use(); err != nil {
		return err
	}
	return o.Reader.All(ctx, dest, query, args...)
}

func (o *once) Each(ctx context.Context, fn func(rows *sqlx.Rows) error, query string, args ...any) error {
	if err := o.use(); err != nil {
		return err
	}
	return o.Reader.Each(ctx, fn, query, args...)
}
