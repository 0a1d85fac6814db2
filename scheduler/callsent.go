package scheduler

import (
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// callsSent are the calls of this process's sessions whose request is on its way to the provider: they need the slot no
// longer. What another process knows of them comes with time.
type callsSent struct {
	mu    sync.Mutex
	since map[string]time.Time // by session: when its call began
}

// out reports whether the request of a session's call is on its way.
func (c *callsSent) out(session string, since time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.since[session]
	return ok && at.Equal(since)
}

func (c *callsSent) set(session string, since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since == nil {
		c.since = map[string]time.Time{}
	}
	c.since[session] = since
}

func (c *callsSent) forget(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.since, session)
}

// CallSent must be called when the request of a session's call is on its way: sessions that wait to begin a call can
// have the slot.
func (d *Door) CallSent(s *domain.Session) {
	d.calls.set(s.ID, s.State.CallSince)
	if d.wakeups.hasWaiters(s.WorkspaceID) {
		d.wakeups.look(s.WorkspaceID, d.cfg.Clock())
	}
}
