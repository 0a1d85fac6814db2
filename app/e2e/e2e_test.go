package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// databases are the two that every story is told on.
var databases = map[string]func(t testing.TB) app.Database{
	"sqlite": func(t testing.TB) app.Database { return app.Database{DataDir: t.TempDir()} },
	"postgres": func(t testing.TB) app.Database {
		return app.Database{DataDir: t.TempDir(), DatabaseURL: testkit.Postgres(t)}
	},
}

// onBoth tells a story on both databases.
func onBoth(t *testing.T, story func(t *testing.T, db app.Database)) {
	t.Helper()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) { story(t, open(t)) })
	}
}

// server is the whole server, started on a free port, as a client sees it.
type server struct {
	t      testing.TB
	app    *app.App
	parts  *app.Parts // what it is made of
	config app.Config // what it was started with
	url    string
	key    string // sent with each call; optional
	// client holds every answer against the contract.
	client *http.Client

	mu      sync.Mutex
	commits []*domain.Change
	// then is told of each commit before its caller goes on; optional.
	then func(*domain.Change)
}

// newServer starts a server. Every answer that its client gets is held against the
// contract.
func newServer(t testing.TB, db app.Database, change ...func(*app.Config)) *server {
	t.Helper()
	s := &server{t: t}
	s.config = app.Config{
		Database: db, Listen: "127.0.0.1:0", LeaseTTL: 15 * time.Second, EventRetention: 168 * time.Hour,
		LogLevel: "warn", NodeID: "test", ShutdownGrace: time.Second,
		ScriptProvider: true,
		SecretKey:      "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
	}
	for _, c := range change {
		c(&s.config)
	}
	s.config.Log = zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)
	s.config.TestHooks.Wired = func(parts *app.Parts) { s.parts = parts }
	s.config.TestHooks.Committed = s.committed
	ctx := context.Background()
	a, err := app.New(ctx, s.config)
	if err != nil {
		t.Fatalf("make the server: %v", err)
	}
	s.app = a
	if err := a.Start(ctx); err != nil {
		t.Fatalf("start the server: %v", err)
	}
	s.url = a.URL()
	s.client = &http.Client{Transport: testkit.Contract(t, s.url), Timeout: 30 * time.Second}
	t.Cleanup(s.stop)
	return s
}

func (s *server) committed(c *domain.Change) {
	s.mu.Lock()
	s.commits = append(s.commits, c)
	then := s.then
	s.mu.Unlock()
	if then != nil {
		then(c)
	}
}

func (s *server) stop() {
	if s.app == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := s.app.Stop(ctx); err != nil {
		s.t.Errorf("stop the server: %v", err)
	}
	s.app = nil
}

