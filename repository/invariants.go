package repository

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// Invariants counts what must be zero.
func (s *Store) Invariants(ctx context.Context, workspace string) ([]domain.Invariant, error) {
	return nil, nil
}
