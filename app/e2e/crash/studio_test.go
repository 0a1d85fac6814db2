package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/auth"
)

// studio is a third-party service for long-running work. It outlives its clients, can kill them during a request,
// and repeats its reports until they are acknowledged.
type studio struct {
	t      testing.TB
	url    string
	secret string

	mu        sync.Mutex
	orders    map[string][]string // the keys of the requests for a task
	cancelled map[string]string   // reasons of cancellations by task
	asked     int
	killAt    int
	where     string // as of a shop
	kill      func()
	// early is said of a task before its order is answered.
	early func(task string)
}

func newStudio(t testing.TB) *studio {
	s := &studio{t: t, secret: auth.NewWebhookSecret(), orders: map[string][]string{}, cancelled: map[string]string{}}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	s.url = server.URL
	return s
}

// arm kills the client of the n-th request from now, and returns the number of requests since the last time.
func (s *studio) arm(at point, kill func()) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked, s.killAt, s.where, s.kill = 0, at.n, at.where, kill
	return asked
}

// says has something said of each task before its order is answered; nil: nothing.
func (s *studio) says(early func(task string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.early = early
}

// ordered are the keys of the requests for a task.
func (s *studio) ordered(task string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.orders[task])
}

func (s *studio) cancelledWith(task string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cancelled[task]
}

func (s *studio) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client died during the request
	}
	var o struct {
		Task   string `json:"task_id"`
		Reason string `json:"reason"`
	}
	if err := auth.VerifyWebhook(r.Header, body, time.Now(), s.secret); err != nil || json.Unmarshal(body, &o) != nil {
		s.t.Errorf("%s %s is not as it must be: %v", r.URL.Path, body, err)
	}
	where, kill, early := s.note(r.URL.Path, o.Task, o.Reason, r.Header.Get("Idempotency-Key"))
	if where == "asked" {
		kill()
		<-r.Context().Done()
		return
	}
	if where == "stopped" { // it is answered all the same
		kill()
	}
	if early != nil {
		early(o.Task)
	}
	w.WriteHeader(http.StatusAccepted)
	if where == "answered" {
		_ = http.NewResponseController(w).Flush() // it may be gone
		kill()
	}
}

func (s *studio) note(path, task, reason, key string) (where string, kill func(), early func(string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked++; s.asked == s.killAt {
		where = s.where
	}
	if path == "/cancel" {
		s.cancelled[task] = reason
		return where, s.kill, nil
	}
	s.orders[task] = append(s.orders[task], key)
	return where, s.kill, s.early
}

// reports repeats a report on a task until it is acknowledged, and returns the response.
func (s *studio) reports(ctx context.Context, address func() string, task, id, body string) int {
	for begun := time.Now(); time.Since(begun) < harness.Patience && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		base := address()
		if base == "" {
			continue
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/callbacks/"+task, strings.NewReader(body))
		if err != nil {
			s.t.Error(err)
			return 0
		}
		r.Header.Set("Content-Type", "application/json")
		if err := auth.SignWebhook(r.Header, id, time.Now(), []byte(body), s.secret); err != nil {
			s.t.Error(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			continue
		}
		_, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if err == nil && response.StatusCode < 500 {
			return response.StatusCode
		}
	}
	return 0
}

// address is where the running server of a host is; "" while there is none.
func (h *host) address() string {
	if up := h.running(); up != nil {
		return up.url
	}
	return ""
}

// connector is the studio as a workspace connects it.
func (s *studio) connector(effect, deadline string) map[string]any {
	return map[string]any{
		"name": "Studio", "kind": "long_running", "prefix": "FILM",
		"config": map[string]any{"base_url": s.url, "signing_secret": s.secret},
		"commands": []any{map[string]any{
			"name": "RENDER", "description": "Render a film.", "effect": effect, "require_validation": false,
			"deadline": deadline, "timeout": "5s", "cancel_path": "/cancel", "params_schema": map[string]any{"type": "object"},
		}},
	}
}

// film is the word by which the result of a task is known in a record.
func film(task string) string { return fmt.Sprintf("%s.mp4", task) }
