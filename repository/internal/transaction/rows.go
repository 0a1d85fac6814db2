package transaction

// Each converts every row; the first error ends it.
func Each[R, T any](rows []R, meaning func(*R) (*T, error)) ([]*T, error) {
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

// Values is Each for conversions that cannot fail.
func Values[R, T any](rows []R, meaning func(*R) T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = meaning(&rows[i])
	}
	return out
}

// RowsOf converts domain objects to rows.
func RowsOf[T, R any](all []*T, row func(*T) (R, error)) ([]R, error) {
	rows := make([]R, len(all))
	var err error
	for i, v := range all {
		if rows[i], err = row(v); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// Distinct keeps the last of the elements with the same key, at the position of the first: a row is
// written once in a transaction, in its final state.
func Distinct[T any](all []T, key func(T) string) []T {
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
