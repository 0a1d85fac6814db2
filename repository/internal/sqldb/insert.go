package sqldb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Rows are what one INSERT adds to a table.
type Rows struct {
	table, columns string
	width          int
	args           []any  // of each row, the values of columns
	tail           string // what follows them, if it does: each must have been written then
}

func (r *Rows) count() int { return len(r.args) / r.width }

// maxRows bounds the rows of one INSERT, so that few different statements are ever
// prepared.
const maxRows = 16

// Insert writes rows with few statements. tail is what follows them, a clause for
// conflicts say.
func (t *Tx) Insert(ctx context.Context, rows Rows, tail string) (int64, error) {
	var total int64
	for args := rows.args; len(args) > 0; {
		n := min(len(args)/rows.width, maxRows)
		have, err := t.Write(ctx, t.db.texts.insert(rows.table, rows.columns, n, tail), args[:n*rows.width]...)
		if err != nil {
			return total, err
		}
		total += have
		args = args[n*rows.width:]
	}
	return total, nil
}

// InsertAll is Insert that demands that tail has let it write every row, and tells how many
// it did not. Where the whole change is one statement, it is that which demands it.
func (t *Tx) InsertAll(ctx context.Context, rows Rows, tail string) (missing int64, err error) {
	if t.Gathers() {
		rows.tail = tail
		t.InsertLater(rows)
		return 0, nil
	}
	n, err := t.Insert(ctx, rows, tail)
	return int64(rows.count()) - n, err
}

// InsertLater keeps rows that nothing else in the transaction looks at, until Flush.
func (t *Tx) InsertLater(rows Rows) {
	if len(rows.args) > 0 {
		t.pending = append(t.pending, rows)
	}
}

// Flush inserts the rows that were kept: as one statement where the database can do
// that, because each statement costs a way there and back. What is too much for one goes
// table by table.
func (t *Tx) Flush(ctx context.Context) error {
	if t.Gathers() {
		return nil // all of it is one statement
	}
	pending := t.pending
	t.pending = nil
	total := 0
	for i := range pending {
		total += pending[i].count()
	}
	if t.d.joins && len(pending) > 1 && len(pending) <= maxParts && total <= maxRows {
		var args []any
		for i := range pending {
			args = append(args, pending[i].args...)
		}
		if _, err := t.Write(ctx, t.db.texts.joint(pending), args...); err != nil {
			return fmt.Errorf("insert what belongs to the change: %w", err)
		}
		return nil
	}
	for _, rows := range pending {
		if _, err := t.Insert(ctx, rows, ""); err != nil {
			return fmt.Errorf("insert %s: %w", rows.table, err)
		}
	}
	return nil
}

// jointSQL is one statement that does several INSERTs, the last of them as its main
// part. Each has the text that it has alone, but for the numbers of its placeholders.
func jointSQL(all []Rows) string {
	var b strings.Builder
	from := 1
	for i := range all {
		switch {
		case i == len(all)-1:
			b.WriteByte(' ')
		case i == 0:
			b.WriteString("WITH part_0 AS (")
		default:
			fmt.Fprintf(&b, ", part_%d AS (", i)
		}
		writeInsert(&b, all[i].table, all[i].columns, from, all[i].count())
		from += len(all[i].args)
		if i < len(all)-1 {
			b.WriteByte(')')
		}
	}
	return b.String()
}

// insertSQL is INSERT INTO table (columns) VALUES for n rows, then tail.
func insertSQL(table, columns string, n int, tail string) string {
	var b strings.Builder
	writeInsert(&b, table, columns, 1, n)
	b.WriteString(tail)
	return b.String()
}

func writeInsert(b *strings.Builder, table, columns string, from, n int) {
	width := strings.Count(columns, ",") + 1
	b.WriteString("INSERT INTO " + table + " (" + columns + ") VALUES ")
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("(" + Placeholders(from+i*width, width) + ")")
	}
}

// Placeholders are n of them from $from on, with commas.
func Placeholders(from, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(from + i))
	}
	return b.String()
}