// reply is an answer of the API.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// call makes a request; body is encoded as JSON unless it is a string.
func (s *server) call(method, path string, body any, headers ...string) *reply {
	s.t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, s.url+path, reader)
	if err != nil {
		s.t.Fatal(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if s.key != "" {
		request.Header.Set("Authorization", "Bearer "+s.key)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	r := &reply{t: s.t, status: response.StatusCode, header: response.Header}
	if r.body, err = io.ReadAll(response.Body); err != nil {
		s.t.Fatalf("%s %s: read the answer: %v", method, path, err)
	}
	return r
}

// want checks the status.
func (r *reply) want(status int) *reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

// problem checks status and code of an error.
func (r *reply) problem(status int, code string) *reply {
	r.t.Helper()
	r.want(status)
	if got := r.str("code"); got != code {
		r.t.Fatalf("code %q, want %q: %s", got, code, r.body)
	}
	return r
}

// at finds a value by its path: "session.id", "data.0.name".
func (r *reply) at(path string) any {
	r.t.Helper()
	var value any
	if err := json.Unmarshal(r.body, &value); err != nil {
		r.t.Fatalf("not JSON: %s", r.body)
	}
	for part := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			var i int
			if _, err := fmt.Sscan(part, &i); err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

func (r *reply) str(path string) string {
	r.t.Helper()
	text, _ := r.at(path).(string)
	return text
}

func (r *reply) list(path string) []any {
	r.t.Helper()
	all, _ := r.at(path).([]any)
	return all
}

// chat makes a CHAT and gives its id.
func (s *server) chat() string {
	s.t.Helper()
	return s.call("POST", "/v1/sessions", map[string]any{"type": "CHAT"}).want(201).str("id")
}

// say sends a message and waits until the session rests or waits.
func (s *server) say(session, text string) *reply {
	s.t.Helper()
	s.call("POST", "/v1/sessions/"+session+"/messages", map[string]any{"text": text}).want(202)
	return s.settle(session)
}

// settle waits until the session is no longer at work, and gives it.
func (s *server) settle(session string) *reply {
	s.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		r := s.call("GET", "/v1/sessions/"+session, nil).want(200)
		if status := r.str("status"); status != "running" && status != "queued" {
			return r
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the session is still at work: %s", r.body)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// messages are the session's, of all pages.
func (s *server) messages(session string) (all []any) {
	s.t.Helper()
	for after := ""; ; {
		page := s.call("GET", "/v1/sessions/"+session+"/messages?limit=200"+after, nil).want(200)
		all = append(all, page.list("data")...)
		if page.at("next_cursor") == nil {
			return all
		}
		after = "&after=" + page.str("next_cursor")
	}
}

// record is the session's messages in a word or two each.
func (s *server) record(session string) []string {
	s.t.Helper()
	var all []string
	for _, m := range s.messages(session) {
		message := m.(map[string]any)
		word := message["sender"].(string)
		if system, ok := message["system_message"].(map[string]any); ok {
			word = system["type"].(string)
		} else if ai, ok := message["ai_message"].(map[string]any); ok && ai != nil {
			word = "AI"
			if text, _ := ai["pre_text"].(string); text == domain.InvalidFormatText {
				word = "AI?"
			}
		}
		if message["status"] != "stored" {
			word += "(" + message["status"].(string) + ")"
		}
		all = append(all, word)
	}
	return all
}

// lastText is what the AI said last.
func (s *server) lastText(session string) string {
	s.t.Helper()
	text := ""
	for _, m := range s.call("GET", "/v1/sessions/"+session+"/messages?limit=200", nil).want(200).list("data") {
		if ai, ok := m.(map[string]any)["ai_message"].(map[string]any); ok && ai != nil {
			if t, _ := ai["pre_text"].(string); t != "" {
				text = t
			}
		}
	}
	return text
}

// event is one event of a stream.
type event struct {
	id   int64
	name string
	data string
}

// listen opens an event stream; events come on the channel until the test ends.
func (s *server) listen(path string, headers ...string) (events <-chan event, stop func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, "GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	if s.key != "" {
		request.Header.Set("Authorization", "Bearer "+s.key)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatalf("listen: %v", err)
	}
	if response.StatusCode != 200 {
		s.t.Fatalf("listen: status %d", response.StatusCode)
	}
	out := make(chan event, 10_000)
	go func() {
		defer close(out)
		defer response.Body.Close()
		scanner := bufio.NewScanner(response.Body)
		scanner.Buffer(nil, 4<<20)
		var e event
		for scanner.Scan() {
			field, value, _ := strings.Cut(scanner.Text(), ": ")
			switch {
			case scanner.Text() == "" && e.name != "":
				out <- e
				e = event{}
			case field == "id":
				fmt.Sscan(value, &e.id)
			case field == "event":
				e.name = value
			case field == "data":
				e.data += value
			}
		}
	}()
	s.t.Cleanup(cancel)
	return out, cancel
}

// scripted configures the script provider with these steps as the default.
func (s *server) scripted(steps string) {
	s.t.Helper()
	s.call("POST", "/v1/providers", map[string]any{
		"name": "Script", "kind": "script", "is_default": true, "config": json.RawMessage(`{"steps": ` + steps + `}`),
	}).want(201)
}

// freshCopy gives a database of its own to each of several servers in one test.
func freshCopy(t testing.TB, db app.Database) app.Database {
	if db.DatabaseURL != "" {
		return databases["postgres"](t)
	}
	return databases["sqlite"](t)
}
