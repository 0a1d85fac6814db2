package stream

import (
	"bytes"
	"strconv"

	"github.com/fermata-dev/fermata/domain"
)

// Frame is an encoded event, shared by all listeners. Data must not be modified.
type Frame struct {
	// Seq is the event's number in its workspace; 0 for events without an id.
	Seq        int64
	SessionSeq int64
	Data       []byte

	// answer is set for the text of an answer. It is void for a listener that already got the
	// finished message.
	answer *answer
}

// NoID is the id of events that are not in the log: none is written, so that a browser's cursor
// does not move to it.
const NoID = -1

// Encode encodes an event as a Server-Sent Event. Its data, an object, includes the event's type,
// because many clients expose nothing but the data.
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

// Typed returns the data of an event, an object, with the event's type as its first field, as
// streams send it. The log stores it without.
func Typed(name string, data []byte) []byte {
	b, rest := appendType(make([]byte, 0, len(name)+len(data)+16), name, data)
	return append(b, rest...)
}

// appendType begins the object with the event's type, and returns the rest of it.
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
