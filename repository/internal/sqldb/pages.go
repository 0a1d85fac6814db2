package sqldb

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/fermata-dev/fermata/domain"
)

const (
	defaultPage = 50
	// LargestPage limits the rows of a page, whatever limit is requested.
	LargestPage = 1000
)

// PageSize returns the effective limit of a page; 0 requests the default.
func PageSize(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return min(limit, LargestPage)
}

// Room is the remaining capacity of a page. Every paged list is read through it, row by row, so
// that memory is limited by bytes, not only by the number of rows.
type Room struct {
	rows, bytes int
	taken       int  // rows so far: the first one is taken regardless of its size
	strict      bool // unless strict is set
}

// RoomFor returns the Room of a page of that size.
func RoomFor(size domain.PageSize) *Room {
	r := &Room{rows: size.Rows, bytes: size.Bytes, strict: size.Strict}
	if r.rows <= 0 {
		r.rows = defaultPage
	}
	if r.bytes <= 0 {
		r.bytes = domain.PageBytes
	}
	return r
}

// fits reports whether a row of so many bytes fits into the page, and counts it.
func (m *Room) fits(bytes int) bool {
	if m.rows == 0 || (m.taken > 0 || m.strict) && bytes > m.bytes {
		return false
	}
	m.rows, m.bytes, m.taken = m.rows-1, m.bytes-bytes, m.taken+1
	return true
}

// Fill reads rows of a query until the page is full. more reports that there are further rows,
// which are not read.
func Fill[R any](ctx context.Context, r Reader, m *Room, q *Query) (out []R, more bool, err error) {
	return FillEach(ctx, r, m, q, func(row *R) ([]R, error) { return []R{*row}, nil },
		func(row R) int { return Weight(&row) })
}

// FillEach is Fill for rows that each hold several of the page's elements; size is the bytes of one
// element.
func FillEach[R, T any](ctx context.Context, r Reader, m *Room, q *Query, held func(*R) ([]T, error), size func(T) int) (
	out []T, more bool, err error,
) {
	q.Add(" LIMIT ?", m.rows+1)
	err = r.Each(ctx, func(rows *sqlx.Rows) error {
		for !more && rows.Next() {
			if more = m.rows == 0; more {
				break
			}
			var row R
			if err := rows.StructScan(&row); err != nil {
				return fmt.Errorf("read a row: %w", err)
			}
			all, err := held(&row)
			if err != nil {
				return err
			}
			for _, v := range all {
				if more = !m.fits(size(v)); more {
					break
				}
				out = append(out, v)
			}
		}
		return nil
	}, q.Text(), q.Args()...)
	if err != nil {
		return nil, false, err
	}
	return out, more, nil
}

// ReadPage reads one page of an ordered query. The second result is the cursor of the next page, ""
// at the end.
func ReadPage[R any](ctx context.Context, r Reader, q *Query, limit int, key func(*R) Cursor) ([]R, string, error) {
	rows, more, err := Fill[R](ctx, r, RoomFor(domain.PageSize{Rows: PageSize(limit)}), q)
	if err != nil || !more {
		return rows, "", err
	}
	return rows, key(&rows[len(rows)-1]).String(), nil
}

// CutPage removes the extra row that was read to determine whether there is a next page.
func CutPage[R any](rows []R, limit int, key func(*R) Cursor) ([]R, string) {
	if len(rows) <= limit {
		return rows, ""
	}
	return rows[:limit], key(&rows[limit-1]).String()
}

// Weight returns how many bytes of text a row holds.
func Weight[R any](row *R) int { return weight(reflect.ValueOf(row).Elem()) }

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
