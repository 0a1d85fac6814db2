package events_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/events"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/handlers/sessions"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/stream"
)

// listeners serves the event streams of a store to anybody who names a key.
func listeners(t *testing.T, store *edgetest.Store, limits edge.RateLimits) func(key string, out http.ResponseWriter) {
	t.Helper()
	broker := stream.New(stream.Config{})
	t.Cleanup(broker.Drain)
	h := handlers.New(handlers.Config{
		Edge: edge.Config{
			Tickets: &edgetest.KeptTickets{}, Auth: servertest.NamedAuth{}, Idempotency: edgetest.NewKeptRequests(), Log: zerolog.Nop(), Clock: clock.System,
			RateLimits: limits,
		},
		Sessions: sessions.Ports{Steering: edgetest.NoSteering{}}, Events: events.Ports{Sessions: store, Workspace: store, Streams: broker},
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
		store := &edgetest.Store{ByID: map[string]*domain.Session{"ses_1": {ID: "ses_1", WorkspaceID: domain.DefaultWorkspace}}}
		listen := listeners(t, store, edge.RateLimits{StreamsPerKey: 3, StreamsPerAddress: 5})
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
			if p := edgetest.ProblemIn(t, q.body.String()); q.status != 429 || p.Code != string(edge.CodeTooManyStreams) || !strings.Contains(p.Detail, what) || q.header.Get("Retry-After") == "" {
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
		time.Sleep(events.Heartbeat) // it is noticed at the next beat
		synctest.Wait()
		if again := open("a"); again.status != 200 {
			t.Errorf("after one has left: %d %s", again.status, again.body.String())
		}
		for _, q := range all[1:] {
			close(q.leave)
		}
		time.Sleep(events.Heartbeat)
	})
}

// Slow readers of a log with long messages hold a bounded part of it, however many they
// are; each is let go in time, and who does read gets every event meanwhile.
func TestSlowReadersHoldABoundedPartOfTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &edgetest.Store{ByID: map[string]*domain.Session{"ses_1": {ID: "ses_1", WorkspaceID: domain.DefaultWorkspace}}}
		for i := range 10 {
			e := &domain.LogEvent{Seq: int64(i + 1), SessionSeq: int64(i + 1), SessionID: "ses_1", WorkspaceID: domain.DefaultWorkspace, Type: domain.LogNotice}
			e.Data, _ = json.Marshal(map[string]string{"text": strings.Repeat("a", 2<<20)})
			store.Log = append(store.Log, e)
		}
		listen := listeners(t, store, edge.RateLimits{})
		var all sync.WaitGroup
		var held edgetest.Gauge
		for range 100 {
			all.Go(func() { listen("slow", &edgetest.Stuck{Head: http.Header{}, Held: &held, Opening: true}) })
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
		if held.Most > events.MaxStreamedByKey {
			t.Errorf("the streams of one key held %d bytes", held.Most)
		}
		if took := time.Since(began); took > 2*edge.WriteWithin+events.Heartbeat {
			t.Errorf("the last one was let go after %s", took)
		}
	})
}
