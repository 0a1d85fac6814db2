package userdata

import "encoding/json"

// Comparison is how a condition compares a field with its value.
type Comparison string

// The comparisons. A field that is missing is unequal to everything: CompareNotEqual holds, and all others but a
// CompareExists of false do not. A value of another JSON type is unequal, too.
const (
	CompareEqual    Comparison = "eq"
	CompareNotEqual Comparison = "ne"
	CompareLess     Comparison = "lt"
	CompareAtMost   Comparison = "lte"
	CompareGreater  Comparison = "gt"
	CompareAtLeast  Comparison = "gte"
	CompareIn       Comparison = "in"       // the value is a list
	CompareContains Comparison = "contains" // part of a text, ignoring case and accents
	CompareExists   Comparison = "exists"   // the value is a bool
)

// Field is the way to a field in the data of an entry: the names of the objects around it, outermost first, and its own.
type Field []string

// Condition restricts entries by one field of their data.
type Condition struct {
	Field   Field
	Compare Comparison
	// Value is nil (for JSON's null), a bool, a float64 or a string; of CompareIn a []any of these.
	Value any
}

// EntryQuery asks for entries of a tool as a caller words it; package data checks it against the type of the tool.
type EntryQuery struct {
	EntryFilter

	// Where is a JSON object of conditions that must all hold; empty: none.
	Where json.RawMessage
	// OrderBy is the field to order by; empty: the time.
	OrderBy string
	// Fields are the fields of the data to return; none: all of them.
	Fields []string
}
