package repository

import (
	"context"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// ReadForTest asks the readers something, even what they must refuse.
func ReadForTest(ctx context.Context, s *Store, query string) error {
	var n int
	return s.db.Get(ctx, &n, query)
}

// noSearch indexes nothing.
type noSearch struct{ search.Index }

func (noSearch) Put(context.Context, *sqldb.Tx, string, []search.Row) error { return nil }

// WithoutSearch makes a Store write without its full text search, to see what that
// costs.
func WithoutSearch(s *Store) { s.db.Search = noSearch{s.db.Search} }

// TermForTest is a word as the index has it.
func TermForTest(workspace, word string) string { return search.WordPrefix(workspace) + word }

// PackForTest and UnpackForTest are how the data of a row of the log is kept.
func PackForTest(events [][]byte) ([]byte, error) { return pack(events) }
func UnpackForTest(data []byte) ([][]byte, error) { return unpack(data) }

// DictionaryForTest is what rows of the log are packed with.
func DictionaryForTest() []byte { return dictionary }

// StatementsForTest are the texts of all that a Store has asked its database.
func StatementsForTest(s *Store) []string { return s.db.Statements() }
