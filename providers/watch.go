package providers

import (
	"context"
	"io"
	"time"
)

const (
	// TotalTimeout is the most that one call may take.
	TotalTimeout = 10 * time.Minute
	// drainTimeout is how long we wait for the end of a response whose answer is
	// complete, so that its connection can be used again.
	drainTimeout = 50 * time.Millisecond
)

// Watch cuts a call that gets nowhere: no first byte, no further byte, or no end.
// (Connecting has a limit of its own in the client.)
type Watch struct {
	// Ctx is the call's; its cause says which limit was passed.
	Ctx    context.Context
	cancel context.CancelCauseFunc
	free   context.CancelFunc
	timer  *time.Timer
	idle   time.Duration
}

// NewWatch starts the limits; Stop ends them. A call made whole sends nothing until
// all is ready: only the limit for the total holds for its first byte.
func NewWatch(parent context.Context, idle time.Duration, streamed bool) *Watch {
	w := &Watch{idle: idle}
	limited, free := context.WithTimeoutCause(parent, TotalTimeout,
		Errorf(ClassNetwork, "no complete answer within %s", TotalTimeout))
	w.free = free
	w.Ctx, w.cancel = context.WithCancelCause(limited)
	firstByte := idle
	if !streamed {
		firstByte = TotalTimeout
	}
	w.timer = time.AfterFunc(firstByte, func() {
		w.cancel(Errorf(ClassNetwork, "nothing came for %s", firstByte))
	})
	return w
}

// Stop ends the limits and the call.
func (w *Watch) Stop() {
	w.timer.Stop()
	w.cancel(nil)
	w.free()
}

// Reader reads from r and gives each further byte its time.
func (w *Watch) Reader(r io.Reader) io.Reader { return &watchedReader{r, w} }

type watchedReader struct {
	from  io.Reader
	watch *Watch
}

func (r *watchedReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if n > 0 && err == nil {
		r.watch.timer.Reset(r.watch.idle)
	}
	return n, err
}

// Drain reads what is left after a complete answer (usually nothing but the end), so
// that the connection is kept instead of made anew for the next call.
func (w *Watch) Drain(r io.Reader) {
	w.timer.Reset(drainTimeout)
	var scratch [512]byte
	for range 8 {
		if _, err := r.Read(scratch[:]); err != nil {
			return
		}
	}
}
