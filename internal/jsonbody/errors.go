package jsonbody

import "fmt"

// Reason classifies why a text was rejected as a whole.
type Reason int

const (
	Malformed Reason = iota // not one JSON value in UTF-8
	TooLarge                // too many bytes, or values
	TooDeep
	Repeated // an object has two fields with one name (RFC 7493)
)

// Error is a rejected text. Detail explains it, as the rest of a sentence after "The body is" or "The
// arguments are"; of the text it contains a name at most, shortened.
type Error struct {
	Reason Reason
	Detail string
}

func (e *Error) Error() string { return e.Detail }

func refuse(reason Reason, format string, args ...any) *Error {
	return &Error{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}
