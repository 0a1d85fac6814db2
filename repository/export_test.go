package repository

import "context"

// ReadForTest asks the readers something, even what they must refuse.
func ReadForTest(ctx context.Context, s *Store, query string) error {
	var n int
	return s.reads.get(ctx, &n, query)
}
