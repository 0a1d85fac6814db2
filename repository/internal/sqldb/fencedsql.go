package sqldb

import (
	"fmt"
	"strconv"
	"strings"
)

// fencedArgs are the values of a fenced statement before those of its parts: the workspace, its new
// last_seq, its new last_change_id, and the expected one.
const fencedArgs = 4

// maxUpdates limits the updates of one statement; maxParts and maxRows limit its INSERTs.
const maxUpdates = 4

// fencedKey returns the shape of a fenced statement.
func fencedKey(updates []updating, inserts []Rows) (key textKey, ok bool) {
	if len(updates) > maxUpdates || len(inserts) > maxParts {
		return key, false
	}
	key.tail = "fenced"
	for i := range updates {
		key.updates[i] = updates[i].Update
	}
	total := 0
	for i := range inserts {
		key.parts[i] = part{inserts[i].table, inserts[i].tail, inserts[i].count()}
		total += inserts[i].count()
	}
	return key, total <= maxRows
}

// fencedSQL is one statement that advances the workspace to its next change, and does the rest only
// if that succeeds: the previous change must still be the latest one, and every row to be updated
// must be as it was read. The updates run in order: the session releasing the slot is updated
// before the one acquiring it. The result has one row if everything was done and none if nothing
// was. A row that was not found after all, or rejected by the tail of its INSERT, is an error,
// which rolls back everything.
func fencedSQL(updates []updating, inserts []Rows) string {
	var b strings.Builder
	b.WriteString("WITH fence AS (UPDATE workspaces SET last_seq = $2, last_change_id = $3 WHERE id = $1 AND last_change_id = $4")
	from := fencedArgs
	for _, u := range updates {
		b.WriteString(" AND EXISTS (SELECT 1 FROM " + u.table + " WHERE " + shifted(u.where, from) + ")")
		from += len(u.args)
	}
	b.WriteString(" RETURNING 1)")
	before, demanded, done := "fence", len(updates), make([]string, 0, len(updates)+len(inserts))
	from = fencedArgs
	for i, u := range updates {
		name := fmt.Sprintf("update_%d", i)
		b.WriteString(", " + name + " AS (UPDATE " + u.table + " SET " + shifted(u.set, from) + " WHERE " + shifted(u.where, from) +
			" AND EXISTS (SELECT 1 FROM " + before + ") RETURNING 1)")
		from += len(u.args)
		before, done = name, append(done, "(SELECT COUNT(*) FROM "+name+")")
	}
	for i := range inserts {
		fmt.Fprintf(&b, ", insert_%d AS (INSERT INTO %s (%s) SELECT * FROM (VALUES ", i, inserts[i].table, inserts[i].columns)
		writeTyped(&b, &inserts[i], from)
		b.WriteString(") AS rows WHERE EXISTS (SELECT 1 FROM fence)")
		if inserts[i].tail != "" {
			b.WriteString(inserts[i].tail + " RETURNING 1")
			demanded, done = demanded+inserts[i].count(), append(done, fmt.Sprintf("(SELECT COUNT(*) FROM insert_%d)", i))
		}
		b.WriteByte(')')
		from += len(inserts[i].args)
	}
	if demanded == 0 {
		return b.String() + " SELECT 1 FROM fence"
	}
	return b.String() + " SELECT 1 / CASE WHEN " + strings.Join(done, " + ") + " = " + strconv.Itoa(demanded) +
		" THEN 1 ELSE 0 END FROM fence"
}

// writeTyped writes the placeholders of rows, with casts in the first row: the types of a VALUES
// list do not depend on the table that it is inserted into.
func writeTyped(b *strings.Builder, rows *Rows, from int) {
	for i := range rows.width {
		if i > 0 {
			b.WriteByte(',')
		} else {
			b.WriteByte('(')
		}
		fmt.Fprintf(b, "$%d::%s", from+1+i, typeOf(rows.args[i]))
	}
	b.WriteByte(')')
	for n := 1; n < rows.count(); n++ {
		b.WriteString(",(" + Placeholders(from+1+n*rows.width, rows.width) + ")")
	}
}

// typeOf returns the database's type of a row's value.
func typeOf(value any) string {
	switch value.(type) {
	case string:
		return "text"
	case bool:
		return "boolean"
	case int64, int, *int64, Stamp:
		return "bigint"
	case float64, *float64:
		return "double precision"
	case []byte:
		return "bytea"
	}
	panic(fmt.Sprintf("sqldb: no type is known for %T in a list of values", value))
}

// shifted returns the text with its placeholders renumbered to follow $by.
func shifted(text string, by int) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 {
			return b.String() + text
		}
		end := i + 1
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(text[i+1 : end])
		if err != nil {
			panic("sqldb: a $ without a number: " + text)
		}
		b.WriteString(text[:i+1] + strconv.Itoa(n+by))
		text = text[end:]
	}
}
