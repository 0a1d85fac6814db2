package events

import (
	"context"

	"github.com/fermata-dev/fermata/handlers/edge"
)

const (
	// What the streams of one credential, and of all of a workspace, may hold of the log
	// while their listeners take it in.
	maxStreamedByKey       = 32 << 20
	maxStreamedByWorkspace = 128 << 20
	// snapshotRoom is what a snapshot takes, as a rule.
	snapshotRoom = 1 << 20
)

// makeRoom waits until there is room for so many bytes of this stream, and holds it until
// they are written. Who has not taken in what others wait for by then is closed, and comes
// back by his cursor.
func (e *eventStream) makeRoom(ctx context.Context, bytes int) bool {
	e.room.Release()
	e.room = e.s.Ledger.Reserve(
		ctx,
		int64(bytes),
		edge.WriteWithin,
		edge.AccountsOf("streams", e.who, maxStreamedByKey, maxStreamedByWorkspace)...,
	)
	return e.room != nil
}

// replayRoom waits until none of the others of this key reads the log.
func (e *eventStream) replayRoom(ctx context.Context) (done func(), ok bool) {
	taken := e.s.Ledger.Reserve(ctx, 1, edge.WriteWithin, edge.OfKey("replays", e.who, edge.WorkAtOnce))
	return taken.Release, taken != nil
}

// releaseRoom gives the room back.
func (e *eventStream) releaseRoom() {
	e.room.Release()
	e.room = nil
}
