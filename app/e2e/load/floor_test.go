package load

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// The floor is the physical limit that a turn is measured against: the same outer
// API on the same database with the same fake model, two commits of one prepared
// statement each, a hub, and nothing else.
type floor struct {
	db   *sql.DB
	add  *sql.Stmt
	move *sql.Stmt // SQLite has no statement that does both
	llm  string

	mu   sync.Mutex
	seq  int64
	subs map[chan string]struct{}
}

func newFloor(b *testing.B, db app.Database, llm string) *httptest.Server {
	b.Helper()
	driver, source := "postgres", db.DatabaseURL
	if source == "" {
		driver = "sqlite"
		source = "file:" + filepath.Join(db.DataDir, "floor.db") + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate"
	}
	pool, err := sql.Open(driver, source)
	harness.Must(b, err)
	b.Cleanup(func() { pool.Close() })
	f := &floor{db: pool, llm: llm, subs: map[chan string]struct{}{}}
	for _, statement := range []string{
		"CREATE TABLE floor_sessions (id BIGINT PRIMARY KEY, phase TEXT NOT NULL)",
		"CREATE TABLE floor_messages (seq BIGINT PRIMARY KEY, role TEXT, content TEXT)",
		"INSERT INTO floor_sessions VALUES (1, 'IDLE')",
	} {
		_, err := pool.Exec(statement)
		harness.Must(b, err)
	}
	if driver == "postgres" {
		f.add, err = pool.Prepare("WITH m AS (INSERT INTO floor_messages VALUES ($1, $2, $3)) UPDATE floor_sessions SET phase = $4 WHERE id = 1")
	} else {
		pool.SetMaxOpenConns(1)
		f.add, err = pool.Prepare("INSERT INTO floor_messages VALUES ($1, $2, $3)")
		harness.Must(b, err)
		f.move, err = pool.Prepare("UPDATE floor_sessions SET phase = $1 WHERE id = 1")
	}
	harness.Must(b, err)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/sessions", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"id":"1"}`) })
	mux.HandleFunc("POST /v1/sessions/1/messages", f.message)
	mux.HandleFunc("GET /v1/sessions/1/events", f.events)
	server := httptest.NewServer(mux)
	b.Cleanup(server.Close)
	return server
}

func (f *floor) commit(role, content, phase string) error {
	f.mu.Lock()
	f.seq++
	seq := f.seq
	f.mu.Unlock()
	if f.move == nil {
		_, err := f.add.Exec(seq, role, content, phase)
		return err
	}
	tx, err := f.db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Stmt(f.add).Exec(seq, role, content); err != nil {
		return err
	}
	if _, err := tx.Stmt(f.move).Exec(phase); err != nil {
		return err
	}
	return tx.Commit()
}

func (f *floor) publish(frame string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.subs {
		select {
		case c <- frame:
		default:
		}
	}
}

func (f *floor) message(w http.ResponseWriter, r *http.Request) {
	var in struct{ Text string }
	if json.NewDecoder(r.Body).Decode(&in) != nil || f.commit("user", in.Text, "CALLING_AI") != nil {
		w.WriteHeader(500)
		return
	}
	w.WriteHeader(202)
	go f.answer(in.Text)
}

func (f *floor) answer(text string) {
	body := `{"model":"m","stream":true,"messages":[{"role":"user","content":"` + text + `"}]}`
	res, err := harness.BenchClient.Post(f.llm+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return
	}
	defer res.Body.Close()
	var answer strings.Builder
	for scanner := bufio.NewScanner(res.Body); scanner.Scan(); {
		data, ok := bytes.CutPrefix(scanner.Bytes(), []byte("data: "))
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if !ok || data[0] != '{' || json.Unmarshal(data, &chunk) != nil || len(chunk.Choices) == 0 {
			continue
		}
		if c := chunk.Choices[0].Delta.Content; c != "" {
			answer.WriteString(c)
			f.publish("event: message.delta\ndata: {\"text\":\"" + c + "\"}\n\n")
		}
	}
	if f.commit("assistant", answer.String(), "IDLE") == nil {
		f.publish("event: session.phase\ndata: {\"from\":\"CALLING_AI\",\"phase\":\"IDLE\"}\n\n")
	}
}

func (f *floor) events(w http.ResponseWriter, r *http.Request) {
	c := make(chan string, 256)
	f.mu.Lock()
	f.subs[c] = struct{}{}
	f.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	_ = rc.Flush()
	for {
		select {
		case frame := <-c:
			fmt.Fprint(w, frame)
			for len(c) > 0 {
				fmt.Fprint(w, <-c)
			}
			if rc.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// fakeLLM streams twenty tokens for each call, at once.
func fakeLLM(b testing.TB) string {
	b.Helper()
	var stream strings.Builder
	for range 20 {
		stream.WriteString(`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}` + "\n\n")
	}
	stream.WriteString(`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}` + "\n\ndata: [DONE]\n\n")
	body := stream.String()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, body)
	}))
	b.Cleanup(server.Close)
	return server.URL
}

// talker is a client that sends a message and waits, on the event stream, for the end
// of the turn.
type talker struct {
	b    *testing.B
	url  string
	ends chan struct{}
}

func newTalker(b *testing.B, url string, create any) *talker {
	b.Helper()
	body, err := json.Marshal(create)
	harness.Must(b, err)
	res, err := harness.BenchClient.Post(url+"/v1/sessions", "application/json", bytes.NewReader(body))
	harness.Must(b, err)
	var session struct{ ID string }
	harness.Must(b, json.NewDecoder(res.Body).Decode(&session))
	res.Body.Close()
	t := &talker{b: b, url: url + "/v1/sessions/" + session.ID, ends: make(chan struct{}, 64)}
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, "GET", t.url+"/events", nil)
	harness.Must(b, err)
	request.Header.Set("Accept", "text/event-stream")
	res, err = harness.BenchClient.Do(request)
	harness.Must(b, err)
	go func() {
		defer res.Body.Close()
		scanner := bufio.NewScanner(res.Body)
		scanner.Buffer(nil, 16<<20)
		name := ""
		for scanner.Scan() {
			line := scanner.Text()
			if rest, ok := strings.CutPrefix(line, "event: "); ok {
				name = rest
			}
			if name == "session.phase" && strings.HasPrefix(line, "data: ") && strings.Contains(line, `"phase":"IDLE"`) && !strings.Contains(line, `"from":"IDLE"`) {
				t.ends <- struct{}{}
			}
		}
	}()
	return t
}

func (t *talker) round() {
	t.b.Helper()
	res, err := harness.BenchClient.Post(t.url+"/messages", "application/json", strings.NewReader(`{"text":"hello"}`))
	harness.Must(t.b, err)
	res.Body.Close()
	if res.StatusCode != 202 {
		t.b.Fatalf("status %d", res.StatusCode)
	}
	<-t.ends
}
