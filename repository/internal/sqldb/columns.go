package sqldb

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Stamp is a time as stored in both databases: microseconds since 1970 in UTC. The zero time is
// NULL.
type Stamp struct{ time.Time }

// At converts a time to a Stamp.
func At(t time.Time) Stamp { return Stamp{t} }

// AtPtr converts an optional time; nil becomes the zero Stamp.
func AtPtr(t *time.Time) Stamp {
	if t == nil {
		return Stamp{}
	}
	return Stamp{*t}
}

// Value implements driver.Valuer.
func (s Stamp) Value() (driver.Value, error) {
	if s.IsZero() {
		return nil, nil
	}
	return s.UnixMicro(), nil
}

// Scan implements sql.Scanner.
func (s *Stamp) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		s.Time = time.Time{}
	case int64:
		s.Time = time.UnixMicro(v).UTC()
	default:
		return fmt.Errorf("read a time: %T is not a number of microseconds", src)
	}
	return nil
}

// Ptr returns the time, or nil for the zero Stamp.
func (s Stamp) Ptr() *time.Time {
	if s.IsZero() {
		return nil
	}
	t := s.Time
	return &t
}

// EncodeJSON returns the JSON of a value, "" for nil. It does not escape HTML characters: people
// read the text, and the prompt contains it.
func EncodeJSON[T any](v *T) (string, error) {
	if v == nil {
		return "", nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// JSONOf is EncodeJSON for several columns of a row: it keeps the first error in err.
func JSONOf[T any](v *T, err *error) string {
	text, failed := EncodeJSON(v)
	if *err == nil {
		*err = failed
	}
	return text
}

// DecodeJSON decodes a JSON text; "" gives nil.
func DecodeJSON[T any](s string) (*T, error) {
	if s == "" {
		return nil, nil
	}
	v := new(T)
	if err := json.Unmarshal([]byte(s), v); err != nil {
		return nil, fmt.Errorf("decode %T: %w", v, err)
	}
	return v, nil
}

// RawJSON returns a JSON text byte for byte, nil for "".
func RawJSON(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}
