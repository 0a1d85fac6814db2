package sqldb

import (
	"strconv"
	"strings"
)

// Query is a SELECT put together from fixed pieces; each ? becomes the next $n.
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

// Add appends a piece of text with as many ? as args.
func (q *Query) Add(text string, args ...any) {
	for _, arg := range args {
		before, after, _ := strings.Cut(text, "?")
		q.b.WriteString(before)
		q.b.WriteString(q.Bind(arg))
		text = after
	}
	q.b.WriteString(text)
}

// Bind takes a value and gives its placeholder, for a text that names it more than once.
func (q *Query) Bind(arg any) string {
	q.args = append(q.args, arg)
	return "$" + strconv.Itoa(len(q.args))
}

// Text is the query so far.
func (q *Query) Text() string { return q.b.String() }

// Args are its values.
func (q *Query) Args() []any { return q.args }

// InList is the condition that a column is one of some ids, whose placeholders begin at
// $from, with its values. It takes 1, 10, 100 ... of them: how many a caller names must not
// make ever more texts, each of which is kept prepared.
func InList(from int, ids []string) (condition string, args []any) {
	n := 1
	for n < len(ids) {
		n *= 10
	}
	return "IN (" + Placeholders(from, n) + ")", Padded(ids, n)
}

// Padded are n values for so many ids or fewer, the last one repeated.
func Padded(ids []string, n int) []any {
	args := make([]any, n)
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)]
	}
	return args
}
