package edgetest

import (
	"net/http"
	"sync"
	"time"
)

// Stuck is a reader who takes nothing: a write to him ends at its deadline.
type Stuck struct {
	Head     http.Header
	Code     int
	deadline time.Time
	wrote    int
	Held     *Gauge
	Opening  bool // the head of a stream is taken in
}

// Gauge is how many bytes hang in writes, and the most there were.
type Gauge struct {
	mu        sync.Mutex
	Now, Most int
}

func (g *Gauge) Add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.Now += n
	g.Most = max(g.Most, g.Now)
}

func (g *Gauge) Read() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.Now
}

func (s *Stuck) Header() http.Header                 { return s.Head }
func (s *Stuck) WriteHeader(status int)              { s.Code = status }
func (s *Stuck) Flush()                              {}
func (s *Stuck) SetWriteDeadline(at time.Time) error { s.deadline = at; return nil }
func (s *Stuck) Write(b []byte) (int, error) {
	if s.Code >= http.StatusMultipleChoices || s.Opening && len(b) < 64<<10 {
		return len(b), nil // a problem is small
	}
	s.wrote = max(s.wrote, len(b))
	s.Held.Add(len(b))
	<-time.After(time.Until(s.deadline))
	s.Held.Add(-len(b))
	return 0, http.ErrHandlerTimeout
}
