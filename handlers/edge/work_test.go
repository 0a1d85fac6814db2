package edge_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// slowBody is a body that comes in pieces, in a second.
type slowBody struct {
	text io.Reader
	held *edgetest.Gauge
	came int
}

func (b *slowBody) Read(p []byte) (int, error) {
	time.Sleep(time.Second / 16)
	n, err := b.text.Read(p[:min(len(p), edge.MaxBody/16)])
	b.held.Add(n)
	b.came += n
	return n, err
}

// TestLargeBodiesOfOneKeyAreBounded verifies that the number of bytes sent at a time with one credential is
// bounded: further requests wait, then are rejected with Retry-After, while another key is served.
func TestLargeBodiesOfOneKeyAreBounded(t *testing.T) {
	servertest.FixtureFiles(t)
	synctest.Test(t, func(t *testing.T) {
		h := servertest.RunningWorld(t).ServeNamed()
		text := `{"session_ids":["` + strings.Repeat("a", edge.MaxBody-100) + `"]}`
		var held edgetest.Gauge
		send := func(key string, announced bool) *httptest.ResponseRecorder {
			body := &slowBody{strings.NewReader(text), &held, 0}
			defer func() { held.Add(-body.came) }()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/heartbeat", body)
			r.Header.Set("Authorization", "Bearer "+key)
			r.Header.Set("Content-Type", "application/json")
			if announced {
				r.ContentLength = int64(len(text))
			}
			out := httptest.NewRecorder()
			h.ServeHTTP(out, r)
			return out
		}
		statuses := make([]int, 100)
		var all sync.WaitGroup
		for i := range statuses {
			all.Go(func() { statuses[i] = send("greedy", i%2 == 0).Code })
		}
		synctest.Wait()
		began := time.Now()
		if other := send("other", true); other.Code != http.StatusUnprocessableEntity || time.Since(began) > 2*time.Second {
			t.Errorf("another key got %d after %s", other.Code, time.Since(began))
		}
		all.Wait()
		// And the other key's, one that grows beyond the limit, and what comes before a body is counted.
		if most := edge.MaxBodiesByKey + 2*edge.MaxBody + len(statuses)*2*edge.Large; held.Most > most {
			t.Errorf("%d bytes were on their way at once", held.Most)
		}
		served, refused := 0, 0
		for _, status := range statuses {
			switch status {
			case http.StatusUnprocessableEntity: // the id is too long, which is known once it was read
				served++
			case http.StatusTooManyRequests:
				refused++
			}
		}
		if served < edge.MaxBodiesByKey/edge.MaxBody || refused == 0 || served+refused != len(statuses) {
			t.Errorf("%d were read and %d refused, of %d", served, refused, len(statuses))
		}
	})
}
