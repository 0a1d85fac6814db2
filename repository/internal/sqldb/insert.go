package sqldb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Rows are the rows of one INSERT.
type Rows struct {
	table, columns string
	width          int
	args           []any  // of each row, the values of columns
	tail           string // the clause after the values; if set, every row must have been written
}

func (r *Rows) count() int { return len(r.args) / r.width }

// maxRows limits the rows of one INSERT, so that the number of distinct prepared statements stays
// small.
const maxRows = 16

// Insert writes rows with few statements. tail follows the values, for example an ON CONFLICT
// clause.
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

// InsertAll is Insert that requires every row to be written, and returns the number of rows that
// tail rejected. In a fenced statement, the statement itself requires it.
func (t *Tx) InsertAll(ctx context.Context, rows Rows, tail string) (missing int64, err error) {
	if t.Gathers() {
		rows.tail = tail
		t.InsertLater(rows)
		return 0, nil
	}
	n, err := t.Insert(ctx, rows, tail)
	return int64(rows.count()) - n, err
}

// InsertLater buffers rows, which nothing else in the transaction may read, until Flush.
func (t *Tx) InsertLater(rows Rows) {
	if len(rows.args) > 0 {
		t.pending = append(t.pending, rows)
	}
}

// Flush inserts the buffered rows: as one statement if the database supports it, because each
// statement costs a round trip, or table by table if they are too many.
func (t *Tx) Flush(ctx context.Context) error {
	if t.Gathers() {
		return nil // everything is written by one statement
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
			return fmt.Errorf("insert the rest of the change: %w", err)
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

// jointSQL is one statement with several INSERTs, the last one as its main part. The texts are
// those of the single statements, except for the numbers of the placeholders.
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

// Placeholders returns n comma-separated placeholders, starting at $from.
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
