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

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// kitchen is an MCP server of 2026-07-28 that makes a task of each call (the official SDK has
// no such servers).
type kitchen struct {
	*httptest.Server

	mu    sync.Mutex
	state string   // of each task, as reported by the server
	asked []string // the methods
}

func newKitchen(t *testing.T) *kitchen {
	t.Helper()
	k := &kitchen{state: `"status":"working","statusMessage":"in the oven"`}
	k.Server = httptest.NewServer(http.HandlerFunc(k.serve))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("it was asked for %v", k.asked)
		}
		k.CloseClientConnections()
		k.Close()
	})
	return k
}

func (k *kitchen) serve(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = append(k.asked, m.Method)
	result := map[string]string{
		"server/discover": `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"resultType":"complete"}`,
		"tools/list":      `{"tools":[{"name":"bake","description":"Bakes.","inputSchema":{"type":"object"}}],"ttlMs":60000,"cacheScope":"public","resultType":"complete"}`,
		"tools/call":      `{"resultType":"task","taskId":"t-1","status":"working","pollIntervalMs":1000,"ttlMs":3600000}`,
		"tasks/get":       `{"resultType":"complete","taskId":"t-1","pollIntervalMs":1000,` + k.state + `}`,
		"tasks/update":    `{"resultType":"complete"}`,
		"tasks/cancel":    `{"resultType":"complete"}`,
	}[m.Method]
	if m.Method == "tasks/cancel" {
		k.state = `"status":"cancelled"`
	}
	if m.Method == "tasks/update" {
		k.state = `"status":"working","statusMessage":"without raisins"`
	}
	w.Header().Set("Content-Type", "application/json")
	if result == "" {
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"error":{"code":-32601,"message":"no such method"}}`)
		return
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (k *kitchen) becomes(state string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state = state
}

func (k *kitchen) count(method string) (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, asked := range k.asked {
		if asked == method {
			n++
		}
	}
	return n
}

const baking = `[
	{"when": {"contains": "bake", "roundtrip": 1}, "answer": {"calls": [{"name": "KITCHEN_BAKE", "arguments": {}}]}},
	{"when": {"result": "a cake"}, "answer": {"text": "The cake is ready."}},
	{"when": {"result": "cancelled"}, "answer": {"text": "No cake then."}},
	{"when": {"contains": "Are you there"}, "answer": {"text": "Yes."}},
	{"answer": {"text": "Hm."}}]`

// TestATaskOfAnMCPServer: the call becomes a row that is polled, also by a server that is restarted during it, and
// its result begins a round. A question during it is an approval, which also survives a restart; a cancelled task
// is cancelled at the MCP server.
func TestATaskOfAnMCPServer(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		k := newKitchen(t)
		v := &vault{Server: harness.NewServer(t, db)}
		made := v.Call("POST", "/v1/connectors", map[string]any{
			"name": "Kitchen", "kind": "mcp", "prefix": "KITCHEN", "config": map[string]any{"url": k.URL},
		}).Want(201)
		v.at = "/v1/connectors/" + made.Str("id")
		v.offer("BAKE", "non_idempotent")
		v.Scripted(baking)
		chat := v.Chat()
		v.Say(chat, "Please bake.")
		task := func() *harness.Reply { return v.Call("GET", "/v1/tasks?session_id="+chat, nil).Want(200) }
		testkit.Until(t, "its progress is polled", func() bool { return task().Str("data.0.progress.text") == "in the oven" })
		v.restart()
		k.becomes(`"status":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Raisins?"}}}`)
		asked := func() *harness.Reply { return v.Call("GET", "/v1/approvals?status=open", nil).Want(200) }
		testkit.Until(t, "an approval is requested", func() bool { return len(asked().List("data")) == 1 })
		if rested := v.Settle(chat); rested.Str("phase") != "IDLE" {
			t.Errorf("the question holds the chat up: %s", rested.Body)
		}
		v.Say(chat, "Are you there?") // another message is no answer
		v.restart()
		card := v.Card()
		if card.Str("kind") != "question" || card.Str("module.data.message") != "Raisins?" || card.Str("id") != task().Str("data.0.approval_id") {
			t.Errorf("the card: %s", card.Body)
		}
		v.Call("POST", "/v1/sessions/"+chat+"/response", map[string]any{"value": true}).Problem(409, "wrong_phase")
		v.Call("POST", "/v1/approvals/"+card.Str("id"), map[string]any{"value": true}).Want(200)
		testkit.Until(t, "the server is notified", func() bool { return k.count("tasks/update") == 1 })
		testkit.Until(t, "it continues", func() bool { return task().Str("data.0.progress.text") == "without raisins" })
		k.becomes(`"status":"completed","result":{"content":[{"type":"text","text":"a cake"}]}`)
		testkit.Until(t, "the result begins a round", func() bool { return v.LastText(chat) == "The cake is ready." })
		if got := task(); got.Str("data.0.status") != "succeeded" || k.count("tools/call") != 1 {
			t.Errorf("the task: %s, called %d times", got.Body, k.count("tools/call"))
		}

		k.becomes(`"status":"working"`)
		chat = v.Chat()
		v.Say(chat, "Please bake.")
		v.Call("POST", "/v1/tasks/"+task().Str("data.0.id")+"/cancel", nil).Want(200)
		testkit.Until(t, "the server is notified", func() bool { return k.count("tasks/cancel") == 1 })
		v.Sound()
	})
}

// TestAReadingThatBecomesATask is waited for, within its time.
func TestAReadingThatBecomesATask(t *testing.T) {
	k := newKitchen(t)
	k.becomes(`"status":"completed","result":{"content":[{"type":"text","text":"a cake"}]}`)
	v := &vault{Server: harness.NewServer(t, harness.Databases["sqlite"](t))}
	made := v.Call("POST", "/v1/connectors", map[string]any{
		"name": "Kitchen", "kind": "mcp", "prefix": "KITCHEN", "config": map[string]any{"url": k.URL},
	}).Want(201)
	v.at = "/v1/connectors/" + made.Str("id")
	v.offer("BAKE", "read_only")
	v.Scripted(baking)
	chat := v.Chat()
	v.Say(chat, "Please bake.")
	if got := v.LastText(chat); got != "The cake is ready." {
		t.Errorf("the AI says %q: %v", got, v.Record(chat))
	}
	v.Call("PATCH", v.at+"/commands/BAKE", map[string]any{"timeout": "2s"}).Want(200)
	k.becomes(`"status":"working"`)
	chat = v.Chat()
	v.Say(chat, "Please bake.")
	if got := v.LastText(chat); got != "Hm." || k.count("tasks/cancel") != 1 || slices.Contains(v.Record(chat), "EXTERNAL_RESULT") {
		t.Errorf("one that takes too long: the AI says %q, cancelled %d times: %v", got, k.count("tasks/cancel"), v.Record(chat))
	}
}
