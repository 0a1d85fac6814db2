package api

import (
	"fmt"
	"time"
)

// Time is a time as the wire has it: RFC 3339, UTC, milliseconds.
type Time time.Time

const timeFormat = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes the time with exactly three decimals, so that what clients
// compare as text compares as time.
func (t Time) MarshalJSON() ([]byte, error) {
	return appendTime(make([]byte, 0, len(timeFormat)+2), time.Time(t)), nil
}

// UnmarshalJSON reads any RFC 3339 time.
func (t *Time) UnmarshalJSON(b []byte) error {
	if len(b) < 2 || b[0] != '"' {
		return fmt.Errorf("a time is a string like %q", timeFormat)
	}
	v, err := time.Parse(time.RFC3339Nano, string(b[1:len(b)-1]))
	if err != nil {
		return fmt.Errorf("a time is a string like %q: %w", timeFormat, err)
	}
	if y := v.UTC().Year(); y < 1 || y > 9999 { // it could not be written again
		return fmt.Errorf("a time is a string like %q, in the years 1 to 9999", timeFormat)
	}
	*t = Time(v.UTC())
	return nil
}

func appendTime(b []byte, t time.Time) []byte {
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, timeFormat)
	return append(b, '"')
}

func timePtr(t *time.Time) *Time {
	if t == nil {
		return nil
	}
	v := Time(*t)
	return &v
}
