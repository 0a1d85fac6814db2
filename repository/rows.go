package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// each converts every row; the first error ends it.
func each[R, T any](rows []R, meaning func(*R) (*T, error)) ([]*T, error) {
	out := make([]*T, len(rows))
	for i := range rows {
		v, err := meaning(&rows[i])
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// values is each for conversions that cannot fail.
func values[R, T any](rows []R, meaning func(*R) T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = meaning(&rows[i])
	}
	return out
}

// rowsOf converts domain objects to rows.
func rowsOf[T, R any](all []*T, row func(*T) (R, error)) ([]R, error) {
	rows := make([]R, len(all))
	var err error
	for i, v := range all {
		if rows[i], err = row(v); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// distinct keeps the last of the elements with the same key, at the position of the first: a row is
// written once in a transaction, in its final state.
func distinct[T any](all []T, key func(T) string) []T {
	at := make(map[string]int, len(all))
	out := make([]T, 0, len(all))
	for _, v := range all {
		if i, seen := at[key(v)]; seen {
			out[i] = v
			continue
		}
		at[key(v)] = len(out)
		out = append(out, v)
	}
	return out
}

// one returns the row with an id.
func one[R, T any](ctx context.Context, d *Data, noun, query, id string, meaning func(*R) T) (*T, error) {
	var row R
	err := d.r.Get(ctx, &row, query, d.workspace, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound(noun)
	}
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", noun, err)
	}
	v := meaning(&row)
	return &v, nil
}
