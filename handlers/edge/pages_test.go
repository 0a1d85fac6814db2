package edge_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/edgetest"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// A caller who asks again and again and never reads holds up himself: what waits for him
// is bounded, what he asks beyond is refused in words, every answer ends at its deadline,
// and another key is served meanwhile.
func TestReadersWhoDoNotRead(t *testing.T) {
	servertest.FixtureFiles(t)
	synctest.Test(t, func(t *testing.T) {
		w := servertest.RunningWorld(t)
		w.Say(t, slices.Repeat([]string{strings.Repeat("a", 1<<20-2000)}, 4)...)
		h := w.ServeNamed()
		ask := func(key string, out http.ResponseWriter) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/sessions/ses_1/messages", nil)
			r.Header.Set("Authorization", "Bearer "+key)
			h.ServeHTTP(out, r)
		}
		var all sync.WaitGroup
		var held edgetest.Gauge
		readers := make([]*edgetest.Stuck, 150)
		for i := range readers {
			readers[i] = &edgetest.Stuck{Head: http.Header{}, Held: &held}
			all.Go(func() { ask("greedy", readers[i]) })
		}
		synctest.Wait()
		began := time.Now()
		other := httptest.NewRecorder()
		ask("other", other)
		if other.Code != http.StatusOK || time.Since(began) != 0 {
			t.Errorf("another key got %d after %s", other.Code, time.Since(began))
		}
		all.Wait()
		if held.Most > edge.MaxHeldByKey || held.Now != 0 {
			t.Errorf("%d bytes waited for one key at once, %d still do", held.Most, held.Now)
		}
		served, refused := 0, 0
		for _, r := range readers {
			switch r.Code {
			case http.StatusOK:
				served++
			case http.StatusTooManyRequests:
				refused++
				if r.Head.Get("Retry-After") == "" {
					t.Error("a refusal does not say when to come again")
				}
			}
		}
		if served == 0 || served+refused != len(readers) {
			t.Errorf("%d were served and %d refused", served, refused)
		}
		if took := time.Since(began); took > edge.WaitForRoom+2*(edge.WriteWithin+4*edge.WriteMiBWithin) {
			t.Errorf("the last one was let go after %s", took)
		}
	})
}
