package sqldb

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Stamp is a time as both databases keep it: microseconds since 1970 in UTC. The
// zero time is NULL.
type Stamp struct{ time.Time }

// At is the stamp of a time.
func At(t time.Time) Stamp { return Stamp{t} }

// AtPtr is the stamp of a time that there may not be.
func AtPtr(t *time.Time) Stamp {
	if t == nil {
		return Stamp{}
	}
	return Stamp{*t}
}

// Value is what the database keeps.
func (s Stamp) Value() (driver.Value, error) {
	if s.IsZero() {
		return nil, nil
	}
	return s.UnixMicro(), nil
}

// Scan reads what the database kept.
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

// Ptr is the time, nil when there is none.
func (s Stamp) Ptr() *time.Time {
	if s.IsZero() {
		return nil
	}
	t := s.Time
	return &t
}

// EncodeJSON is the JSON of a value, "" for nil. Characters are kept as they are: the
// text is replayed and read by people.
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

// JSONOf is EncodeJSON for many columns of a row: the first failure stays in err.
func JSONOf[T any](v *T, err *error) string {
	text, failed := EncodeJSON(v)
	if *err == nil {
		*err = failed
	}
	return text
}

// DecodeJSON is the value of a JSON text, nil for "".
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

// RawJSON is a JSON text byte for byte; nothing for "".
func RawJSON(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}
