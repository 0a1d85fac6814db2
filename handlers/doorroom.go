package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/auth"
)

const (
	// chatRoom is what a door to a session takes while it works, as a rule: the pages of the log that it tells
	// are small. Every other door has the room of a page.
	chatRoom = 1 << 20
	// copies is how often what a door reads is in memory, at most, until it is written: as it was stored, as it
	// was read, and in the words of the protocol.
	copies = 4
	// mostAtOnce bounds what is asked for at once.
	mostAtOnce = 32 << 20
)

// doorRoom is what a request to a door holds of the accounts of its caller: room while it works, what it writes
// until that is read, and nothing while it waits. No door asks for it itself, so that none can forget it.
type doorRoom struct {
	room *hold
	most int64
}

// enterDoor waits until the door may begin.
func (x *exchange) enterDoor(r *http.Request, room int64) error {
	held := x.edge.unread.open(accounts(r)...)
	if full := held.grow(r.Context(), room, waitForRoom); full != nil {
		held.release()
		return noRoom(x, full)
	}
	x.atDoor = &doorRoom{held, room}
	return nil
}

func (x *exchange) leaveDoor() {
	if x.atDoor != nil {
		x.atDoor.room.release()
	}
}

// Take is that of stream.Room.
func (t *doorRoom) Take(ctx context.Context, bytes int) bool {
	more := max(t.most, min(copies*int64(bytes), mostAtOnce)) - t.room.size()
	return more <= 0 || t.room.grow(ctx, more, writeWithin) == nil
}

// Rest is that of stream.Room.
func (t *doorRoom) Rest() {
	if t.room.size() > 0 {
		t.room.resize(0)
	}
}

// writing counts what is being written, until its reader has taken it. It cannot wait: it is there.
func (t *doorRoom) writing(bytes int) {
	if t != nil {
		t.room.resize((copies - 1) * int64(bytes))
	}
}

// watch returns a context that ends when the caller may no longer continue: their key was revoked, or their
// sign-in or token has ended. Every request that lasts is checked, whatever its handler does. A database that does not
// answer is no reason to end one.
//
// The context is a new one. The request's own is already in the hands of others, such as a query of the database
// that waits for its end, and must not change under them.
func (s *edge) watch(parent context.Context, who *auth.Identity) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	timer := time.AfterFunc(askAgain, func() {
		again := time.NewTicker(askAgain)
		defer again.Stop()
		for {
			if err := s.Auth.Still(ctx, who); refusedNow(err) {
				cancel(err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
		}
	})
	return ctx, func() {
		timer.Stop()
		cancel(context.Canceled)
	}
}

// refusedNow says whether an error means that a caller may not go on.
func refusedNow(err error) bool {
	return err != nil && problemOf(err).Status == http.StatusUnauthorized
}
