package crash

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// shop is a third-party server. It counts requests by their idempotency key, outlives its clients, and can kill
// them during a request.
type shop struct {
	url string

	mu       sync.Mutex
	requests map[string]int // by key
	asked    int
	killAt   int
	where    string // "asked": before anything is answered; "answered": when all of it is sent
	kill     func()
}

func newShop(t testing.TB) *shop {
	s := &shop{requests: map[string]int{}}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	s.url = server.URL
	return s
}

// arm kills the client of the n-th request from now, and returns the number of requests since the last time.
func (s *shop) arm(n int, where string, kill func()) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked, s.killAt, s.where, s.kill = 0, n, where, kill
	return asked
}

func (s *shop) requested(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[key]
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that the client has gone
	s.mu.Lock()
	s.asked++
	s.requests[r.Header.Get("Idempotency-Key")]++
	where := ""
	if s.asked == s.killAt {
		where = s.where
	}
	kill := s.kill
	s.mu.Unlock()
	if where == "asked" {
		kill()
		<-r.Context().Done()
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"done":true}`)
	if where == "answered" {
		_ = http.NewResponseController(w).Flush() // it may be gone
		kill()
	}
}

// connector is the shop as a workspace connects it.
func (s *shop) connector() map[string]any {
	command := func(name, effect string) map[string]any {
		return map[string]any{
			"name": name, "description": "Ask the shop.", "effect": effect, "require_validation": false, "timeout": "5s",
			"params_schema": map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}},
			"request":       map[string]any{"method": "POST", "path": "/" + name},
		}
	}
	return map[string]any{
		"name": "Shop", "kind": "http", "prefix": "SHOP", "config": map[string]any{"base_url": s.url},
		"commands": []any{command("FIND", "read_only"), command("SET", "idempotent"), command("PAY", "non_idempotent")},
	}
}
