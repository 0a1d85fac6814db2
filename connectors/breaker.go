package connectors

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

const (
	failuresToOpen = 5 // in a row
	openAtFirst    = 30 * time.Second
	openAtMost     = 5 * time.Minute
)

// breaker is a circuit breaker for one connector. It is open while the server is down or has sent
// Retry-After. Its state is local to this process and only saves calls; nothing durable depends on
// it.
type breaker struct {
	clock clock.Clock

	mu       sync.Mutex
	failures int // in a row
	opened   int // times in a row
	until    time.Time
	trying   bool // a probing call is under way
	why      string
}

// enter reports whether a call may be made. If it returns nil, leave must be called with the result
// of the call.
func (b *breaker) enter() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock()
	switch {
	case now.Before(b.until):
		return refusedUntil(b.until.Sub(now), b.why)
	case b.failures < failuresToOpen:
		return nil
	case b.trying:
		return refusedUntil(time.Second, "another call is trying it right now")
	}
	b.trying = true
	return nil
}

func refusedUntil(wait time.Duration, why string) error {
	return &domain.OutsideError{
		Fault: domain.FaultNotSent, Temporary: true, RetryAfter: wait,
		Message: fmt.Sprintf("Nothing was sent, because %s. The next call is made in %s.",
			strings.TrimRight(why, ". "), max(wait.Round(time.Second), time.Second)),
	}
}

// closedUntil returns when the next call may be made, or nil if it may be made now.
func (b *breaker) closedUntil() *time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.clock().Before(b.until) {
		return nil
	}
	return new(b.until)
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
	return l.breaker.closedUntil()
}

// leave records how a call ended.
func (b *breaker) leave(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	failed, known := verdict(err)
	b.trying = false
	switch {
	case !known:
		return
	case failed == nil:
		b.failures, b.opened = 0, 0
		return
	}
	now := b.clock()
	if failed.RetryAfter > 0 {
		b.until, b.why = now.Add(min(failed.RetryAfter, openAtMost)), "the server asked to be left alone for a while"
	}
	if failed.Fault == domain.FaultRefused {
		return // the server is up
	}
	if b.failures++; b.failures < failuresToOpen {
		return
	}
	b.why = fmt.Sprintf("the last %d calls failed: %s", b.failures, failed.Message)
	if until := now.Add(min(openAtFirst<<min(b.opened, 10), openAtMost)); until.After(b.until) {
		b.until = until
	}
	b.opened++
}

// verdict derives the state of the server from the result of a call: a failure or a requested
// pause, nil if the server is up (a refusal is a response too), or known=false if the call was
// cancelled or never sent.
func verdict(err error) (failed *domain.OutsideError, known bool) {
	if err == nil {
		return nil, true
	}
	e, ok := errors.AsType[*domain.OutsideError](err)
	switch {
	case !ok:
		return nil, false
	case e.Fault == domain.FaultUnknown, e.Fault == domain.FaultNotSent && e.Temporary, e.RetryAfter > 0:
		return e, true
	case e.Fault == domain.FaultNotSent:
		return nil, false // the call could not be made, for a reason on our side
	}
	return nil, true
}
