package scheduler

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/cache"
)

// callsSent are the calls of this process's sessions whose request is on its way to the provider: they need the slot no
// longer. What another process knows of them comes with time. An entry that is lost costs slot.BeginsUntil, no more.
type callsSent struct {
	since cache.Map[string, time.Time] // by session: when its call began
}

// out reports whether the request of a session's call is on its way.
func (c *callsSent) out(session string, since time.Time) bool {
	at, ok := c.since.Get(session)
	return ok && at.Equal(since)
}

// CallSent must be called when the request of a session's call is on its way: sessions that wait to begin a call can
// have the slot.
func (d *Door) CallSent(s *domain.Session) {
	d.calls.since.Set(s.ID, s.State.CallSince)
	if d.wakeups.hasWaiters(s.LaneRef()) {
		d.wakeups.look(s.LaneRef(), d.cfg.Clock())
	}
}
