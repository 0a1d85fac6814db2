package tasks

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/internal/testkit"
)

func TestMain(m *testing.M) { harness.Main(m) }

// studio is the service of a test: it accepts tasks, and reports when the test says so.
type studio struct {
	t      testing.TB
	url    string
	secret string

	mu        sync.Mutex
	orders    []order
	cancelled []string
	refuse    int           // the status that it answers with; 0: 202
	before    func(o order) // what it does before it answers
}

type order struct {
	TaskID      string          `json:"task_id"`
	CallbackURL string          `json:"callback_url"`
	Command     string          `json:"command"`
	Params      json.RawMessage `json:"params"`
	Deadline    time.Time       `json:"deadline"`
	Reason      string          `json:"reason"`
	Session     struct {
		ID string `json:"id"`
	} `json:"session"`
	Documents []struct {
		Key   string `json:"key"`
		Title string `json:"title"`
		Body  string `json:"body"`
	} `json:"documents"`
}

func newStudio(t testing.TB) *studio {
	s := &studio{t: t}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *studio) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	secret, refuse, before := s.secret, s.refuse, s.before
	s.mu.Unlock()
	var o order
	if err := auth.VerifyWebhook(r.Header, body, time.Now(), secret); err != nil || json.Unmarshal(body, &o) != nil {
		s.t.Errorf("%s %s: %v", r.URL.Path, body, err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	s.mu.Lock()
	if r.URL.Path == "/cancel" {
		s.cancelled = append(s.cancelled, o.TaskID+" "+o.Reason)
	} else {
		s.orders = append(s.orders, o)
	}
	s.mu.Unlock()
	if before != nil {
		before(o)
	}
	if refuse == 0 {
		refuse = http.StatusAccepted
	}
	w.WriteHeader(refuse)
}

// order is the n-th that came.
func (s *studio) order(n int) (o order) {
	s.t.Helper()
	testkit.Until(s.t, "the order comes", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.orders) >= n {
			o = s.orders[n-1]
		}
		return len(s.orders) >= n
	})
	return o
}

func (s *studio) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.orders)
}

// report says something of a task, to the server at base, and gives the status.
func (s *studio) report(base, task, body string) int {
	return s.reportAs(base, task, fmt.Sprintf("evt_%d", time.Now().UnixNano()), body)
}

func (s *studio) reportAs(base, task, id, body string) int {
	r, err := http.NewRequest(http.MethodPost, base+"/v1/callbacks/"+task, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return 0
	}
	r.Header.Set("Content-Type", "application/json")
	if err := auth.SignWebhook(r.Header, id, time.Now(), []byte(body), s.secret); err != nil {
		s.t.Error(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

type server struct{ *harness.Server }

// newServer starts a server that may reach the studio.
func newServer(t testing.TB, db app.Database, change ...func(*app.Config)) *server {
	t.Helper()
	return &server{harness.NewServer(t, db, append(change, func(c *app.Config) { c.AllowedHosts = []string{"127.0.0.1"} })...)}
}

// connect makes the connector of the studio, and gives its id.
func (s *server) connect(studio *studio, effect string) string {
	s.T.Helper()
	made := s.Call("POST", "/v1/connectors", map[string]any{
		"name": "Studio", "kind": "long_running", "prefix": "FILM", "config": map[string]any{"base_url": studio.url},
		"commands": []any{map[string]any{
			"name": "RENDER", "description": "Render a film.", "effect": effect, "require_validation": false, "deadline": "1h", "cancel_path": "/cancel",
			"params_schema": map[string]any{"type": "object", "properties": map[string]any{"title": map[string]any{"type": "string"}}},
		}},
	}).Want(201)
	studio.mu.Lock()
	studio.secret = made.Str("config.signing_secret")
	studio.mu.Unlock()
	if !strings.HasPrefix(studio.secret, "whsec_") {
		s.T.Fatalf("the secret is not shown: %s", made.Body)
	}
	if again := s.Call("GET", "/v1/connectors/"+made.Str("id"), nil).Want(200); strings.Contains(string(again.Body), studio.secret) {
		s.T.Errorf("the secret is shown twice: %s", again.Body)
	}
	return made.Str("id")
}

// renders is a script whose AI orders films, and then says so.
func renders(titles ...string) string {
	calls := make([]string, len(titles))
	for i, title := range titles {
		calls[i] = fmt.Sprintf(`{"name": "FILM_RENDER", "arguments": {"title": %q}}`, title)
	}
	return `[{"when": {"roundtrip": 1}, "answer": {"text": "I order it.", "calls": [` + strings.Join(calls, ",") + `]}}, {"answer": {"text": "Here it is."}}]`
}

func (s *server) task(id string) *harness.Reply {
	s.T.Helper()
	return s.Call("GET", "/v1/tasks/"+id, nil).Want(200)
}
