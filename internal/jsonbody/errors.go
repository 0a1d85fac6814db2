package jsonbody

import "fmt"

// Reason says why a text was not read at all.
type Reason int

const (
	Malformed Reason = iota // not one JSON value in UTF-8
	TooLarge                // too many bytes, or values
	TooDeep
	Repeated // an object has two fields with one name (RFC 7493)
)

// Error is a text that was not read. Detail says why, to stand behind "The body is" or
// "The arguments are"; of what the text holds it tells a name at most, cut.
type Error struct {
	Reason Reason
	Detail string
}

func (e *Error) Error() string { return e.Detail }

func refuse(reason Reason, format string, args ...any) *Error {
	return &Error{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}
