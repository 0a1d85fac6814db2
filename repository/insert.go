package repository

import (
	"context"
	"fmt"
	"strings"
)

// batch is what one INSERT adds to a table; args has the values of columns for each.
type batch struct {
	table, columns string
	width          int
	args           []any
}

func (b *batch) count() int { return len(b.args) / b.width }

// insert writes many rows with few statements; args has width values for each.
func (t *tx) insert(ctx context.Context, table, columns, tail string, width int, args []any) (int64, error) {
	var total int64
	for len(args) > 0 {
		n := min(len(args)/width, maxRows)
		have, err := t.exec(ctx, t.store.texts.insert(table, columns, n, tail), args[:n*width]...)
		if err != nil {
			return total, err
		}
		total += have
		args = args[n*width:]
	}
	return total, nil
}

// later keeps rows that nothing else in the transaction looks at, until flush.
func (t *tx) later(b batch) {
	if len(b.args) > 0 {
		t.kept = append(t.kept, b)
	}
}

// flush writes the rows that were kept: as one statement where the database can do
// that, because each statement costs a way there and back.
func (t *tx) flush(ctx context.Context) error {
	kept := t.kept
	t.kept = nil
	total := 0
	for i := range kept {
		total += kept[i].count()
	}
	if t.d.joins && len(kept) > 1 && total <= maxRows {
		var args []any
		for i := range kept {
			args = append(args, kept[i].args...)
		}
		if _, err := t.exec(ctx, t.store.texts.joint(kept), args...); err != nil {
			return fmt.Errorf("insert what belongs to the change: %w", err)
		}
		return nil
	}
	for i := range kept {
		b := &kept[i]
		if _, err := t.insert(ctx, b.table, b.columns, "", b.width, b.args); err != nil {
			return fmt.Errorf("insert %s: %w", b.table, err)
		}
	}
	return nil
}

// jointSQL is one statement that does several INSERTs, the last of them as its main
// part. Each has the text that it has alone, but for the numbers of its placeholders.
func jointSQL(all []batch) string {
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
		b.WriteString("(" + placeholders(from+i*width, width) + ")")
	}
}
