package handlers

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

const (
	// What the streams of one credential, and of all of a workspace, may hold of the log
	// while their listeners take it in.
	maxStreamedByKey       = 32 << 20
	maxStreamedByWorkspace = 128 << 20
	// snapshotRoom is what a snapshot takes, as a rule.
	snapshotRoom = 1 << 20
	// comeAgain is when a listener may try again who found too many streams open.
	comeAgain = 10 * time.Second
)

// tally counts the streams that are open, by key and by address.
type tally struct {
	mu   sync.Mutex
	open map[string]int
}

// ceiling is how many streams name may have open; what is who that is, for people.
type ceiling struct {
	name, what string
	most       int
}

// enter counts a stream in. Where one of the ceilings is reached, it counts nothing and
// says which.
func (t *tally) enter(ceilings []ceiling) *ceiling {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, c := range ceilings {
		if t.open[c.name] >= c.most {
			return &ceilings[i]
		}
	}
	for _, c := range ceilings {
		t.open[c.name]++
	}
	return nil
}

func (t *tally) leave(ceilings []ceiling) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range ceilings {
		if t.open[c.name]--; t.open[c.name] <= 0 {
			delete(t.open, c.name)
		}
	}
}

// ceilings are those of a stream's caller: his address, and his key if he has one of a
// workspace. The root key and the open server on loopback have only the address.
func (s *edge) ceilings(r *http.Request) []ceiling {
	all := []ceiling{{"address " + limitKey(r), "this address", s.limits.StreamsPerAddress}}
	if who := caller(r); who.Name != auth.NameRoot && who.Name != auth.NameLocal {
		all = append(all, ceiling{"key " + who.Name, "this key", s.limits.StreamsPerKey})
	}
	return all
}

func tooManyStreams(w http.ResponseWriter, c *ceiling) error {
	w.Header().Set("Retry-After", strconv.Itoa(int(comeAgain/time.Second)))
	return domain.Errorf(CodeTooManyStreams, "%d event streams of %s are open, as many as may be. "+
		"Close some, or follow several sessions on one stream: GET /v1/events/stream?sessions=….", c.most, c.what)
}

// makeRoom waits until there is room for so many bytes of this stream, and holds it until
// they are written. Who has not taken in what others wait for by then is closed, and comes
// back by his cursor.
func (e *eventStream) makeRoom(ctx context.Context, bytes int) bool {
	e.room.release()
	e.room = e.s.unread.reserve(
		ctx,
		int64(bytes),
		writeWithin,
		accountsOf("streams", e.who, maxStreamedByKey, maxStreamedByWorkspace)...,
	)
	return e.room != nil
}

// replayRoom waits until none of the others of this key reads the log.
func (e *eventStream) replayRoom(ctx context.Context) (done func(), ok bool) {
	taken := e.s.unread.reserve(ctx, 1, writeWithin, ofKey("replays", e.who, workAtOnce))
	return taken.release, taken != nil
}

// releaseRoom gives the room back.
func (e *eventStream) releaseRoom() {
	e.room.release()
	e.room = nil
}
