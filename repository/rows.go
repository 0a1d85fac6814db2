package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// each gives every row its meaning.
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

// values is each for rows that cannot be wrong.
func values[R, T any](rows []R, meaning func(*R) T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = meaning(&rows[i])
	}
	return out
}

// rowsOf makes the rows of what is written.
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

// distinct keeps the last of those with the same key, in the place of the first: a
// row is written once in a transaction, as it is at its end.
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

// one reads the row with an id.
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
