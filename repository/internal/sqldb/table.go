package sqldb

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Table is a table with rows of type R: the db tags of the fields name the columns, in order.
// Options after the name define how a column is used:
//
//	key      set by INSERT; UPDATE matches the row by it
//	once     set by INSERT only
//	version  set by INSERT; UPDATE requires the value that was read and increments it
//	read     not written with the row
//	write    not read
type Table[R any] struct {
	name                         string
	read, inserted               []string
	keys, version, updated       []string
	columns, insertColumns       string
	at                           map[string][]int // the field index of each column
	insertAt, foundAt, updatedAt [][]int
}

// NewTable parses the tags of R. It panics if they are invalid.
func NewTable[R any](name string) *Table[R] {
	t := &Table[R]{name: name, at: map[string][]int{}}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		tag := field.Tag.Get("db")
		if tag == "" { // an embedded row: its fields come next
			continue
		}
		column, use, _ := strings.Cut(tag, ",")
		t.at[column] = field.Index
		t.add(column, use)
	}
	t.columns, t.insertColumns = strings.Join(t.read, ", "), strings.Join(t.inserted, ", ")
	t.insertAt, t.foundAt, t.updatedAt = t.fields(t.inserted), t.fields(slices.Concat(t.keys, t.version)), t.fields(t.updated)
	return t
}

func (t *Table[R]) add(column, use string) {
	if use != "write" {
		t.read = append(t.read, column)
	}
	if use != "read" {
		t.inserted = append(t.inserted, column)
	}
	switch use {
	case "key":
		t.keys = append(t.keys, column)
	case "version":
		t.version = append(t.version, column)
	case "", "write":
		t.updated = append(t.updated, column)
	case "once", "read":
	default:
		panic(fmt.Sprintf("sqldb: column %s of table %s: no use is called %q", column, t.name, use))
	}
}

func (t *Table[R]) fields(columns []string) [][]int {
	at := make([][]int, len(columns))
	for i, c := range columns {
		at[i] = t.at[c]
	}
	return at
}

// Columns returns the comma-separated columns to be read.
func (t *Table[R]) Columns() string { return t.columns }

// ColumnsOf is Columns with an alias of the table.
func (t *Table[R]) ColumnsOf(alias string) string {
	return alias + "." + strings.Join(t.read, ", "+alias+".")
}

// Rows are rows to be inserted.
func (t *Table[R]) Rows(rows ...R) Rows {
	args := make([]any, 0, len(rows)*len(t.inserted))
	for i := range rows {
		args = appendFields(args, &rows[i], t.insertAt)
	}
	return Rows{table: t.name, columns: t.insertColumns, width: len(t.inserted), args: args}
}

// Upsert returns the tail of an INSERT that updates an existing row with the same keys, on a
// condition; "" is none.
func (t *Table[R]) Upsert(condition string) string {
	sets := make([]string, len(t.updated))
	for i, c := range t.updated {
		sets[i] = c + " = excluded." + c
	}
	tail := " ON CONFLICT (" + strings.Join(t.keys, ", ") + ") DO UPDATE SET " + strings.Join(sets, ", ")
	if condition != "" {
		tail += " WHERE " + condition
	}
	return tail
}

// Update returns the UPDATE for the values of Updated. It matches a row by its keys, its version
// and the values that the columns also had when they were read.
func (t *Table[R]) Update(also ...string) string {
	return t.UpdateBy(func(column, value, _ string) (set, condition string) { return column + " = " + value, "" }, also...)
}

// UpdateBy is Update with a callback that returns for each column how it is set from its value, or
// which condition applies. next is the placeholder of one value more than Updated returns.
func (t *Table[R]) UpdateBy(write func(column, value, next string) (set, condition string), also ...string) string {
	where := make([]string, 0, len(t.keys)+len(also)+1)
	bind := func(columns []string) {
		for _, c := range columns {
			where = append(where, c+" = "+Placeholders(len(where)+1, 1))
		}
	}
	bind(t.keys)
	bind(t.version)
	bind(also)
	first := len(where) + 1
	next := Placeholders(first+len(t.updated), 1)
	sets := make([]string, 0, len(t.updated)+1)
	for i, c := range t.updated {
		set, condition := write(c, Placeholders(first+i, 1), next)
		if set != "" {
			sets = append(sets, set)
		}
		if condition != "" {
			where = append(where, condition)
		}
	}
	for _, c := range t.version {
		sets = append(sets, c+" = "+c+" + 1")
	}
	return "UPDATE " + t.name + " SET " + strings.Join(sets, ", ") + " WHERE " + strings.Join(where, " AND ")
}

// Updated returns the values for Update: the new row, and the previous values of the columns also.
func (t *Table[R]) Updated(row *R, also ...any) []any {
	args := make([]any, 0, len(t.foundAt)+len(also)+len(t.updated)+1)
	args = append(appendFields(args, row, t.foundAt), also...)
	return appendFields(args, row, t.updatedAt)
}

func appendFields[R any](args []any, row *R, fields [][]int) []any {
	v := reflect.ValueOf(row).Elem()
	for _, at := range fields {
		switch f := v.FieldByIndex(at); f.Kind() {
		// Zero values of these types need no allocation, and many are zero.
		case reflect.String:
			args = append(args, f.String())
		case reflect.Bool:
			args = append(args, f.Bool())
		case reflect.Int, reflect.Int64:
			args = append(args, f.Int())
		default:
			args = append(args, f.Interface())
		}
	}
	return args
}
