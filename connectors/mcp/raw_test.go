package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// rawServer speaks as much of the protocol as a test wants, and misbehaves where it wants:
// a method that has a handler is the handler's, whatever it writes.
type rawServer struct {
	*httptest.Server

	legacy   bool
	mu       sync.Mutex
	handlers map[string]func(w http.ResponseWriter, r *http.Request, m wireMessage)
	tools    string
	// framed, if set, writes a standard answer to the wire in a way of its own.
	framed  func(w http.ResponseWriter, r *http.Request, answer string)
	seen    []wireMessage
	headers []http.Header
}

type wireMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

const plainTool = `{"name":"do","description":"Does it.","inputSchema":{"type":"object"}}`

func newRawServer(t *testing.T, legacy bool) *rawServer {
	t.Helper()
	s := &rawServer{legacy: legacy, tools: plainTool, handlers: map[string]func(http.ResponseWriter, *http.Request, wireMessage){}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *rawServer) on(method string, handle func(w http.ResponseWriter, r *http.Request, m wireMessage)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[method] = handle
}

func (s *rawServer) serve(w http.ResponseWriter, r *http.Request) {
	if s.framed != nil && r.Method == http.MethodPost {
		plain := httptest.NewRecorder()
		s.answer(plain, r)
		if plain.Code == http.StatusOK {
			if id := plain.Header().Get("Mcp-Session-Id"); id != "" {
				w.Header().Set("Mcp-Session-Id", id)
			}
			s.framed(w, r, plain.Body.String())
			return
		}
		w.WriteHeader(plain.Code)
		return
	}
	s.answer(w, r)
}

func (s *rawServer) answer(w http.ResponseWriter, r *http.Request) {
	var m wireMessage
	if r.Method != http.MethodPost {
		m.Method = r.Method
	} else if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	handle := s.handlers[m.Method]
	s.seen, s.headers = append(s.seen, m), append(s.headers, r.Header.Clone())
	tools := s.tools
	s.mu.Unlock()
	switch {
	case handle != nil:
		handle(w, r, m)
	case m.Method == http.MethodDelete:
		w.WriteHeader(http.StatusOK)
	case m.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case m.ID == nil || m.Method == "":
		w.WriteHeader(http.StatusAccepted)
	case m.Method == methodDiscover && !s.legacy:
		reply(w, m, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"resultType":"complete"}`)
	case m.Method == methodInitialize && s.legacy:
		w.Header().Set("Mcp-Session-Id", "session-1")
		reply(w, m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`)
	case m.Method == "tools/list":
		reply(w, m, `{"tools":[`+tools+`],"ttlMs":60000,"cacheScope":"public","resultType":"complete"}`)
	case m.Method == "tools/call":
		reply(w, m, `{"content":[{"type":"text","text":"done"}],"resultType":"complete"}`)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, m.ID)
	}
}

func reply(w http.ResponseWriter, m wireMessage, result string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func event(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "data: "+format+"\n\n", args...)
	w.(http.Flusher).Flush()
}

// count says how often a method was asked for.
func (s *rawServer) count(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, m := range s.seen {
		if m.Method == method {
			n++
		}
	}
	return n
}

// last is the last request of a method, with its headers.
func (s *rawServer) last(t *testing.T, method string) (wireMessage, http.Header) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range slices.Backward(s.seen) {
		if m.Method == method {
			return m, s.headers[i]
		}
	}
	t.Fatalf("%s was not requested", method)
	return wireMessage{}, nil
}

func doIt(hash string) outside.ConnectorCommand {
	return outside.ConnectorCommand{Name: "DO", Remote: "do", Effect: domain.EffectNonIdempotent, DefinitionHash: hash}
}

func eras(t *testing.T, run func(t *testing.T, legacy bool)) {
	t.Helper()
	for name, legacy := range map[string]bool{"2025-11-25": true, "2026-07-28": false} {
		t.Run(name, func(t *testing.T) { run(t, legacy) })
	}
}
