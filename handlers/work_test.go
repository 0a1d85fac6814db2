package handlers

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// slowBody is a body that comes at once, a second after it is first asked for.
type slowBody struct {
	text io.Reader
	held *gauge
	size int
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.size > 0 {
		b.held.add(b.size)
		time.Sleep(time.Second)
		b.held.add(-b.size)
		b.size = 0
	}
	return b.text.Read(p)
}

// What one credential sends at a time is bounded in bytes: who sends more waits, then is
// told to come again, and another key is served meanwhile.
func TestLargeBodiesOfOneKeyAreBounded(t *testing.T) {
	theStory(t)
	synctest.Test(t, func(t *testing.T) {
		h := runningWorld(t).serveNamed()
		text := `{"session_ids":["` + strings.Repeat("a", maxBody-100) + `"]}`
		var held gauge
		send := func(key string, announced bool) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/heartbeat", &slowBody{strings.NewReader(text), &held, len(text)})
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
		if other := send("other", true); other.Code != http.StatusUnprocessableEntity || time.Since(began) != time.Second {
			t.Errorf("another key got %d after %s", other.Code, time.Since(began))
		}
		all.Wait()
		if held.most > maxBodiesByKey+maxBody { // and the other key's
			t.Errorf("%d bytes were on their way at once", held.most)
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
		if served < maxBodiesByKey/maxBody || refused == 0 || served+refused != len(statuses) {
			t.Errorf("%d were read and %d refused, of %d", served, refused, len(statuses))
		}
	})
}
