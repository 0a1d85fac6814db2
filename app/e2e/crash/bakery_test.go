package crash

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// bakery is a third-party MCP server. It outlives its clients, can kill them during a call, and counts its work.
// Each workspace has an oven of its own, selected by path.
type bakery struct {
	url string

	mu     sync.Mutex
	ovens  map[string]*oven
	asked  int
	killAt int
	where  string // as of a shop
	kill   func()
}

// oven is what one workspace has had done.
type oven struct {
	how     string         // as the plays say
	baked   map[string]int // by the key of the request: work that was begun, and not only asked about
	looks   int            // at its task
	answers []string       // to what it asks
	signed  bool
	replies chan string // to what it asks in the middle of a call
}

func newBakery(t testing.TB) *bakery {
	b := &bakery{ovens: map[string]*oven{}}
	server := httptest.NewServer(b)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	b.url = server.URL
	return b
}

// opens makes an oven.
func (b *bakery) opens(name, how string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ovens[name] = &oven{how: how, baked: map[string]int{}, replies: make(chan string, 10)}
}

// arm kills the client of the n-th request from now, and returns the number of requests since the last time.
func (b *bakery) arm(at point, kill func()) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := b.asked
	b.asked, b.killAt, b.where, b.kill = 0, at.n, at.where, kill
	return asked
}

// with looks at an oven, or changes it.
func (b *bakery) with(name string, do func(*oven)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	do(b.ovens[name])
}

type bakeryMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

func (b *bakery) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m bakeryMessage
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if m.ID == nil { // a notification
		w.WriteHeader(http.StatusAccepted)
		return
	}
	status, result, where := b.take(strings.Trim(r.URL.Path, "/"), r.Header.Get("Idempotency-Key"), &m)
	if where == "asked" {
		b.kill()
		<-r.Context().Done()
		return
	}
	switch {
	case result == "in the middle":
		b.ask(w, r, &m)
	case status != http.StatusOK:
		w.WriteHeader(status)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answerTo(&m, result))
	}
	if where == "answered" {
		_ = http.NewResponseController(w).Flush() // it may be gone
		b.kill()
	}
}

// answerTo is the response to a request; without a result it says that there is no such method.
func answerTo(m *bakeryMessage, result string) string {
	if result == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

const (
	raisins = `{"method":"elicitation/create","params":{"message":"Raisins?"}}`
	aCake   = `{"content":[{"type":"text","text":"a cake"}],"resultType":"complete"}`
)

func (b *bakery) take(name, key string, m *bakeryMessage) (status int, result, where string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked++; b.asked == b.killAt {
		where = b.where
	}
	o := b.ovens[name]
	if o == nil {
		return http.StatusNotFound, "", where
	}
	if m.Method == "" { // the answer to what was asked in the middle of a call
		o.answers = append(o.answers, string(m.Result))
		o.replies <- string(m.Result)
		return http.StatusAccepted, "", where
	}
	status, result = o.does(key, m)
	return status, result, where
}

// does is what the oven makes of a request.
func (o *oven) does(key string, m *bakeryMessage) (status int, result string) {
	legacy := o.how == "a call of before that asks"
	switch m.Method {
	case "server/discover":
		if legacy {
			return http.StatusOK, ""
		}
		return http.StatusOK, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"resultType":"complete"}`
	case "initialize":
		return http.StatusOK, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bakery","version":"1"}}`
	case "tools/list":
		return http.StatusOK, `{"tools":[{"name":"bake","description":"Bakes.","inputSchema":{"type":"object"}}],"ttlMs":3600000,"cacheScope":"public","resultType":"complete"}`
	case "tools/call":
		return o.called(key, m)
	case "tasks/get":
		o.looks++
		return http.StatusOK, `{"resultType":"complete","taskId":"t-1","pollIntervalMs":1000,` + o.state() + `}`
	case "tasks/update":
		o.answers = append(o.answers, string(m.Params))
		return http.StatusOK, `{"resultType":"complete"}`
	case "tasks/cancel":
		return http.StatusOK, `{"resultType":"complete"}`
	}
	return http.StatusOK, ""
}

func (o *oven) called(key string, m *bakeryMessage) (status int, result string) {
	switch {
	case o.how == "a call that needs a sign-in" && !o.signed:
		return http.StatusUnauthorized, ""
	case o.how == "a call that asks" && !strings.Contains(string(m.Params), "inputResponses"):
		return http.StatusOK, `{"resultType":"input_required","requestState":"one","inputRequests":{"k":` + raisins + `}}`
	case o.how == "a call of before that asks":
		return http.StatusOK, "in the middle"
	case o.how == "a call that asks":
		o.answers = append(o.answers, string(m.Params))
	}
	o.baked[key]++
	if strings.HasPrefix(o.how, "a task") {
		return http.StatusOK, `{"resultType":"task","taskId":"t-1","status":"working","pollIntervalMs":1000,"ttlMs":3600000}`
	}
	return http.StatusOK, aCake
}

// state is how far the task is: looked at twice it is done, unless it wants to know something.
func (o *oven) state() string {
	switch {
	case o.how == "a task that asks" && len(o.answers) == 0:
		return `"status":"input_required","inputRequests":{"k":` + raisins + `}`
	case o.looks < 2:
		return `"status":"working","statusMessage":"in the oven"`
	}
	return `"status":"completed","result":{"content":[{"type":"text","text":"a cake"}]}`
}

// ask asks in the middle of a call, as servers did before 2026-07-28, and bakes once it is answered.
func (b *bakery) ask(w http.ResponseWriter, r *http.Request, m *bakeryMessage) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":\"q-1\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"Raisins?\"}}\n\n")
	_ = http.NewResponseController(w).Flush()
	var replies chan string
	name := strings.Trim(r.URL.Path, "/")
	b.with(name, func(o *oven) { replies = o.replies })
	select {
	case reply := <-replies:
		if strings.Contains(reply, "accept") {
			b.with(name, func(o *oven) { o.baked[r.Header.Get("Idempotency-Key")]++ })
		}
		fmt.Fprintf(w, "data: %s\n\n", answerTo(m, aCake))
		_ = http.NewResponseController(w).Flush()
	case <-r.Context().Done(): // the client has gone: nothing is baked
	}
}

// made are the keys under which work was begun, with how often.
func (b *bakery) made(name string) (keys []string, most int) {
	b.with(name, func(o *oven) {
		for key, n := range o.baked {
			keys, most = append(keys, key), max(most, n)
		}
	})
	slices.Sort(keys)
	return keys, most
}

func (b *bakery) delivered(name string) (answers []string) {
	b.with(name, func(o *oven) { answers = slices.Clone(o.answers) })
	return answers
}
