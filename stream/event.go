package stream

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/sse"
)

// Event is an event of a stream. It is shared by all listeners and must not be modified.
type Event struct {
	// Seq is the event's number in its workspace; 0 for events that are not in the log.
	Seq        int64
	SessionSeq int64
	Name       string
	// Body is the data as the log stores it: a JSON object without the event's type.
	Body []byte

	// stored is set for the text of an answer: the number of the message that the text became, 0 until
	// then. The text is void for a listener that already got that message.
	stored *atomic.Int64

	encode  sync.Once
	encoded []byte
}

// Encode encodes events, each once for all of its listeners. encode gets sse.NoID as the id of events that
// are not in the log.
func Encode(events []*Event, encode func(name string, id int64, body []byte) []byte) [][]byte {
	all := make([][]byte, len(events))
	for i, e := range events {
		e.encode.Do(func() { e.encoded = encode(e.Name, cmp.Or(e.Seq, sse.NoID), e.Body) })
		all[i] = e.encoded
	}
	return all
}

// headBytes is about what an encoded event has beside its name, which it has twice, and its body.
const headBytes = 64

// size returns about how many bytes the event has when it is encoded.
func (e *Event) size() int { return 2*len(e.Name) + len(e.Body) + headBytes }

// committed returns an event of the log.
func committed(e *domain.LogEvent) *Event {
	return &Event{Seq: e.Seq, SessionSeq: e.SessionSeq, Name: string(e.Type), Body: e.Data}
}
