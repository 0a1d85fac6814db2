package stream

import "context"

// Room is what a request may hold in memory while it works for its caller. It gives that back while it
// waits for something to happen.
type Room interface {
	// Take waits until the request may work, with so many bytes of the log or of the record; false: there was no
	// room for it in time.
	Take(ctx context.Context, bytes int) bool
	// Rest gives everything back.
	Rest()
}

// RoomKey is under which a context has the Room of its request.
type RoomKey struct{}

// RoomOf is the turn of a request; one that is always given, where the context is of none.
func RoomOf(ctx context.Context) Room {
	if t, ok := ctx.Value(RoomKey{}).(Room); ok {
		return t
	}
	return free{}
}

type free struct{}

func (free) Take(context.Context, int) bool { return true }
func (free) Rest()                          {}

// size is how many bytes live frames have.
func size(frames []*Frame) (bytes int) {
	for _, f := range frames {
		bytes += len(f.Data)
	}
	return bytes
}
