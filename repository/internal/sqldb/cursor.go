package sqldb

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Cursor is the last row of a page: what the next page comes after. Clients see
// it as a text without meaning.
type Cursor struct {
	Number int64  `json:"n"`
	Name   string `json:"t,omitempty"`
	ID     string `json:"i"`
}

// TimeCursor is that of a list in the order of a time and the id.
func TimeCursor(at Stamp, id string) Cursor { return Cursor{Number: at.UnixMicro(), ID: id} }

// String is what clients see.
func (k Cursor) String() string {
	b, err := json.Marshal(k)
	if err != nil {
		panic("sqldb: a cursor of a number and texts cannot fail to encode: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// ReadCursor reads what a client sent back; "" is the beginning. It must be a cursor of
// what is listed: its id is that, or has it for a prefix (`zon` of `zon_…`). Another
// list's would be a place in an order that this one does not have: a page that begins
// anywhere, mostly at the end, and says so to nobody.
func ReadCursor(cursor, of string) (Cursor, error) {
	var k Cursor
	if cursor == "" {
		return k, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	if err != nil || k.ID == "" {
		return k, domain.Invalid("/after", "bad_cursor", "This cursor is not one that the server gave out.")
	}
	if k.ID != of && !strings.HasPrefix(k.ID, of+"_") {
		return k, domain.Invalid("/after", "bad_cursor", "This cursor is that of another list.")
	}
	return k, nil
}
