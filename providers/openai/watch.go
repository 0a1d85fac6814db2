package openai

import (
	"context"
	"io"
	"time"

	"github.com/fermata-dev/fermata/providers"
)

// watch cuts a call that gets nowhere: no first byte, no further byte, or no end.
// (Connecting has a limit of its own in the client.)
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	free   context.CancelFunc
	timer  *time.Timer
	idle   time.Duration
}

// newWatch starts the limits. A call made whole sends nothing until all is ready:
// only the limit for the total holds for its first byte.
func newWatch(parent context.Context, idle time.Duration, streamed bool) *watch {
	w := &watch{idle: idle}
	limited, free := context.WithTimeoutCause(parent, totalTimeout,
		providers.Errorf(providers.ClassNetwork, "no complete answer within %s", totalTimeout))
	w.free = free
	w.ctx, w.cancel = context.WithCancelCause(limited)
	firstByte := idle
	if !streamed {
		firstByte = totalTimeout
	}
	w.timer = time.AfterFunc(firstByte, func() {
		w.cancel(providers.Errorf(providers.ClassNetwork, "nothing came for %s", firstByte))
	})
	return w
}

func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
	w.free()
}

// reader reads from r and gives each further byte its time.
func (w *watch) reader(r io.Reader) io.Reader { return &watchedReader{r, w} }

type watchedReader struct {
	from  io.Reader
	watch *watch
}

func (r *watchedReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if n > 0 && err == nil {
		r.watch.timer.Reset(r.watch.idle)
	}
	return n, err
}

// drain reads what is left after a complete answer (usually nothing but the end), so
// that the connection is kept instead of made anew for the next call.
func (w *watch) drain(r io.Reader) {
	w.timer.Reset(drainTimeout)
	var scratch [512]byte
	for range 8 {
		if _, err := r.Read(scratch[:]); err != nil {
			return
		}
	}
}
