package repository

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// stamp is a time as both databases keep it: microseconds since 1970 in UTC. The
// zero time is NULL.
type stamp struct{ time.Time }

func stampOf(t *time.Time) stamp {
	if t == nil {
		return stamp{}
	}
	return stamp{*t}
}

// Value is what the database keeps.
func (s stamp) Value() (driver.Value, error) {
	if s.IsZero() {
		return nil, nil
	}
	return s.UnixMicro(), nil
}

// Scan reads what the database kept.
func (s *stamp) Scan(src any) error {
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

func (s stamp) ptr() *time.Time {
	if s.IsZero() {
		return nil
	}
	t := s.Time
	return &t
}

// text is the JSON of a value, "" for nil. Characters are kept as they are: the
// text is replayed and read by people.
func text[T any](v *T) (string, error) {
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

// parsed is the value of a JSON text, nil for "".
func parsed[T any](s string) (*T, error) {
	if s == "" {
		return nil, nil
	}
	v := new(T)
	if err := json.Unmarshal([]byte(s), v); err != nil {
		return nil, fmt.Errorf("decode %T: %w", v, err)
	}
	return v, nil
}

// raw is a JSON text byte for byte; nothing for "".
func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// maxRows bounds the rows of one INSERT, so that few different statements are ever
// prepared.
const maxRows = 16

// placeholders are n of them from $from on, with commas.
func placeholders(from, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(from + i))
	}
	return b.String()
}

// prefixed puts an alias before each column.
func prefixed(alias, columns string) string {
	parts := strings.Split(columns, ",")
	for i, p := range parts {
		parts[i] = alias + "." + strings.TrimSpace(p)
	}
	return strings.Join(parts, ", ")
}

// distinct keeps the last of those with the same key, in the place of the first: a
// row is written once in a transaction, as it is at its end.
func distinct[T any](all []T, key func(T) string) []T {
	at := make(map[string]int, len(all))
	out := make([]T, 0, len(all))
	for _, v := range all {
		if i, seen := at[key(v)]; seen {
			out[i] = v
			continue
		}
		at[key(v)] = len(out)
		out = append(out, v)
	}
	return out
}
