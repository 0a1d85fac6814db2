package providers

import (
	"context"
	"errors"
	"io"
	"net/http/httptrace"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// slowReader gives a byte after each pause.
type slowReader struct {
	ctx    context.Context
	pauses []time.Duration
}

func (r *slowReader) Read(p []byte) (int, error) {
	if len(r.pauses) == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(r.pauses[0]):
		r.pauses = r.pauses[1:]
		p[0] = 'x'
		return 1, nil
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}

// A call has four limits, each with a default and a value in the config; which one was
// exceeded is returned.
func TestTheFourTimeouts(t *testing.T) {
	const s, m = time.Second, time.Minute
	for name, c := range map[string]struct {
		limits   Timeouts
		streamed bool
		connect  time.Duration // how long connecting takes
		pauses   []time.Duration
		want     string // "": it goes well
		after    time.Duration
	}{
		"quick":                               {Timeouts{}, true, s, []time.Duration{s, s}, "", 0},
		"no connection":                       {Timeouts{}, true, m, nil, "no connection within 10s", 10 * s},
		"no connection, as configured":        {Timeouts{ConnectSeconds: 2}, true, m, nil, "no connection within 2s", 2 * s},
		"no first byte":                       {Timeouts{}, true, 0, []time.Duration{3 * m}, "no data for 2m0s", 2 * m},
		"no first byte, as configured":        {Timeouts{FirstByteSeconds: 5}, true, 0, []time.Duration{m}, "no data for 5s", 5 * s},
		"a first byte that may take long":     {Timeouts{FirstByteSeconds: 300}, true, 0, []time.Duration{4 * m, s}, "", 0},
		"silence":                             {Timeouts{}, true, 0, []time.Duration{s, 3 * m}, "no data for", s + 2*m},
		"silence, as configured":              {Timeouts{IdleSeconds: 30}, true, 0, []time.Duration{s, m}, "no data for", 31 * s},
		"steady but slow":                     {Timeouts{}, true, 0, []time.Duration{m, m, m, m}, "", 0},
		"never an end":                        {Timeouts{}, true, 0, []time.Duration{m, m, m, m, m, m, m, m, m, m, m, m}, "no complete answer within 10m0s", 10 * m},
		"an end, as configured":               {Timeouts{TotalSeconds: 90}, true, 0, []time.Duration{m, m}, "no complete answer within 1m30s", 90 * s},
		"whole, which is silent till the end": {Timeouts{}, false, 0, []time.Duration{5 * m}, "", 0},
		"whole, with a limit to the silence":  {Timeouts{IdleSeconds: 30}, false, 0, []time.Duration{5 * m}, "no data for 30s", 30 * s},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, progress := WithProgress(t.Context())
				w := NewWatch(ctx, c.limits, c.streamed)
				defer w.Stop()
				began := time.Now()
				trace := httptrace.ContextClientTrace(w.Ctx)
				trace.GetConn("host:443")
				select {
				case <-time.After(c.connect):
					trace.GotConn(httptrace.GotConnInfo{})
				case <-w.Ctx.Done():
				}
				all, err := io.ReadAll(w.Reader(&slowReader{w.Ctx, c.pauses}))
				if w.Ctx.Err() != nil {
					err = w.Ctx.Err()
				}
				if progress.Began() != (len(all) > 0) {
					t.Errorf("%d bytes came, progress says %v", len(all), progress.Began())
				}
				if c.want == "" {
					if err != nil {
						t.Fatalf("it failed: %v", context.Cause(w.Ctx))
					}
					return
				}
				var e *Error
				if !errors.As(TransportError(w.Ctx, err, ""), &e) || e.Class != ClassNetwork || !strings.Contains(e.Message, c.want) {
					t.Errorf("it says %v, want %q", e, c.want)
				}
				if took := time.Since(began); took != c.after {
					t.Errorf("after %s, want %s", took, c.after)
				}
			})
		})
	}
}
