package events_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/events"
	"github.com/fermata-dev/fermata/handlers/sessions"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/stream"
)

// The whole table, as the program serves it: a stream is flushed and has its
// deadlines through every layer.
func TestStreamThroughTheWholeServer(t *testing.T) {
	e, _ := edgetest.Build(t, "", clock.System, nil)
	e.HTTP = httptest.NewUnstartedServer(handlers.New(handlers.Config{
		Edge: e.Config, Sessions: sessions.Ports{Steering: edgetest.NoSteering{}},
		Events: events.Ports{Sessions: e.Store, Workspace: e.Store, Streams: e.Broker},
	}))
	// What would kill a stream without deadlines of its own.
	e.HTTP.Config.WriteTimeout = time.Second
	e.HTTP.Config.ReadTimeout = time.Second
	e.HTTP.Start()
	t.Cleanup(func() { e.Broker.Drain(); e.HTTP.Close() })
	for _, path := range []string{"/v1/sessions/ses_1/events", "/v1/sessions/ses_1/events/stream", "/v1/events", "/v1/events/stream"} {
		s := e.Listen(t, path)
		s.Want("0:snapshot")
		defer func() {
			time.Sleep(time.Millisecond)
			e.Broker.Publish(e.Store.Commit("ses_1", domain.LogSessionStatus))
			if ev, ok := s.Next(); !ok || ev.Name != "session.status" {
				t.Errorf("%s: %+v %v", path, ev, ok)
			}
			s.Cancel()
		}()
	}
	time.Sleep(1200 * time.Millisecond)
}

// brokenWriter is a connection whose writes fail from the nth on.
type brokenWriter struct {
	edgetest.PipeWriter
	left      int
	deadlines []time.Time
}

func (b *brokenWriter) SetWriteDeadline(at time.Time) error {
	b.deadlines = append(b.deadlines, at)
	return nil
}

func (b *brokenWriter) Write(p []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errors.New("i/o timeout")
	}
	return len(p), nil
}

// Every write has ten seconds of its own; a listener that lets them pass is closed,
// and leaves nothing behind.
func TestWriteThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, handler := edgetest.Build(t, "", clock.System, nil)
		w := &brokenWriter{PipeWriter: edgetest.PipeWriter{Head: http.Header{}}, left: 3}
		began := time.Now()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v1/events", nil))
		if took := time.Since(began); took != 2*events.Heartbeat { // opening, snapshot, a beat; the second beat fails
			t.Errorf("closed after %s", took)
		}
		if last := w.deadlines[len(w.deadlines)-1]; len(w.deadlines) != 6 || !last.Equal(began.Add(2*events.Heartbeat+edge.WriteWithin)) {
			t.Errorf("deadlines %v", w.deadlines)
		}
		if load := e.Broker.Load(); load != (stream.Load{}) {
			t.Errorf("left behind: %+v", load)
		}
		if strings.Contains(e.Logged.String(), `"level":"warn"`) {
			t.Errorf("noise:\n%s", e.Logged.String())
		}
	})
}

// A layer that hides the connection is found out at once, not by streams that hang.
func TestStreamBehindALayerWithoutUnwrap(t *testing.T) {
	_, handler := edgetest.Build(t, "", clock.System, nil)
	w := httptest.NewRecorder() // has no write deadline
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/v1/events", nil))
	if w.Code != http.StatusInternalServerError || edgetest.ProblemIn(t, w.Body.String()).Code != "internal" {
		t.Errorf("%d %s", w.Code, w.Body.String())
	}
}

func TestListenerThatLeaves(t *testing.T) {
	e := edgetest.New(t, "", clock.System, nil)
	c := e.Listen(t, "/v1/sessions/ses_1/events")
	c.Want("0:snapshot")
	c.Cancel()
	edgetest.Within(t, 5*time.Second, "leaving", func() {
		for e.Broker.Load().Streams > 0 {
			runtime.Gosched()
		}
	})
	if e.Broker.Watched("ses_1") {
		t.Error("a connection without a reader is watched")
	}
}

// connect opens a stream and reads its head, with next to no memory of its own.
func connect(b *testing.B, addr, path string) net.Conn {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", path); err != nil {
		b.Fatal(err)
	}
	if _, err := bufio.NewReaderSize(c, 16).ReadByte(); err != nil {
		b.Fatal(err)
	}
	return c
}

// From one commit to a thousand listeners over HTTP.
func BenchmarkFanOut(b *testing.B) {
	const n = 1000
	e := edgetest.New(b, "", clock.System, func(e *edgetest.Server, _ chi.Router) { e.Log = e.Log.Output(edgetest.Discard{}) })
	got := make(chan struct{}, n)
	for range n {
		c := connect(b, e.HTTP.Listener.Addr().String(), "/v1/sessions/ses_1/events")
		b.Cleanup(func() { _ = c.Close() })
		go func() {
			lines := bufio.NewScanner(c)
			for lines.Scan() {
				if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok && name != "snapshot" {
					got <- struct{}{}
				}
			}
		}()
	}
	for e.Broker.Load().Streams < n {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(500 * time.Millisecond)
	for b.Loop() {
		e.Broker.Publish(e.Store.Commit("ses_1", domain.LogNotice))
		for range n {
			<-got
		}
	}
}

// What an idle stream costs, beside a handler that only waits.
func BenchmarkIdleStreams(b *testing.B) {
	const n = 1000
	for _, path := range []string{"/bare", "/v1/sessions/ses_1/events"} {
		b.Run(strings.Trim(path, "/"), func(b *testing.B) {
			e, handler := edgetest.Build(b, "", clock.System, func(e *edgetest.Server, _ chi.Router) { e.Log = e.Log.Output(edgetest.Discard{}) })
			mux := http.NewServeMux()
			mux.Handle("/", handler)
			mux.HandleFunc("/bare", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			})
			server := httptest.NewServer(mux)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var conns []net.Conn
			for range n {
				conns = append(conns, connect(b, server.Listener.Addr().String(), path))
			}
			time.Sleep(300 * time.Millisecond)
			runtime.GC()
			runtime.GC()
			runtime.ReadMemStats(&after)
			for b.Loop() {
			}
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "heapB/conn")
			b.ReportMetric(float64(after.StackInuse-before.StackInuse)/n, "stackB/conn")
			for _, c := range conns {
				_ = c.Close()
			}
			e.Broker.Drain()
			server.Close()
		})
	}
}
