package repository

import "context"

// ReadForTest asks the readers something, even what they must refuse.
func ReadForTest(ctx context.Context, s *Store, query string) error {
	var n int
	return s.reads.get(ctx, &n, query)
}

// noSearch indexes nothing.
type noSearch struct{ searchIndex }

func (noSearch) put(context.Context, *tx, string, []searchRow) error { return nil }

// WithoutSearch makes a Store write without its full text search, to see what that
// costs.
func WithoutSearch(s *Store) {
	d := *s.dialect
	d.search = noSearch{d.search}
	s.dialect = &d
}

// TermForTest is a word as the index has it.
func TermForTest(workspace, word string) string { return wordPrefix(workspace) + word }
