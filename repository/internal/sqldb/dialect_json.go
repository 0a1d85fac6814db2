package sqldb

import (
	"fmt"
	"slices"
	"strings"
)

// JSONFields are the fields that one query reads from the JSON texts in its column data.
type JSONFields struct {
	dialect *Dialect
	query   *Query
	columns []string // one for each field, in PostgreSQL
	paths   [][]string
}

// JSONField holds expressions over one field. Each but Exists and Null is NULL for a value of another type.
type JSONField struct {
	Exists string // whether the field is there
	Null   string // whether it is JSON's null
	Bool   string // 1 or 0
	Number string // a double, 0 if it is very small; NULL for one so large that a sum of such would be no number any more
	Text   string
}

// JSONFields reads fields for a query.
func (d *Dialect) JSONFields(q *Query) *JSONFields { return &JSONFields{dialect: d, query: q} }

// TypeAndValue returns two expressions over a field, its type and its value as text, from which Typed makes all others. path names
// the objects around it, outermost first, and itself.
func (f *JSONFields) TypeAndValue(path []string) (kind, value string) {
	at := slices.IndexFunc(f.paths, func(known []string) bool { return slices.Equal(known, path) })
	if at < 0 {
		at = len(f.paths)
		names := make([]string, len(path))
		for i, name := range path {
			names[i] = f.query.Bind(name)
		}
		f.paths, f.columns = append(f.paths, path), append(f.columns, f.dialect.jsonPath(names))
	}
	if f.dialect.Name == "sqlite" { // which reads each text once by itself
		return "json_type(data, " + f.columns[at] + ")", "(data ->> (" + f.columns[at] + "))"
	}
	column := fmt.Sprintf("field%d", at)
	return "json_typeof(" + column + ")", "(" + column + " #>> '{}')"
}

// Of returns the expressions over a field.
func (f *JSONFields) Of(path []string) JSONField { return f.dialect.Typed(f.TypeAndValue(path)) }

// From ends the FROM clause over the table with the column data; it is asked when all fields are known.
func (f *JSONFields) From() string {
	if f.dialect.Name == "sqlite" || len(f.columns) == 0 {
		return ""
	}
	// OFFSET keeps the planner from reading the text again for each use of a field.
	if len(f.columns) == 1 {
		only := strings.Replace(f.columns[0], "document", readable("json"), 1)
		return " CROSS JOIN LATERAL (SELECT " + only + " AS field0 OFFSET 0) AS fields"
	}
	// Each look for a field in json reads the whole text; jsonb is made once.
	named := make([]string, len(f.columns))
	for i, column := range f.columns {
		named[i] = fmt.Sprintf("(%s)::json AS field%d", column, i)
	}
	return " CROSS JOIN LATERAL (SELECT " + strings.Join(named, ", ") +
		" FROM (SELECT " + readable("jsonb") + " AS document OFFSET 0) AS parsed OFFSET 0) AS fields"
}

// readable converts the column data, except where it has an escaped NUL: PostgreSQL has no text for that, and one such row,
// from an imported archive, would be an error of every query. An escaped backslash before u0000 is text like any other.
func readable(kind string) string {
	return `(CASE WHEN position('\u0000' in data) = 0 OR data !~ '(^|[^\\])(\\\\)*\\u0000' THEN data::` + kind + ` END)`
}

// sqliteJSONPath is the path of a field for json_type and ->>.
func sqliteJSONPath(names []string) string {
	return "'$.' || json_quote(" + strings.Join(names, ") || '.' || json_quote(") + ")"
}

func postgresJSONPath(names []string) string {
	return "document -> " + strings.Join(names, "::text -> ") + "::text"
}

// Typed makes the expressions over a field from its type and its value.
func (d *Dialect) Typed(kind, value string) JSONField {
	exists, null := kind+" IS NOT NULL", "COALESCE("+kind+" = 'null', FALSE)"
	if d.Name == "sqlite" {
		return JSONField{
			Exists: exists, Null: null,
			Bool: "CASE " + kind + " WHEN 'true' THEN 1 WHEN 'false' THEN 0 END",
			Number: fmt.Sprintf("CASE WHEN %s IN ('integer', 'real') AND ABS(CAST(%[2]s AS DOUBLE PRECISION)) <= 1e290 "+
				"THEN (CASE WHEN ABS(CAST(%[2]s AS DOUBLE PRECISION)) < 1e-300 THEN 0.0 ELSE CAST(%[2]s AS DOUBLE PRECISION) END) END", kind, value),
			Text: "CASE WHEN " + kind + " = 'text' THEN " + value + " END",
		}
	}
	return JSONField{
		Exists: exists, Null: null,
		Bool: "CASE WHEN " + kind + " = 'boolean' THEN (CASE " + value + " WHEN 'true' THEN 1 ELSE 0 END) END",
		// What is too small for a double is an error of the cast.
		Number: fmt.Sprintf("CASE WHEN %s = 'number' THEN (CASE WHEN ABS(%[2]s::numeric) < 1e-300 THEN 0 "+
			"WHEN ABS(%[2]s::numeric) <= 1e290 THEN %[2]s::double precision END) END", kind, value),
		Text: "CASE WHEN " + kind + " = 'string' THEN " + value + " END",
	}
}
