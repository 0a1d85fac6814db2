package userdata

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/search"
)

// where is the conditions on the data of rows, each with an AND before it. The names and values are bound to the query of
// fields, whose FROM clause ends with fields.From.
func where(d *sqldb.Dialect, q *sqldb.Query, fields *sqldb.JSONFields, conditions []userdata.Condition) string {
	var out strings.Builder
	for i := range conditions {
		out.WriteString(" AND " + holds(d, q, fields.Of(conditions[i].Field), &conditions[i]))
	}
	return out.String()
}

// holds is one condition, which is never NULL.
func holds(d *sqldb.Dialect, q *sqldb.Query, field sqldb.JSONField, c *userdata.Condition) string {
	switch c.Compare {
	case userdata.CompareExists:
		if c.Value == true {
			return "(" + field.Exists + ")"
		}
		return "NOT (" + field.Exists + ")"
	case userdata.CompareNotEqual:
		return "NOT " + equal(q, field, c.Value)
	case userdata.CompareIn:
		values, _ := c.Value.([]any)
		return oneOf(q, field, values)
	case userdata.CompareContains:
		text, _ := c.Value.(string)
		return search.Contains(d, q, field.Text, text)
	case userdata.CompareLess, userdata.CompareAtMost, userdata.CompareGreater, userdata.CompareAtLeast:
		operator := map[userdata.Comparison]string{
			userdata.CompareLess: " < ", userdata.CompareAtMost: " <= ", userdata.CompareGreater: " > ", userdata.CompareAtLeast: " >= ",
		}[c.Compare]
		if number, ok := c.Value.(float64); ok {
			return "COALESCE(" + field.Number + operator + q.Bind(number) + ", FALSE)"
		}
		return "COALESCE((" + field.Text + ")" + d.Binary + operator + q.Bind(c.Value) + ", FALSE)"
	default:
		return equal(q, field, c.Value)
	}
}

// equal is whether a field has a value; never NULL.
func equal(q *sqldb.Query, field sqldb.JSONField, value any) string {
	switch v := value.(type) {
	case nil:
		return field.Null
	case bool:
		return "COALESCE(" + field.Bool + " = " + q.Bind(bit(v)) + ", FALSE)"
	case float64:
		return "COALESCE(" + field.Number + " = " + q.Bind(v) + ", FALSE)"
	default:
		return "COALESCE(" + field.Text + " = " + q.Bind(v) + ", FALSE)"
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// oneOf is whether a field has one of some values, in one list for each of their types.
func oneOf(q *sqldb.Query, field sqldb.JSONField, values []any) string {
	var conditions, numbers, texts []string
	for _, value := range values {
		switch v := value.(type) {
		case float64:
			numbers = append(numbers, q.Bind(v))
		case string:
			texts = append(texts, q.Bind(v))
		default:
			if is := equal(q, field, v); !slices.Contains(conditions, is) {
				conditions = append(conditions, is)
			}
		}
	}
	if len(numbers) > 0 {
		conditions = append(conditions, "COALESCE("+field.Number+" IN ("+strings.Join(numbers, ", ")+"), FALSE)")
	}
	if len(texts) > 0 {
		conditions = append(conditions, "COALESCE("+field.Text+" IN ("+strings.Join(texts, ", ")+"), FALSE)")
	}
	if len(conditions) == 0 {
		return "(FALSE AND " + field.Exists + ")" // PostgreSQL wants each bound name to be used
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}

// orderedText is how many characters of a text count for the order, so that a cursor stays small.
const orderedText = 200

// ordering is the order of a page by a field: by type, then by value, then by time and id. What has no number, text or
// boolean in the field is last in both directions.
type ordering struct{ rank, number, text string }

func orderingOf(d *sqldb.Dialect, f sqldb.JSONField, descending bool) ordering {
	ranks := "0 WHEN " + f.Text + " IS NOT NULL THEN 1 WHEN " + f.Bool + " IS NOT NULL THEN 2 ELSE 3"
	if descending {
		ranks = "2 WHEN " + f.Text + " IS NOT NULL THEN 1 WHEN " + f.Bool + " IS NOT NULL THEN 0 ELSE -1"
	}
	return ordering{
		rank:   "CASE WHEN " + f.Number + " IS NOT NULL THEN " + ranks + " END",
		number: "COALESCE(" + f.Number + ", CAST(" + f.Bool + " AS DOUBLE PRECISION), 0)",
		text:   "SUBSTR(COALESCE(" + f.Text + ", ''), 1, " + strconv.Itoa(orderedText) + ")" + d.Binary,
	}
}

// orderedCursor is the last row of a page that is ordered by a field.
type orderedCursor struct {
	Order      userdata.Field `json:"o"`
	Descending bool           `json:"d"`
	Rank       int            `json:"k"`
	Number     float64        `json:"v"`
	Text       string         `json:"t"`
	At         int64          `json:"n"`
	ID         string         `json:"i"`
}

func (c *orderedCursor) String() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic("repository: a cursor of numbers and texts cannot fail to encode: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// readOrderedCursor reads a cursor that a client sent. Values that no page ends with would be errors in PostgreSQL.
func readOrderedCursor(cursor string, order userdata.Field, descending bool) (*orderedCursor, error) {
	var c orderedCursor
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || c.ID == "" || !slices.Equal(c.Order, order) || c.Descending != descending || c.Rank < -1 || c.Rank > 3 ||
		strings.ContainsRune(c.ID+c.Text, 0) {
		return nil, domain.Invalid("/after", "bad_cursor", "This cursor is not one of this list in this order.")
	}
	return &c, nil
}

// orderedRow is an entry with its place in the order.
type orderedRow struct {
	entryRow

	Rank   int     `db:"order_rank"`
	Number float64 `db:"order_number"`
	Text   string  `db:"order_text"`
}

func (r *orderedRow) entry() userdata.Entry { return r.entryRow.entry() }

// microseconds is a time as it is stored.
func microseconds(at int64) sqldb.Stamp { return sqldb.At(time.UnixMicro(at)) }
