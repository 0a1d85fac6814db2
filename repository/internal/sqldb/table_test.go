package sqldb

import (
	"slices"
	"testing"
)

type innerRow struct {
	Workspace string `db:"workspace_id,key"`
	ID        string `db:"id,key"`
}

type exampleRow struct {
	innerRow
	Name    string `db:"name"`
	Kind    string `db:"kind,once"`
	Version int64  `db:"version,version"`
	Derived int64  `db:"derived,write"`
	Counted int64  `db:"counted,read"`
}

// TestATableIsNamedOnce: every list of columns, and the values that go with it, come from
// the row's tags, in one order.
func TestATableIsNamedOnce(t *testing.T) {
	table := NewTable[exampleRow]("examples")
	row := exampleRow{innerRow: innerRow{Workspace: "w", ID: "i"}, Name: "n", Kind: "k", Version: 7, Derived: 8, Counted: 9}
	rows := table.Rows(row)
	for _, c := range []struct{ what, have, want string }{
		{"columns", table.Columns(), "workspace_id, id, name, kind, version, counted"},
		{"columns of an alias", table.ColumnsOf("e"), "e.workspace_id, e.id, e.name, e.kind, e.version, e.counted"},
		{"insert", insertSQL(rows.table, rows.columns, 1, ""),
			"INSERT INTO examples (workspace_id, id, name, kind, version, derived) VALUES ($1,$2,$3,$4,$5,$6)"},
		{"upsert", table.Upsert("x"), " ON CONFLICT (workspace_id, id) DO UPDATE SET name = excluded.name, derived = excluded.derived WHERE x"},
		{"update", table.Update("kind"), "UPDATE examples SET name = $5, derived = $6, version = version + 1 " +
			"WHERE workspace_id = $1 AND id = $2 AND version = $3 AND kind = $4"},
	} {
		if c.have != c.want {
			t.Errorf("%s: %s\nwant %s", c.what, c.have, c.want)
		}
	}
	if want := []any{"w", "i", "n", "k", int64(7), int64(8)}; !slices.Equal(rows.args, want) {
		t.Errorf("inserted are %v, want %v", rows.args, want)
	}
	if have, want := table.Updated(&row, "before"), []any{"w", "i", int64(7), "before", "n", int64(8)}; !slices.Equal(have, want) {
		t.Errorf("updated are %v, want %v", have, want)
	}
}
