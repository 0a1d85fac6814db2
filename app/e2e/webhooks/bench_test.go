package webhooks

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

const (
	benchSessions = 200
	benchInFlight = 8 // as many as a webhook has
)

// BenchmarkDeliveries: events of many sessions are sent to a receiver that answers at once, and
// recorded; beside it, the same number of bare requests, as many at a time.
func BenchmarkDeliveries(b *testing.B) {
	for name, open := range harness.Databases {
		b.Run(name, func(b *testing.B) {
			s := harness.NewServer(b, open(b), func(c *app.Config) { c.Rate.Requests, c.Rate.RequestsBurst = 1e6, 1e6 })
			r := newReceiver(b)
			id := r.registered(s, "session.created", "session.status")
			begun := s.Call("GET", "/v1/webhooks/"+id, nil).Want(200).At("sent_to")
			for i := range benchSessions {
				made := s.Call("POST", "/v1/sessions", map[string]any{"name": fmt.Sprint(i)}).Want(201)
				s.Call("PATCH", "/v1/sessions/"+made.Str("id"), map[string]any{"name": "again"}).Want(200)
			}
			testkit.Until(b, "the events to be sent at first", func() bool { return len(r.taken()) >= benchSessions })
			var sent, all int
			var took time.Duration
			for b.Loop() {
				before := len(r.taken())
				from := time.Now()
				s.Call("POST", "/v1/webhooks/"+id+"/replay", map[string]any{"after": begun}).Want(200)
				want := len(logged(s, int64(begun.(float64)), "session.created", "session.status"))
				testkit.Until(b, "all to be sent again", func() bool { return len(r.taken())-before >= want })
				took += time.Since(from)
				sent, all = sent+want, want
			}
			bare := bareRequests(b, r, all)
			b.ReportMetric(float64(sent)/took.Seconds(), "messages/s")
			b.ReportMetric(took.Seconds()/float64(sent)/(bare.Seconds()/float64(all)), "x-bare")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// bareRequests sends as many requests without a server: what the wire alone takes.
func bareRequests(b *testing.B, r *receiver, n int) time.Duration {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchInFlight}}
	defer client.CloseIdleConnections()
	todo := make(chan struct{}, n)
	for range n {
		todo <- struct{}{}
	}
	close(todo)
	var all sync.WaitGroup
	from := time.Now()
	for range benchInFlight {
		all.Go(func() {
			for range todo {
				response, err := client.Post(r.URL, "application/json", bytes.NewReader(make([]byte, 900)))
				if err != nil {
					b.Error(err)
					return
				}
				_ = response.Body.Close()
			}
		})
	}
	all.Wait()
	return time.Since(from)
}
