package connectors

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/breaker"
	"github.com/fermata-dev/fermata/internal/clock"
)

var breakerPolicy = breaker.Policy{Failures: 5, OpenFor: 30 * time.Second, MaxOpen: 5 * time.Minute}

// circuit is the circuit breaker of one connector, with the reason why it is open: the server is down, or has sent
// Retry-After.
type circuit struct {
	clock clock.Clock

	mu      sync.Mutex
	breaker breaker.Breaker
	why     string
}

// enter reports whether a call may be made. If it returns no error, leave must be called with the permission and the
// result of the call.
func (c *circuit) enter() (breaker.Permission, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock()
	as := c.breaker.Enter(breakerPolicy, now)
	switch as {
	case breaker.Refused:
		return as, refusedUntil(c.breaker.Until().Sub(now), c.why)
	case breaker.Busy:
		return as, refusedUntil(time.Second, "another call is trying it right now")
	case breaker.Allowed, breaker.Probe:
	}
	return as, nil
}

func refusedUntil(wait time.Duration, why string) error {
	return &outside.Error{
		Fault: outside.FaultNotSent, Temporary: true, RetryAfter: wait,
		Message: fmt.Sprintf("Nothing was sent, because %s. The next call is made in %s.",
			strings.TrimRight(why, ". "), max(wait.Round(time.Second), time.Second)),
	}
}

// pausedUntil returns when the next call may be made, or nil if it may be made now.
func (c *circuit) pausedUntil() *time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.breaker.State(breakerPolicy, c.clock()) != breaker.Open {
		return nil
	}
	return new(c.breaker.Until())
}

// pausedUntil returns when the next call of a connector may be made, according to the breaker of
// this process.
func (m *Manager) pausedUntil(workspace, id string) *time.Time {
	m.mu.Lock()
	var l *endpoint
	if w := m.workspaces[workspace]; w != nil {
		l = w.endpoints[id]
	}
	m.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.circuit.pausedUntil()
}

// leave records how a call ended.
func (c *circuit) leave(as breaker.Permission, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	failed, known := verdict(err)
	switch {
	case !known:
		c.breaker.Skip(as)
		return
	case failed == nil:
		c.breaker.Succeed(as)
		return
	}
	now := c.clock()
	if failed.RetryAfter > 0 {
		c.breaker.Pause(now.Add(min(failed.RetryAfter, breakerPolicy.MaxOpen)))
		c.why = "the server asked to be left alone for a while"
	}
	if failed.Fault == outside.FaultRefused {
		c.breaker.Skip(as)
		return // the server is up
	}
	c.breaker.Fail(breakerPolicy, as, now)
	if n := c.breaker.Failures(); n >= breakerPolicy.Failures {
		c.why = fmt.Sprintf("the last %d calls failed: %s", n, failed.Message)
	}
}

// verdict derives the state of the server from the result of a call: a failure or a requested
// pause, nil if the server is up (a refusal is a response too), or known=false if the call was
// cancelled or never sent.
func verdict(err error) (failed *outside.Error, known bool) {
	if err == nil {
		return nil, true
	}
	e, ok := errors.AsType[*outside.Error](err)
	switch {
	case !ok:
		return nil, false
	case e.Fault == outside.FaultUnknown, e.Fault == outside.FaultNotSent && e.Temporary, e.RetryAfter > 0:
		return e, true
	case e.Fault == outside.FaultNotSent:
		return nil, false // the call could not be made, for a reason on our side
	}
	return nil, true
}
