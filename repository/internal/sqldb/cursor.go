package sqldb

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Cursor identifies the last row of a page. Clients see it as an opaque text.
type Cursor struct {
	Number int64  `json:"n"`
	Name   string `json:"t,omitempty"`
	ID     string `json:"i"`
}

// TimeCursor is the cursor of a list that is ordered by a time and the id.
func TimeCursor(at Stamp, id string) Cursor { return Cursor{Number: at.UnixMicro(), ID: id} }

// String returns the opaque form.
func (k Cursor) String() string {
	b, err := json.Marshal(k)
	if err != nil {
		panic("sqldb: a cursor of a number and texts cannot fail to encode: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// ReadCursor decodes a client's cursor; "" is the beginning. The cursor must belong to the same
// list: its id equals of or begins with it (`zon` of `zon_…`). The cursor of another list would
// silently select an arbitrary position.
func ReadCursor(cursor, of string) (Cursor, error) {
	var k Cursor
	if cursor == "" {
		return k, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	if err != nil || k.ID == "" || strings.ContainsRune(k.ID, 0) { // PostgreSQL has no text with NUL
		return k, domain.Invalid("/after", "bad_cursor", "This cursor is not one that the server gave out.")
	}
	if k.ID != of && !strings.HasPrefix(k.ID, of+"_") {
		return k, domain.Invalid("/after", "bad_cursor", "This cursor is that of another list.")
	}
	return k, nil
}
