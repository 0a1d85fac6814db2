package repository

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// query is a SELECT put together from fixed pieces; each ? becomes the next $n.
type query struct {
	b    strings.Builder
	args []any
}

func newQuery(text string, args ...any) *query {
	q := &query{}
	q.add(text, args...)
	return q
}

func (q *query) add(text string, args ...any) {
	for _, arg := range args {
		before, after, _ := strings.Cut(text, "?")
		q.args = append(q.args, arg)
		q.b.WriteString(before)
		q.b.WriteString(placeholders(len(q.args), 1))
		text = after
	}
	q.b.WriteString(text)
}

func (q *query) text() string { return q.b.String() }

// cursorKey is the last row of a page: what the next page comes after. Clients see
// it as a text without meaning.
type cursorKey struct {
	Number int64  `json:"n"`
	Name   string `json:"t,omitempty"`
	ID     string `json:"i"`
}

func (k cursorKey) String() string {
	b, err := json.Marshal(k)
	if err != nil {
		panic("repository: a cursor of a number and texts cannot fail to encode: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor reads what a client sent back; "" is the beginning.
func readCursor(cursor string) (cursorKey, error) {
	var k cursorKey
	if cursor == "" {
		return k, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	if err != nil || k.ID == "" {
		return k, domain.Invalid("/after", "cursor", "This cursor is not one that the server gave out.")
	}
	return k, nil
}

const (
	defaultPage = 50
	largestPage = 1000
)

// pageSize is the limit of a page; 0 asks for the usual one.
func pageSize(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return min(limit, largestPage)
}

// page cuts the one row too many that was read to know whether there is more.
func page[R any](rows []R, limit int, key func(*R) cursorKey) ([]R, string) {
	if len(rows) <= limit {
		return rows, ""
	}
	return rows[:limit], key(&rows[limit-1]).String()
}
