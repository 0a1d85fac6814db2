package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/stream"
)

// listeners serves the event streams of a store to anybody who names a key.
func listeners(t *testing.T, store *edgeStore, limits RateLimits) func(key string, out http.ResponseWriter) {
	t.Helper()
	broker := stream.New(stream.Config{})
	t.Cleanup(broker.Drain)
	h := New(Config{
		Edge: Edge{
			Tickets: &keptTickets{}, Auth: namedAuth{}, Idempotency: newKeptRequests(), Log: zerolog.Nop(), Clock: clock.System,
			RateLimits: limits,
		},
		Sessions: SessionPorts{Steering: noSteering{}}, Events: EventPorts{Sessions: store, Workspace: store, Streams: broker},
	})
	return func(key string, out http.ResponseWriter) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/sessions/ses_1/events/stream?after=0", nil)
		r.Header.Set("Authorization", "Bearer "+key)
		h.ServeHTTP(out, r)
	}
}

// quietReader reads everything and disconnects on request.
type quietReader struct {
	header http.Header
	status int
	leave  chan struct{}
	body   strings.Builder
}

func (q *quietReader) Header() http.Header              { return q.header }
func (q *quietReader) WriteHeader(status int)           { q.status = status }
func (q *quietReader) SetWriteDeadline(time.Time) error { return nil }
func (q *quietReader) Flush()                           {}
func (q *quietReader) Write(b []byte) (int, error) {
	select {
	case <-q.leave:
		return 0, http.ErrHandlerTimeout
	default:
	}
	return q.body.Write(b)
}

// As many streams as may be are open, of a key and from an address; the next one is
// refused in words, and has its place when another has ended.
func TestAsManyStreamsAsMayBeAreOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &edgeStore{sessions: map[string]*domain.Session{"ses_1": {ID: "ses_1", WorkspaceID: domain.DefaultWorkspace}}}
		listen := listeners(t, store, RateLimits{StreamsPerKey: 3, StreamsPerAddress: 5})
		var all []*quietReader
		open := func(key string) *quietReader {
			q := &quietReader{header: http.Header{}, leave: make(chan struct{})}
			all = append(all, q)
			go listen(key, q)
			synctest.Wait()
			return q
		}
		refused := func(q *quietReader, what string) {
			t.Helper()
			if p := problemIn(t, q.body.String()); q.status != 429 || p.Code != string(CodeTooManyStreams) || !strings.Contains(p.Detail, what) || q.header.Get("Retry-After") == "" {
				t.Errorf("%d %s", q.status, q.body.String())
			}
		}
		first := open("a")
		open("a")
		open("a")
		refused(open("a"), "3 event streams of this key")
		open("b")
		if last := open("b"); last.status != 200 {
			t.Errorf("another key got %d", last.status)
		}
		refused(open("c"), "5 event streams of this address")
		close(first.leave)
		time.Sleep(heartbeat) // it is noticed at the next beat
		synctest.Wait()
		if again := open("a"); again.status != 200 {
			t.Errorf("after one has left: %d %s", again.status, again.body.String())
		}
		for _, q := range all[1:] {
			close(q.leave)
		}
		time.Sleep(heartbeat)
	})
}

// Slow readers of a log with long messages hold a bounded part of it, however many they
// are; each is let go in time, and who does read gets every event meanwhile.
func TestSlowReadersHoldABoundedPartOfTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &edgeStore{sessions: map[string]*domain.Session{"ses_1": {ID: "ses_1", WorkspaceID: domain.DefaultWorkspace}}}
		for i := range 10 {
			e := &domain.LogEvent{Seq: int64(i + 1), SessionSeq: int64(i + 1), SessionID: "ses_1", WorkspaceID: domain.DefaultWorkspace, Type: domain.LogNotice}
			e.Data, _ = json.Marshal(map[string]string{"text": strings.Repeat("a", 2<<20)})
			store.events = append(store.events, e)
		}
		listen := listeners(t, store, RateLimits{})
		var all sync.WaitGroup
		var held gauge
		for range 100 {
			all.Go(func() { listen("slow", &stuck{header: http.Header{}, held: &held, opening: true}) })
		}
		synctest.Wait()
		began := time.Now()
		q := &quietReader{header: http.Header{}, leave: make(chan struct{})}
		all.Go(func() { listen("other", q) })
		synctest.Wait()
		if got := strings.Count(q.body.String(), "event: notice"); got != 10 {
			t.Errorf("another key got %d of 10 events", got)
		}
		close(q.leave)
		all.Wait()
		if held.most > maxStreamedByKey {
			t.Errorf("the streams of one key held %d bytes", held.most)
		}
		if took := time.Since(began); took > 2*writeWithin+heartbeat {
			t.Errorf("the last one was let go after %s", took)
		}
	})
}

// The remaining quota of a key is in the headers of its responses, in the form of the IETF's
// draft.
func TestResponsesHaveRateLimitHeaders(t *testing.T) {
	c := newWorld(t).serveWith(t, RateLimits{PerSecond: 1e-3, Burst: 3})
	for i, want := range []string{`"default";r=2;t=1000`, `"default";r=1;t=2000`, `"default";r=0;t=3000`} {
		got := c.want(200, "GET", "/v1/zones", "", "Authorization", "Bearer viewer")
		equal(t, fmt.Sprint("RateLimit, request ", i+1), got.header.Get("RateLimit"), want)
		equal(t, "RateLimit-Policy", got.header.Get("RateLimit-Policy"), `"default";q=3;w=3000`)
	}
	got := c.want(429, "GET", "/v1/zones", "", "Authorization", "Bearer viewer")
	equal(t, "RateLimit at the end", got.header.Get("RateLimit"), `"default";r=0;t=3000`)
	equal(t, "Retry-After", got.header.Get("Retry-After"), "1001")
}
