package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/jmoiron/sqlx"
)

// ErrNeedsTransaction is told of what one statement cannot do: it needs a transaction.
var ErrNeedsTransaction = errors.New("this needs a transaction")

// gathering is the line of a transaction that is not begun and will not be: it gathers
// what InsertLater and UpdateLater are given, and can do nothing else.
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

// Gathers says that only InsertLater and UpdateLater will do; the rest gives
// ErrNeedsTransaction.
func (t *Tx) Gathers() bool { return t.tx == gathering{} }

// Update is the text of an UPDATE of one row, for UpdateLater.
type Update struct{ table, set, where string }

// NewUpdate takes "UPDATE table SET ... WHERE ..." apart.
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

// UpdateLater keeps an update that must find its row, in the order in which they come.
func (t *Tx) UpdateLater(u *Update, args ...any) {
	t.updates = append(t.updates, updating{Update: u, args: args})
}

// Once is a reader of a single statement, whose answer is of one instant; a second one
// gives ErrNeedsTransaction.
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
