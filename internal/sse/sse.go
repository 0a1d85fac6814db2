// Package sse writes Server-Sent Events.
package sse

import (
	"bytes"
	"strconv"
)

// NoID is the id of events without one: a browser's cursor does not move to them.
const NoID = -1

// Append appends an event. Without a name it is of the type "message".
func Append(b []byte, name string, id int64, data []byte) []byte {
	if id >= 0 {
		b = append(b, "id: "...)
		b = strconv.AppendInt(b, id, 10)
		b = append(b, '\n')
	}
	if name != "" {
		b = append(b, "event: "...)
		b = append(b, name...)
		b = append(b, '\n')
	}
	for more := true; more; {
		// A raw line break would end the field early and lose the rest.
		var line []byte
		line, data, more = bytes.Cut(data, []byte{'\n'})
		b = append(b, "data: "...)
		b = append(b, line...)
		b = append(b, '\n')
	}
	return append(b, '\n')
}
