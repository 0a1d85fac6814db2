package providers

import (
	"context"
	"io"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// drainTimeout bounds the wait for the end of a response with a complete answer, so that its
// connection can be reused.
const drainTimeout = 50 * time.Millisecond

// Watch cancels a call without progress: no connection, no first byte, no further byte, or no end.
type Watch struct {
	// Ctx is the context of the call; its cause is the exceeded limit.
	Ctx        context.Context
	cancel     context.CancelCauseFunc
	free       context.CancelFunc
	connecting *time.Timer
	timer      *time.Timer
	idle       time.Duration
	ending     atomic.Bool // only the end of the stream is missing
	progress   *Progress
}

// NewWatch starts the timers; Stop ends them.
func NewWatch(parent context.Context, limits Timeouts, streamed bool) *Watch {
	w := &Watch{idle: limits.idle(), progress: progressOf(parent)}
	total, connect, firstByte := limits.total(), limits.connect(), limits.firstByte(streamed)
	limited, free := context.WithTimeoutCause(parent, total, Errorf(ClassNetwork, "no complete answer within %s", total))
	w.free = free
	ctx, cancel := context.WithCancelCause(limited)
	w.cancel = cancel
	w.connecting = time.AfterFunc(connect, func() {
		cancel(Errorf(ClassNetwork, "no connection within %s", connect))
	})
	w.connecting.Stop() // until a connection is requested
	w.timer = time.AfterFunc(firstByte, func() {
		cancel(Errorf(ClassNetwork, "no data for %s", firstByte))
	})
	w.Ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { w.connecting.Reset(connect) },
		GotConn: func(httptrace.GotConnInfo) { w.connecting.Stop() },
	})
	return w
}

// Stop stops the timers and cancels the call's context.
func (w *Watch) Stop() {
	w.connecting.Stop()
	w.timer.Stop()
	w.cancel(nil)
	w.free()
}

// Reader wraps r and restarts the idle timer with each read.
func (w *Watch) Reader(r io.Reader) io.Reader { return &watchedReader{r, w} }

type watchedReader struct {
	from  io.Reader
	watch *Watch
}

func (r *watchedReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if n > 0 {
		r.watch.progress.note()
		if err == nil && !r.watch.ending.Load() {
			r.watch.timer.Reset(r.watch.idle)
		}
	}
	return n, err
}

const (
	// endGrace bounds the wait for the end of a stream after the finish reason: usage data may
	// follow, and some hosts leave the stream open.
	endGrace = 2 * time.Second
	// endGraceWithUsage is the same after the usage data.
	endGraceWithUsage = 300 * time.Millisecond
)

// Ending marks the answer as complete except for its usage or, with used, entirely, which shortens
// the wait for the end of the stream.
func (w *Watch) Ending(used bool) {
	grace := endGrace
	if used {
		grace = endGraceWithUsage
	}
	w.ending.Store(true)
	w.timer.Reset(grace)
}

// GoesOn reverts Ending: more of the answer was received.
func (w *Watch) GoesOn() {
	if w.ending.Swap(false) {
		w.timer.Reset(w.idle)
	}
}

// Drain reads the rest after a complete answer (usually nothing but the end), so that the
// connection can be reused.
func (w *Watch) Drain(r io.Reader) {
	w.ending.Store(true)
	w.timer.Reset(drainTimeout)
	var scratch [512]byte
	for range 8 {
		if _, err := r.Read(scratch[:]); err != nil {
			return
		}
	}
}

// Progress reports whether an answer had begun when a call failed.
type Progress struct{ began atomic.Bool }

type progressKey struct{}

// WithProgress returns a context whose call reports its progress.
func WithProgress(ctx context.Context) (context.Context, *Progress) {
	p := &Progress{}
	return context.WithValue(ctx, progressKey{}, p), p
}

func progressOf(ctx context.Context) *Progress {
	p, _ := ctx.Value(progressKey{}).(*Progress)
	return p
}

// Began reports whether bytes of an answer were received.
func (p *Progress) Began() bool { return p.began.Load() }

func (p *Progress) note() {
	if p != nil && !p.began.Load() {
		p.began.Store(true)
	}
}
