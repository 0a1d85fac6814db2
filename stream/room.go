package stream

import "context"

// Room is the memory that a request may use while it works. It is released while the request waits.
type Room interface {
	// Take waits until the request may use so many bytes for the log or the record. It returns
	// false if there was no room in time.
	Take(ctx context.Context, bytes int) bool
	// Rest releases everything.
	Rest()
}

// RoomKey is the context key of a request's Room.
type RoomKey struct{}

// RoomOf returns the Room of a request; without one in the context, a Room without limit.
func RoomOf(ctx context.Context) Room {
	if t, ok := ctx.Value(RoomKey{}).(Room); ok {
		return t
	}
	return free{}
}

type free struct{}

func (free) Take(context.Context, int) bool { return true }
func (free) Rest()                          {}

// size returns the bytes of live events.
func size(events []*Event) (bytes int) {
	for _, e := range events {
		bytes += e.size()
	}
	return bytes
}
