package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// written is the line of a transaction that only notes what it is given.
type written struct {
	gathering

	texts []string
	args  []any
}

func (w *written) ExecContext(_ context.Context, text string, args ...any) (sql.Result, error) {
	w.texts, w.args = append(w.texts, text), append(w.args, args...)
	return driver.RowsAffected(1), nil
}

// TestFlush: what was kept is written once and in its order, as one statement as far as
// one can hold it, and otherwise table by table.
func TestFlush(t *testing.T) {
	db := opened(t)
	for _, c := range []struct {
		tables, rows int // rows of each table
		joins        bool
		want         int // statements
	}{
		{0, 0, true, 0},
		{1, 1, true, 1},
		{2, 1, true, 1},
		{maxParts, maxRows / maxParts, true, 1},
		{maxParts, maxRows/maxParts + 1, true, maxParts}, // too many rows
		{maxParts + 1, 1, true, maxParts + 1},            // too many tables
		{maxParts, 1, false, maxParts},
		{1, maxRows + 1, true, 2},
	} {
		line := &written{}
		tx := db.newTx(line)
		tx.d = &Dialect{joins: c.joins}
		var want []any
		for table := range c.tables {
			rows := Rows{table: fmt.Sprintf("t%d", table), columns: "a, b", width: 2}
			for row := range c.rows {
				rows.args = append(rows.args, table, row)
			}
			want = append(want, rows.args...)
			tx.InsertLater(rows)
		}
		for range 2 { // the second time nothing is left
			if err := tx.Flush(t.Context()); err != nil {
				t.Errorf("%+v: %v", c, err)
			}
		}
		text := strings.Join(line.texts, "\n")
		if len(line.texts) != c.want || strings.Count(text, "INSERT INTO") != max(c.tables, c.want) {
			t.Errorf("%+v: %d statements:\n%s", c, len(line.texts), text)
		}
		if !slices.Equal(line.args, want) {
			t.Errorf("%+v: the values are %v", c, line.args)
		}
	}
}
