package stream

import (
	"bytes"
	"strconv"

	"github.com/fermata-dev/fermata/domain"
)

// Frame is one event as it goes over the wire, encoded once and shared by every
// listener. Data must not be changed.
type Frame struct {
	// Seq is the event's number in its workspace; 0 for what has no id.
	Seq        int64
	SessionSeq int64
	Data       []byte

	// answer is set for the text of an answer. It is void for a listener that has
	// been given the finished message already.
	answer *answer
}

// NoID is the id of what is not in the log: none is written, so that a browser's
// cursor never moves to it.
const NoID = -1

// Encode writes an event in the form of Server-Sent Events. Its data, an object, says the
// event's type too: many clients hand over nothing but the data.
func Encode(name string, id int64, data []byte) []byte {
	b := make([]byte, 0, 2*len(name)+len(data)+64)
	if id >= 0 {
		b = append(b, "id: "...)
		b = strconv.AppendInt(b, id, 10)
		b = append(b, '\n')
	}
	b = append(b, "event: "...)
	b = append(b, name...)
	b = append(b, "\ndata: "...)
	b, data = appendType(b, name, data)
	for {
		// A raw line break would end the field early and lose the rest.
		line, rest, more := bytes.Cut(data, []byte{'\n'})
		b = append(b, line...)
		if !more {
			break
		}
		b = append(b, "\ndata: "...)
		data = rest
	}
	return append(b, "\n\n"...)
}

// Typed is the data of an event, an object, with the event's type as its first field: as
// streams send it. The log keeps it without.
func Typed(name string, data []byte) []byte {
	b, rest := appendType(make([]byte, 0, len(name)+len(data)+16), name, data)
	return append(b, rest...)
}

// appendType begins the object with the event's type, and returns what is left of it.
func appendType(b []byte, name string, data []byte) (begun, rest []byte) {
	if len(data) < 2 || data[0] != '{' {
		return b, data
	}
	b = append(b, `{"type":"`...)
	b = append(b, name...)
	b = append(b, '"')
	if data[1] != '}' {
		b = append(b, ',')
	}
	return b, data[1:]
}

func durable(e *domain.LogEvent) *Frame {
	return &Frame{Seq: e.Seq, SessionSeq: e.SessionSeq, Data: Encode(string(e.Type), e.Seq, e.Data)}
}
