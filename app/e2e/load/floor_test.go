package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// floor is the physical limit that a round is measured against: the same outer API on the
// same database with the same model, two commits of one prepared statement each (SQLite
// needs two), a hub, and nothing else.
type floor struct {
	store *floorStore
	model string

	mu       sync.Mutex
	sessions []*floorSession
}

type floorSession struct {
	id int64

	mu      sync.Mutex
	seq     int64
	history []byte // the messages as JSON, with commas, only ever appended to
	subs    map[chan string]struct{}
}

func openFloor(ctx context.Context, db app.Database, model string) (*floor, error) {
	store, err := openFloorStore(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("open the floor's database: %w", err)
	}
	return &floor{store: store, model: model}, nil
}

// newFloor is the floor within this process.
func newFloor(b *testing.B, db app.Database, model string) *httptest.Server {
	b.Helper()
	f, err := openFloor(b.Context(), db, model)
	harness.Must(b, err)
	server := httptest.NewServer(f.handler())
	b.Cleanup(func() { server.Close(); f.store.db.Close() })
	return server
}

func (f *floor) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/sessions", f.create)
	mux.HandleFunc("POST /v1/sessions/{id}/messages", f.message)
	mux.HandleFunc("GET /v1/sessions/{id}/events", f.events)
	return mux
}

func (f *floor) create(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	s := &floorSession{id: int64(len(f.sessions)), subs: map[chan string]struct{}{}}
	f.sessions = append(f.sessions, s)
	f.mu.Unlock()
	if err := f.store.create(s.id); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"id":"%d"}`, s.id)
}

func (f *floor) session(r *http.Request) *floorSession {
	var id int
	if _, err := fmt.Sscan(r.PathValue("id"), &id); err != nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if id < 0 || id >= len(f.sessions) {
		return nil
	}
	return f.sessions[id]
}

func (s *floorSession) publish(event, data string) {
	frame := "event: " + event + "\ndata: " + data + "\n\n"
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.subs {
		select {
		case c <- frame:
		default:
		}
	}
}

// add appends to the history; quoted is the text as JSON.
func (s *floorSession) add(role, quoted string) {
	if len(s.history) > 0 {
		s.history = append(s.history, ',')
	}
	s.history = append(s.history, `{"role":"`+role+`","content":`+quoted+`}`...)
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic("a text cannot fail to encode: " + err.Error())
	}
	return string(b)
}

func (f *floor) message(w http.ResponseWriter, r *http.Request) {
	s := f.session(r)
	var in struct{ Text string }
	if s == nil || json.NewDecoder(r.Body).Decode(&in) != nil {
		http.Error(w, "no such session, or no such message", http.StatusBadRequest)
		return
	}
	s.seq++
	if err := f.store.commit(s.id, s.seq, "user", in.Text, "CALLING_AI"); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	quoted := quote(in.Text)
	s.add("user", quoted)
	s.publish("message.created", `{"text":`+quoted+`}`)
	w.WriteHeader(http.StatusAccepted)
	go f.answer(s)
}

func (f *floor) answer(s *floorSession) {
	const tools = `,"tools":[{"type":"function","function":{"name":"echo","parameters":{"type":"object","properties":{}}}}]`
	for {
		body := `{"model":"m","stream":true,"messages":[` + string(s.history) + `]` + tools + `}`
		res, err := harness.BenchClient.Post(f.model+"/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			return
		}
		text, command := s.stream(res.Body)
		res.Body.Close()
		s.seq++
		if command == "" {
			s.add("assistant", quote(text))
			if f.store.commit(s.id, s.seq, "assistant", text, "IDLE") == nil {
				s.publish("session.phase", `{"from":"CALLING_AI","phase":"IDLE"}`)
			}
			return
		}
		s.history = append(s.history, `,{"role":"assistant","content":null,"tool_calls":[`+command+`]},{"role":"tool","content":"ok"}`...)
		if f.store.commit(s.id, s.seq, "tool", command, "CALLING_AI") != nil {
			return
		}
	}
}

// stream shows each word as it comes, and gives them all, or the command that came instead.
func (s *floorSession) stream(body io.Reader) (text, command string) {
	var answer strings.Builder
	for scanner := bufio.NewScanner(body); scanner.Scan(); {
		data, ok := bytes.CutPrefix(scanner.Bytes(), []byte("data: "))
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []json.RawMessage `json:"tool_calls"`
				}
			}
		}
		if !ok || data[0] != '{' || json.Unmarshal(data, &chunk) != nil || len(chunk.Choices) == 0 {
			continue
		}
		if calls := chunk.Choices[0].Delta.ToolCalls; len(calls) > 0 {
			command = string(calls[0])
		}
		if c := chunk.Choices[0].Delta.Content; c != "" {
			answer.WriteString(c)
			s.publish("message.delta", `{"kind":"text","text":`+quote(c)+`}`)
		}
	}
	return answer.String(), command
}

func (f *floor) events(w http.ResponseWriter, r *http.Request) {
	s := f.session(r)
	if s == nil {
		http.NotFound(w, r)
		return
	}
	c := make(chan string, 256)
	s.mu.Lock()
	s.subs[c] = struct{}{}
	s.mu.Unlock()
	defer func() { s.mu.Lock(); delete(s.subs, c); s.mu.Unlock() }()
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	_ = rc.Flush()
	for {
		select {
		case frame := <-c:
			fmt.Fprint(w, frame)
			for len(c) > 0 { // one flush for all that waits
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
