package edge

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

const (
	// Limits in bytes for request bodies in memory, from the first byte to the response: per credential, per
	// workspace, and for the whole server, of which shareOfBodies is reserved for each workspace.
	MaxBodiesByKey       = 8 << 20
	maxBodiesByWorkspace = 32 << 20
	maxBodies            = 128 << 20
	shareOfBodies        = 16 << 20
	// The same for callers without credentials, by their address.
	maxBodiesByAddress  = 4 << 20
	maxBodiesOfUnknown  = 32 << 20
	shareOfBodiesByAddr = 1 << 20
	// bodyStep is how much of a body is counted at a time that does not say how long it is.
	bodyStep = 64 << 10
	// A body has bodyGrace to come, and a second more for each leastRate bytes of it that have come;
	// bodyWithin in all.
	bodyGrace  = 10 * time.Second
	leastRate  = 16 << 10
	bodyWithin = time.Minute
)

// arriving is the body of a request while it comes. Every request that has one has this one.
type arriving struct {
	io.ReadCloser
	x               *exchange
	peer            string
	room            *Hold
	announced       int64 // how long it says it is, until that is counted
	bytes, reserved int64
	err             error // it was refused
}

// meter counts the body of a request as it arrives.
func (x *exchange) meter(r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	x.body = arriving{ReadCloser: r.Body, x: x, peer: r.RemoteAddr, announced: min(r.ContentLength, bodyLimit(r))}
	r.Body = &x.body
}

// Read waits for the room of what has come before more of it is read.
func (b *arriving) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	control := http.NewResponseController(b.x.ResponseWriter)
	_ = control.SetReadDeadline(clock.System().Add(b.left())) // a writer that cannot do it is a test's
	n, err := b.ReadCloser.Read(p)
	b.bytes += int64(n)
	switch {
	case err != nil && errors.Is(err, os.ErrDeadlineExceeded), err == nil && b.left() <= 0:
		b.err = domain.Errorf(CodeUnreadable, "The body came too slowly: it has %d s, and a second more for each %d bytes of it, up to %d s. "+
			"Nothing was done.", int(bodyGrace.Seconds()), leastRate, int(bodyWithin.Seconds()))
		return n, b.err
	case err != nil:
		_ = control.SetReadDeadline(time.Time{}) // a deadline would count as the caller having left
	}
	if b.err = b.reserve(); b.err != nil {
		return n, b.err
	}
	return n, err //nolint:wrapcheck // implements the body
}

// left is how long the next bytes may take.
func (b *arriving) left() time.Duration {
	within := min(bodyWithin, bodyGrace+time.Duration(b.bytes)*time.Second/leastRate)
	return within - b.x.edge.Clock().Sub(b.x.begun)
}

// reserve counts what has come. A body is not counted before: who announces much and sends nothing holds
// nothing. Once enough of it is there that it has begun in earnest, the rest that it announces is counted with
// it, so that of many large bodies some come to their end, and not all of them to the middle.
func (b *arriving) reserve() error {
	if b.bytes < Large || b.bytes <= b.reserved {
		return nil
	}
	if b.room == nil {
		b.room = b.x.edge.Ledger.Open(bodyAccounts(b.x)...)
	}
	more := max((b.bytes-b.reserved+bodyStep-1)/bodyStep*bodyStep, b.announced)
	b.announced = 0
	if full := b.room.grow(b.x, more, waitForRoom); full != nil {
		return noRoom(b.x, full)
	}
	b.reserved += more
	return nil
}

// release returns the body's memory to its accounts.
func (b *arriving) release() {
	b.room.Release()
	b.room = nil
}

// bodyAccounts are what the body of a request counts for.
func bodyAccounts(x *exchange) []Account {
	who := x.who
	switch {
	case who == nil:
		own := Account{Name: "bodies of address " + AddressOf(x.body.peer), limit: maxBodiesByAddress, whose: thisAddress}
		share := own
		share.limit = shareOfBodiesByAddr
		return []Account{own, {Name: "bodies without credentials", limit: maxBodiesOfUnknown, share: &share}}
	case isOperator(who):
		return []Account{OfKey("bodies", who, maxBodiesByWorkspace)}
	}
	own := OfWorkspace("bodies", who, maxBodiesByWorkspace)
	share := own
	share.limit = shareOfBodies
	return []Account{OfKey("bodies", who, MaxBodiesByKey), own, {Name: "bodies", limit: maxBodies, share: &share}}
}
