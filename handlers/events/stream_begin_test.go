package events_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/events"
	"github.com/fermata-dev/fermata/internal/clock"
)

// headWatch keeps what had been written when the head of the answer left.
type headWatch struct {
	header  http.Header
	written bytes.Buffer
	first   string
	flushed func()
}

func (h *headWatch) Header() http.Header              { return h.header }
func (h *headWatch) WriteHeader(int)                  {}
func (h *headWatch) Write(b []byte) (int, error)      { return h.written.Write(b) }
func (h *headWatch) SetWriteDeadline(time.Time) error { return nil }
func (h *headWatch) Flush() {
	if h.first == "" {
		h.first = h.written.String()
		h.flushed()
	}
}

// TestTheHeadOfAStreamLeavesWithItsPlace verifies that a client that has received the head of a stream gets
// everything from then on as events: the position in the log is determined before the head is sent.
func TestTheHeadOfAStreamLeavesWithItsPlace(t *testing.T) {
	for query, want := range map[string]string{"": "event: snapshot", "?after=99": "event: reset", "?after=1": "retry: 2000"} {
		synctest.Test(t, func(t *testing.T) {
			e, handler := edgetest.Build(t, "", clock.System, nil)
			e.Store.Commit("ses_1", domain.LogSessionCreated)
			ctx, leave := context.WithCancel(t.Context())
			w := &headWatch{header: http.Header{}, flushed: func() { e.Broker.Publish(e.Store.Commit("ses_1", domain.LogSessionPhase)) }}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/v1/sessions/ses_1/events"+query, nil))
			}()
			synctest.Wait()
			leave()
			<-ended
			if !strings.Contains(w.first, want) {
				t.Errorf("%q: the head left with %q, without %q", query, w.first, want)
			}
			if !strings.Contains(w.written.String(), "event: session.phase") {
				t.Errorf("%q: what happened after the head is no event:\n%s", query, w.written.String())
			}
		})
	}
}

// deadlineWatch is a writer whose flush fails when its deadline has passed.
type deadlineWatch struct {
	headWatch
	deadline time.Time
	late     bool
}

func (d *deadlineWatch) SetWriteDeadline(at time.Time) error { d.deadline = at; return nil }
func (d *deadlineWatch) Flush() {
	d.late = d.late || !d.deadline.IsZero() && !time.Now().Before(d.deadline)
}

// TestWaitingInVainForAStreamHasARetryTime verifies that a client that waits in vain for permission to read the log
// gets a Retry-After.
func TestWaitingInVainForAStreamHasARetryTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, handler := edgetest.Build(t, "", clock.System, nil)
		full := e.Ledger.Take(events.MaxStreamedByWorkspace, edge.OfKey("streams", &auth.Identity{Name: auth.NameLocal}, events.MaxStreamedByWorkspace))
		defer full.Release()
		w := &deadlineWatch{headWatch: headWatch{header: http.Header{}}}
		began := time.Now()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v1/sessions/ses_1/events", nil))
		if took := time.Since(began); took != edge.WriteWithin || w.late || !strings.Contains(w.written.String(), "retry: 2000") {
			t.Errorf("after %s, late %v: %q", took, w.late, w.written.String())
		}
	})
}
