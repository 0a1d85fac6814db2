package stream

import (
	"errors"
	"sync"
)

// Why a subscription is over.
var (
	// ErrSlow: the listener did not keep up; it comes back with its cursor.
	ErrSlow = errors.New("the listener did not keep up")
	// ErrStopped: the server is going down, or the listener left.
	ErrStopped = errors.New("the stream has ended")
)

// The bounds of a queue. A listener that is behind by more is closed: memory is the
// server's, the log is the listener's to read again.
const (
	maxQueued      = 256
	maxQueuedBytes = 1 << 20
)

// Subscription is one listener's queue. It costs next to nothing while nothing
// happens: the queue is made when something comes.
type Subscription struct {
	filter Filter
	topic  *topic
	ready  chan struct{}

	texts []Text // of answers in progress at the beginning

	mu    sync.Mutex
	queue []*Frame
	bytes int
	// base: everything after this number is in the queue, or was there and has been
	// taken. What lies before it and was not read yet is only in the log.
	base int64
	err  error
}

// Ready has something in it when Take has.
func (s *Subscription) Ready() <-chan struct{} { return s.ready }

func (s *Subscription) signal() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// push never waits: a full queue ends the subscription.
func (s *Subscription) push(f *Frame) {
	s.mu.Lock()
	switch {
	case s.err != nil:
	case len(s.queue) >= maxQueued || s.bytes+len(f.Data) > maxQueuedBytes && len(s.queue) > 0:
		s.err, s.queue, s.bytes = ErrSlow, nil, 0
	default:
		s.queue = append(s.queue, f)
		s.bytes += len(f.Data)
	}
	s.mu.Unlock()
	s.signal()
}

// rebase says that the queue continues after seq only.
func (s *Subscription) rebase(seq int64) {
	s.mu.Lock()
	s.base = max(s.base, seq)
	s.mu.Unlock()
	s.signal()
}

// take empties the queue.
func (s *Subscription) take() (frames []*Frame, base int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, s.queue, s.bytes = s.queue, nil, 0
	return frames, s.base, s.err
}

func (s *Subscription) end(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.signal()
}
