package edge

import (
	"context"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

const (
	// chatRoom is the memory reserved for a protocol request to a session: it reads small pages of the log. Every
	// other protocol request reserves that of a page.
	chatRoom = 1 << 20
	// copies is how many copies of the data that a protocol reads are in memory at most until the response is
	// written: as stored, as decoded, and as encoded for the protocol.
	copies = 4
	// mostAtOnce limits one reservation.
	mostAtOnce = 32 << 20
	// AskAgain is how often a request that lasts asks whether its caller may still continue. With what
	// package auth remembers, a revoked key closes its streams within 60 s.
	AskAgain = 30 * time.Second
)

// doorRoom is the memory that a protocol request reserves from its caller's accounts: an estimate while it works,
// the size of the response until the client has read it, and nothing while it waits. It is reserved here and not
// by each protocol, so that none can forget it.
type doorRoom struct {
	room *Hold
	most int64
}

// enterDoor waits until the memory for the request is available.
func (x *exchange) enterDoor(r *http.Request, room int64) error {
	held := x.edge.Ledger.Open(Accounts(r)...)
	if full := held.grow(r.Context(), room, waitForRoom); full != nil {
		held.Release()
		return noRoom(x, full)
	}
	x.atDoor = &doorRoom{held, room}
	return nil
}

func (x *exchange) leaveDoor() {
	if x.atDoor != nil {
		x.atDoor.room.Release()
	}
}

// Take implements stream.Room.
func (t *doorRoom) Take(ctx context.Context, bytes int) bool {
	more := max(t.most, min(copies*int64(bytes), mostAtOnce)) - t.room.size()
	return more <= 0 || t.room.grow(ctx, more, WriteWithin) == nil
}

// Rest implements stream.Room.
func (t *doorRoom) Rest() {
	if t.room.size() > 0 {
		t.room.Resize(0)
	}
}

// writing accounts for a response that is being written. It does not wait: the data is in memory already.
func (t *doorRoom) writing(bytes int) {
	if t != nil {
		t.room.Resize((copies - 1) * int64(bytes))
	}
}

// watch returns a context that ends when the caller may no longer continue: their key was revoked, or their
// sign-in or token has ended. Every request that lasts is checked, independently of its handler. A database that does not
// respond is no reason to end one.
//
// The context is a new one: the request's own is already used elsewhere, such as by a database query, and must not
// change.
func (s *Edge) watch(parent context.Context, who *auth.Identity) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	timer := time.AfterFunc(AskAgain, func() {
		again := time.NewTicker(AskAgain)
		defer again.Stop()
		for {
			if err := s.Auth.Still(ctx, who); RefusedNow(err) {
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

// RefusedNow reports whether an error means that the caller may not continue.
func RefusedNow(err error) bool {
	return err != nil && (problemOf(err).Status == http.StatusUnauthorized || domain.ErrorCode(err) == domain.CodePersonBlocked)
}
