package providers

import (
	"context"
	"io"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// drainTimeout is how long we wait for the end of a response whose answer is complete,
// so that its connection can be used again.
const drainTimeout = 50 * time.Millisecond

// Watch cuts a call that gets nowhere: no connection, no first byte, no further byte, or
// no end.
type Watch struct {
	// Ctx is the call's; its cause says which limit was passed.
	Ctx        context.Context
	cancel     context.CancelCauseFunc
	free       context.CancelFunc
	connecting *time.Timer
	timer      *time.Timer
	idle       time.Duration
	ending     atomic.Bool // what follows is the end alone
	progress   *Progress
}

// NewWatch starts the limits; Stop ends them.
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
	w.connecting.Stop() // until a connection is asked for
	w.timer = time.AfterFunc(firstByte, func() {
		cancel(Errorf(ClassNetwork, "nothing came for %s", firstByte))
	})
	w.Ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { w.connecting.Reset(connect) },
		GotConn: func(httptrace.GotConnInfo) { w.connecting.Stop() },
	})
	return w
}

// Stop ends the limits and the call.
func (w *Watch) Stop() {
	w.connecting.Stop()
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
	if n > 0 {
		r.watch.progress.note()
		if err == nil && !r.watch.ending.Load() {
			r.watch.timer.Reset(r.watch.idle)
		}
	}
	return n, err
}

const (
	// endGrace is how long the end of a stream is waited for once an answer has said why it
	// stops: what it used may follow, and some hosts leave the stream open.
	endGrace = 2 * time.Second
	// endGraceWithUsage is the same where nothing more is expected.
	endGraceWithUsage = 300 * time.Millisecond
)

// Ending says that the answer is complete but for what it used, or, with used, altogether:
// the rest of the stream has little time from now on.
func (w *Watch) Ending(used bool) {
	grace := endGrace
	if used {
		grace = endGraceWithUsage
	}
	w.ending.Store(true)
	w.timer.Reset(grace)
}

// GoesOn says that more of the answer came after all.
func (w *Watch) GoesOn() {
	if w.ending.Swap(false) {
		w.timer.Reset(w.idle)
	}
}

// Drain reads what is left after a complete answer (usually nothing but the end), so
// that the connection is kept instead of made anew for the next call.
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

// Progress says of a call whether an answer had begun to come when it failed.
type Progress struct{ began atomic.Bool }

type progressKey struct{}

// WithProgress makes the call that is made under the context tell its progress.
func WithProgress(ctx context.Context) (context.Context, *Progress) {
	p := &Progress{}
	return context.WithValue(ctx, progressKey{}, p), p
}

func progressOf(ctx context.Context) *Progress {
	p, _ := ctx.Value(progressKey{}).(*Progress)
	return p
}

// Began says that bytes of an answer came.
func (p *Progress) Began() bool { return p.began.Load() }

func (p *Progress) note() {
	if p != nil && !p.began.Load() {
		p.began.Store(true)
	}
}
