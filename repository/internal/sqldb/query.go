package sqldb

import (
	"strconv"
	"strings"
)

// Query is a SELECT built from constant parts; each ? becomes the next $n.
type Query struct {
	b    strings.Builder
	args []any
}

// NewQuery begins a query.
func NewQuery(text string, args ...any) *Query {
	q := &Query{}
	q.Add(text, args...)
	return q
}

// Add appends a part with as many ? as args.
func (q *Query) Add(text string, args ...any) {
	for _, arg := range args {
		before, after, _ := strings.Cut(text, "?")
		q.b.WriteString(before)
		q.b.WriteString(q.Bind(arg))
		text = after
	}
	q.b.WriteString(text)
}

// Bind adds a value and returns its placeholder, for values that occur more than once.
func (q *Query) Bind(arg any) string {
	q.args = append(q.args, arg)
	return "$" + strconv.Itoa(len(q.args))
}

// Text returns the statement.
func (q *Query) Text() string { return q.b.String() }

// Args returns its values.
func (q *Query) Args() []any { return q.args }

// InList returns the condition that a column is one of some ids, with placeholders from $from, and
// its values. The list is padded to 1, 10, 100 ... values, so that the number of ids does not
// multiply the prepared statements.
func InList(from int, ids []string) (condition string, args []any) {
	n := 1
	for n < len(ids) {
		n *= 10
	}
	return "IN (" + Placeholders(from, n) + ")", Padded(ids, n)
}

// Padded returns the ids padded to n values by repeating the last one.
func Padded(ids []string, n int) []any {
	args := make([]any, n)
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)]
	}
	return args
}
