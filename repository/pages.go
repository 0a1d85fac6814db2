package repository

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// room is what one page may still take. Every list that a caller pages through is read
// through it, row by row, so that what is in memory is bounded by bytes and not only by
// the number of rows, which may be long.
type room struct {
	rows, bytes int
	taken       int  // rows so far: the first one is taken whatever its size
	strict      bool // unless it may not
}

func roomFor(size domain.PageSize) *room {
	r := &room{rows: size.Rows, bytes: size.Bytes, strict: size.Strict}
	if r.rows <= 0 {
		r.rows = defaultPage
	}
	if r.bytes <= 0 {
		r.bytes = domain.PageBytes
	}
	return r
}

// fits says whether a row of so many bytes still belongs to the page, and takes it in.
func (m *room) fits(bytes int) bool {
	if m.rows == 0 || (m.taken > 0 || m.strict) && bytes > m.bytes {
		return false
	}
	m.rows, m.bytes, m.taken = m.rows-1, m.bytes-bytes, m.taken+1
	return true
}

// fill reads the rows that have room. more says that there is at least one further. The
// query should end with LIMIT room.rows+1, which spares the database the rest.
func fill[R any](ctx context.Context, r reader, m *room, query string, args ...any) (out []R, more bool, err error) {
	rows, err := r.rows(ctx, query, args...)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = rows.Close() }() // what it has read stands, and Err was asked
	for rows.Next() {
		if m.rows == 0 {
			return out, true, nil
		}
		var row R
		if err := rows.StructScan(&row); err != nil {
			return nil, false, fmt.Errorf("read a row: %w", err)
		}
		if !m.fits(weight(reflect.ValueOf(&row).Elem())) {
			return out, true, nil
		}
		out = append(out, row)
	}
	return out, false, r.failed(ctx, rows.Err())
}

// turn reads one page of a query that is in its order already, and gives the cursor of
// the next one, "" at the end.
func turn[R any](ctx context.Context, r reader, q *query, limit int, key func(*R) cursorKey) ([]R, string, error) {
	m := roomFor(domain.PageSize{Rows: pageSize(limit)})
	q.add(" LIMIT ?", m.rows+1)
	rows, more, err := fill[R](ctx, r, m, q.text(), q.args...)
	if err != nil || !more {
		return rows, "", err
	}
	return rows, key(&rows[len(rows)-1]).String(), nil
}

// weight is how many bytes of text a row holds.
func weight(row reflect.Value) int {
	sum := 0
	for _, v := range row.Fields() {
		switch v.Kind() {
		case reflect.String:
			sum += v.Len()
		case reflect.Slice:
			if v.Type().Elem().Kind() == reflect.Uint8 {
				sum += v.Len()
			}
		case reflect.Struct:
			if v.Type() != timeType {
				sum += weight(v)
			}
		case reflect.Pointer:
			if !v.IsNil() && v.Elem().Kind() == reflect.String {
				sum += v.Elem().Len()
			}
		}
	}
	return sum
}

var timeType = reflect.TypeFor[time.Time]()
