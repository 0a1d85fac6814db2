package stream

import (
	"errors"
	"sync"
)

// Reasons for the end of a subscription.
var (
	// ErrSlow: the listener did not keep up; it should reconnect with its cursor.
	ErrSlow = errors.New("the listener did not keep up")
	// ErrStopped: the server is shutting down, or the listener left.
	ErrStopped = errors.New("the stream has ended")
)

// Limits of a queue. A listener that is further behind is closed, because it can read the log
// instead of using the server's memory.
const (
	maxQueued      = 256
	maxQueuedBytes = 1 << 20
)

// Subscription is the queue of one listener. An idle one costs almost nothing: the queue is
// allocated on the first event.
type Subscription struct {
	filter Filter
	topic  *topic
	ready  chan struct{}

	texts []Text // of answers in progress at the beginning

	mu    sync.Mutex
	queue []*Event
	bytes int
	// base: everything after this number is in the queue, or was in it and has been taken. Unread
	// events before it are only in the log.
	base int64
	err  error
}

// Ready is readable when take returns something.
func (s *Subscription) Ready() <-chan struct{} { return s.ready }

func (s *Subscription) signal() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// push never blocks: a full queue ends the subscription.
func (s *Subscription) push(e *Event) {
	s.mu.Lock()
	switch {
	case s.err != nil:
	case len(s.queue) >= maxQueued || s.bytes+e.size() > maxQueuedBytes && len(s.queue) > 0:
		s.err, s.queue, s.bytes = ErrSlow, nil, 0
	default:
		s.queue = append(s.queue, e)
		s.bytes += e.size()
	}
	s.mu.Unlock()
	s.signal()
}

// rebase sets the number after which the queue is complete.
func (s *Subscription) rebase(seq int64) {
	s.mu.Lock()
	s.base = max(s.base, seq)
	s.mu.Unlock()
	s.signal()
}

// take empties the queue.
func (s *Subscription) take() (events []*Event, base int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	events, s.queue, s.bytes = s.queue, nil, 0
	return events, s.base, s.err
}

func (s *Subscription) end(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.signal()
}
