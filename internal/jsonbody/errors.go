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

// Error is a text that was not read. Its message is for people; what the text holds is
// told by name only, and cut.
type Error struct {
	Reason  Reason
	Message string
}

func (e *Error) Error() string { return e.Message }

func refuse(reason Reason, format string, args ...any) *Error {
	return &Error{Reason: reason, Message: fmt.Sprintf(format, args...)}
}
