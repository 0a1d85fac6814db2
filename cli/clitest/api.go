package clitest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/internal/clock"
)

// API is a server whose responses a test defines. It records every request.
type API struct {
	*httptest.Server
	Mux *http.ServeMux

	mu       sync.Mutex
	requests []Request

	Away atomic.Bool // connections break, as those of a dead server do
	Lost chan string // the idempotency keys of requests that came meanwhile
}

// Request is a request as the server received it.
type Request struct {
	Line   string // "POST /v1/sessions"
	Body   string
	Header http.Header
}

// NewAPI starts a server without routes.
func NewAPI(t *testing.T) *API {
	t.Helper()
	f := &API{Mux: http.NewServeMux(), Lost: make(chan string, 100)}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.Away.Load() {
			f.Lost <- r.Header.Get("Idempotency-Key")
			panic(http.ErrAbortHandler)
		}
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.requests = append(f.requests, Request{r.Method + " " + r.URL.RequestURI(), string(body), r.Header})
		f.mu.Unlock()
		f.Mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		f.CloseClientConnections() // event streams would hold it open
		f.Close()
	})
	return f
}

// Answers defines the response to a route with a JSON body.
func (f *API) Answers(route string, status int, body string) {
	f.Mux.HandleFunc(route, func(w http.ResponseWriter, _ *http.Request) {
		if status >= 400 {
			w.Header().Set("Content-Type", "application/problem+json")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// Seen are the requests whose line begins so.
func (f *API) Seen(prefix string) []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []Request
	for _, r := range f.requests {
		if strings.HasPrefix(r.Line, prefix) {
			out = append(out, r)
		}
	}
	return out
}

// Flags select the server.
func (f *API) Flags() command.ClientFlags {
	return command.ClientFlags{ServerFlags: command.ServerFlags{URL: f.URL}, Output: "table"}
}

// Stream writes events and keeps the stream open until the client goes, or ends it.
func Stream(w http.ResponseWriter, r *http.Request, hold bool, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, ":"+strings.Repeat(" ", 2048)+"\nretry: 2000\n\n")
	for _, e := range events {
		_, _ = io.WriteString(w, e)
	}
	_ = http.NewResponseController(w).Flush()
	if hold {
		<-r.Context().Done()
	}
}

func EventText(id int64, name string, data any) string {
	body, _ := json.Marshal(data)
	out := "event: " + name + "\ndata: " + string(body) + "\n\n"
	if id > 0 {
		out = fmt.Sprintf("id: %d\n", id) + out
	}
	return out
}

// Context is a Context whose output can be read while it is written.
func Context(t *testing.T, in io.Reader) (*command.Context, *Output) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	out := &Output{}
	return &command.Context{Context: ctx, Version: "dev", In: in, Out: out, Errors: out, Clock: clock.System}, out
}

type Output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func Wants(t *testing.T, got string, parts ...string) {
	t.Helper()
	from := 0
	for _, part := range parts {
		i := strings.Index(got[from:], part)
		if i < 0 {
			t.Fatalf("%q is missing, or not in its place, in:\n%s", part, got)
		}
		from += i + len(part)
	}
}
