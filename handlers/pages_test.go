package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

// countTo reads the numbers up to n by pages, with their number as the cursor.
func countTo(n int) func(after, limit int) ([]int, string, error) {
	return func(after, limit int) ([]int, string, error) {
		var out []int
		for i := after + 1; i <= n && len(out) < limit; i++ {
			out = append(out, i)
		}
		if after+len(out) == n {
			return out, "", nil
		}
		return out, strconv.Itoa(after + len(out)), nil
	}
}

// TestPageOfJSONKeepsItsBound verifies that a page is limited by the size of its JSON, which may be six times that
// of the text, and that its cursor continues where the page ends.
func TestPageOfJSONKeepsItsBound(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		pages int
	}{
		"short": {"a", 1}, "one MiB each": {strings.Repeat("a", 1<<20), 4}, "grows as JSON": {strings.Repeat("<", 1<<20), 10},
		"larger than a page": {strings.Repeat("a", domain.PageBytes), 10},
	} {
		read, after, seen, pages := countTo(10), 0, 0, 0
		for ; ; pages++ {
			body, err := encodePage(200, func(i int) any { return fmt.Sprint(i, c.text) },
				func(limit int) ([]int, string, error) { return read(after, limit) }, func() (*hold, error) { return nil, nil })
			if err != nil {
				t.Fatal(err)
			}
			var page struct {
				Data       []string `json:"data"`
				NextCursor *string  `json:"next_cursor"`
			}
			if err := json.Unmarshal(body, &page); err != nil {
				t.Fatal(err)
			}
			if len(page.Data) == 0 || len(page.Data) > 1 && len(body) > domain.PageBytes {
				t.Fatalf("%s: a page of %d items has %d bytes", name, len(page.Data), len(body))
			}
			for _, item := range page.Data {
				if seen++; !strings.HasPrefix(item, fmt.Sprint(seen, " ")[:1]) {
					t.Fatalf("%s: item %d is %.5s", name, seen, item)
				}
			}
			if page.NextCursor == nil {
				break
			}
			after, _ = strconv.Atoi(*page.NextCursor)
		}
		if seen != 10 || pages+1 != c.pages {
			t.Errorf("%s: %d items on %d pages, want 10 on %d", name, seen, pages+1, c.pages)
		}
	}
}

// stuck is a reader who takes nothing: a write to him ends at its deadline.
type stuck struct {
	header   http.Header
	status   int
	deadline time.Time
	wrote    int
	held     *gauge
	opening  bool // the head of a stream is taken in
}

// gauge is how many bytes hang in writes, and the most there were.
type gauge struct {
	mu        sync.Mutex
	now, most int
}

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now += n
	g.most = max(g.most, g.now)
}

func (g *gauge) read() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now
}

func (s *stuck) Header() http.Header                 { return s.header }
func (s *stuck) WriteHeader(status int)              { s.status = status }
func (s *stuck) Flush()                              {}
func (s *stuck) SetWriteDeadline(at time.Time) error { s.deadline = at; return nil }
func (s *stuck) Write(b []byte) (int, error) {
	if s.status >= http.StatusMultipleChoices || s.opening && len(b) < 64<<10 {
		return len(b), nil // a problem is small
	}
	s.wrote = max(s.wrote, len(b))
	s.held.add(len(b))
	time.Sleep(time.Until(s.deadline))
	s.held.add(-len(b))
	return 0, http.ErrHandlerTimeout
}

// A caller who asks again and again and never reads holds up himself: what waits for him
// is bounded, what he asks beyond is refused in words, every answer ends at its deadline,
// and another key is served meanwhile.
func TestReadersWhoDoNotRead(t *testing.T) {
	fixtureFiles(t)
	synctest.Test(t, func(t *testing.T) {
		w := runningWorld(t)
		w.say(t, slices.Repeat([]string{strings.Repeat("a", 1<<20-2000)}, 4)...)
		h := w.serveNamed()
		ask := func(key string, out http.ResponseWriter) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/sessions/ses_1/messages", nil)
			r.Header.Set("Authorization", "Bearer "+key)
			h.ServeHTTP(out, r)
		}
		var all sync.WaitGroup
		var held gauge
		readers := make([]*stuck, 150)
		for i := range readers {
			readers[i] = &stuck{header: http.Header{}, held: &held}
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
		if held.most > maxHeldByKey || held.now != 0 {
			t.Errorf("%d bytes waited for one key at once, %d still do", held.most, held.now)
		}
		served, refused := 0, 0
		for _, r := range readers {
			switch r.status {
			case http.StatusOK:
				served++
			case http.StatusTooManyRequests:
				refused++
				if r.header.Get("Retry-After") == "" {
					t.Error("a refusal does not say when to come again")
				}
			}
		}
		if served == 0 || served+refused != len(readers) {
			t.Errorf("%d were served and %d refused", served, refused)
		}
		if took := time.Since(began); took > waitForRoom+2*(writeWithin+4*writeMiBWithin) {
			t.Errorf("the last one was let go after %s", took)
		}
	})
}

// namedAuth takes every bearer token for the name of a viewer's key.
type namedAuth struct{ roleAuth }

func (namedAuth) Authenticate(r *http.Request) (*auth.Identity, error) {
	return &auth.Identity{Workspace: domain.DefaultWorkspace, Role: domain.RoleViewer, Name: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}, nil
}
