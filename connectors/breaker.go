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

// breaker keeps calls from a connector that is down, or that asked to be left alone. It is
// this process's own: what it remembers saves calls, and decides nothing that must be kept.
type breaker struct {
	clock clock.Clock

	mu       sync.Mutex
	failures int // in a row
	opened   int // times in a row
	until    time.Time
	trying   bool // the call that finds out whether it is back is under way
	why      string
}

// enter asks whether a call may be made. Where it may, leave must be told how it ended.
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
		return refusedUntil(time.Second, "another call is trying it just now")
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

// closedUntil is when the next call may be made; nil: now.
func (b *breaker) closedUntil() *time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.clock().Before(b.until) {
		return nil
	}
	return new(b.until)
}

// pausedUntil is when a connector's next call may be made, as this process knows.
func (m *Manager) pausedUntil(workspace, id string) *time.Time {
	m.mu.Lock()
	var l *line
	if w := m.workspaces[workspace]; w != nil {
		l = w.lines[id]
	}
	m.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.breaker.closedUntil()
}

// leave takes in how a call ended.
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
		return // it is up
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

// verdict says what the end of a call tells about the server: a failure of it, or that it
// asked for time; nil if it is up (a refusal is an answer); or nothing at all, where the
// call was cut or never went out.
func verdict(err error) (failed *domain.OutsideError, known bool) {
	if err == nil {
		return nil, true
	}
	e, ok := errors.AsType[*domain.OutsideError](err)
	switch {
	case !ok:
		return nil, false
	case e.Fault == domain.FaultDoubt, e.Fault == domain.FaultNotSent && e.Temporary, e.RetryAfter > 0:
		return e, true
	case e.Fault == domain.FaultNotSent:
		return nil, false // the call could not be made, whatever the server does
	}
	return nil, true
}
