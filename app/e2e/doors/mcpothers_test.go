package doors

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// The protocol's own client for Node.js, unmodified.
func TestTheNodeClientForMCP(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, `[
			{"when": {"contains": "make it"}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
			{"when": {"contains": "Second question"}, "answer": {"text": "The second answer."}},
			{"when": {"contains": "First question"}, "answer": {"text": "The first answer."}}]`)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		doc := s.Call("POST", "/v1/documents", map[string]any{"key": "hours", "title": "Hours", "body": "Open until six."}).Want(201).Str("id")
		s.Call("POST", "/v1/documents/"+doc+"/publish", nil).Want(200)
		s.Call("POST", "/v1/documents", map[string]any{"key": "draft", "title": "A draft", "body": "Not yet."}).Want(201)
		var got struct {
			Version              string
			Tools, Resources     []string
			First, Second, Asked toolState
			Pending              []struct {
				ApprovalID string `json:"approval_id"`
			}
			Status string
		}
		runClient(t, "mcp.mjs", s.URL, key, &got, "FERMATA_URL="+s.URL, "FERMATA_KEY="+key)
		if got.Version != "fermata" || !slices.Contains(got.Tools, "send_message") || slices.Contains(got.Tools, "answer_pending") {
			t.Errorf("it is shown %s, %q", got.Version, got.Tools)
		}
		if !slices.Equal(got.Resources, []string{"Hours"}) {
			t.Errorf("the resources are %q", got.Resources)
		}
		if got.First.Text != "The first answer." || got.Second.Text != "The second answer." || got.Second.SessionID != got.First.SessionID {
			t.Errorf("the answers are %+v and %+v", got.First, got.Second)
		}
		if got.Asked.State != "input_required" || len(got.Asked.Pending) != 1 || len(got.Pending) != 1 || got.Status != "requires_action" ||
			got.Pending[0].ApprovalID != got.Asked.Pending[0].ApprovalID {
			t.Errorf("it is asked %+v, and %+v is open (%s)", got.Asked, got.Pending, got.Status)
		}
	})
}

// Scenarios of the protocol's own suite that look at the whole server, without fixtures.
func TestMCPConformanceOfTheServer(t *testing.T) {
	installed, err := filepath.Abs("../../../connectors/mcp/testdata/servers/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	suite := filepath.Join(installed, "@modelcontextprotocol/conformance/dist/index.js")
	if _, err := os.Stat(suite); err != nil {
		t.Skip("the suite is not installed: make mcp-servers installs it")
	}
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	node := filepath.Join(installed, "node-linux-"+arch, "bin", "node")
	if _, err := os.Stat(node); err != nil {
		t.Skip("the Node.js of the suite is not installed: make mcp-servers installs it")
	}
	s := newServer(t, harness.Databases["sqlite"](t))
	for _, scenario := range []string{"dns-rebinding-protection", "tools-list", "http-header-validation", "sep-2164-resource-not-found"} {
		process := exec.Command(node, suite, "server", "--url", s.URL+"/mcp", "--scenario", scenario, "--spec-version", "2026-07-28", "-o", t.TempDir())
		process.Env = append(os.Environ(), "FORCE_COLOR=0")
		if out, err := process.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", scenario, err, out)
		}
	}
}

// rpc posts a body to the door as it is.
func (s *server) rpc(key, body string, headers ...string) (status int, reply rpcReply) {
	s.T.Helper()
	request, err := http.NewRequestWithContext(s.T.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	if err := json.Unmarshal(read, &reply); err != nil {
		s.T.Fatalf("%d %s: %v", response.StatusCode, read, err)
	}
	return response.StatusCode, reply
}

// misfit is what is expected where arguments do not fit their tool: a result that a model reads, not an
// error of the protocol.
const misfit = "a result that is an error"

type rpcReply struct {
	Result struct {
		IsError       bool            `json:"isError"`
		ResultType    string          `json:"resultType"`
		TaskID        string          `json:"taskId"`
		Status        string          `json:"status"`
		InputRequests json.RawMessage `json:"inputRequests"`
		Content       toolState       `json:"structuredContent"`
		Result        struct {
			Content toolState `json:"structuredContent"`
		}
	}
	Error struct {
		Code    int
		Message string
		Data    struct{ Code string }
	}
}

// modern is the body of a request of 2026-07-28, and its headers.
func modern(method, name, params string, able string) (body string, headers []string) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":` + able + `}`
	body = fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s,%s}}`, method, params, meta)
	return body, []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name}
}

func (s *server) modern(key, method, name, params, able string) (int, rpcReply) {
	s.T.Helper()
	body, headers := modern(method, name, params, able)
	return s.rpc(key, body, headers...)
}

const withTasks = `{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{"form":{},"url":{}}}`

func send(text string) string {
	return fmt.Sprintf(`"name":"send_message","arguments":{"text":%q}`, text)
}

// Invalid requests are answered in the form of the protocol, with our code, and change
// nothing.
func TestWhatMCPClientsGetWrong(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), echo)
	viewer := s.Call("POST", "/v1/keys", map[string]any{"name": "reader", "role": "viewer"}).Want(201).Str("key")
	s.Call("POST", "/v1/workspaces", map[string]any{"id": "elsewhere"}).Want(201)
	foreign := s.Call("POST", "/v1/sessions", map[string]any{}, "Fermata-Workspace", "elsewhere").Want(201).Str("id")
	call := func(name, arguments string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
	}
	contradicts, headers := modern("tools/call", "list_sessions", send("hello"), "{}")
	for name, wrong := range map[string]struct {
		key, body string
		headers   []string
		code      string
	}{
		"no JSON":          {key, `{"jsonrpc"`, nil, "malformed_json"},
		"a batch":          {key, `[` + call("list_sessions", "{}") + `]`, nil, "invalid"},
		"100,000 items":    {key, `[` + strings.Repeat(`{"id":1},`, 99_999) + `{"id":1}]`, nil, "too_large"},
		"a text":           {key, `"hello"`, nil, "invalid"},
		"no method":        {key, `{"jsonrpc":"2.0","id":1}`, nil, "invalid"},
		"another method":   {key, `{"jsonrpc":"2.0","id":1,"method":"sessions/drop"}`, nil, "invalid"},
		"too large":        {key, call("send_message", `{"text":"`+strings.Repeat("a", 1<<20)+`"}`), nil, "too_large"},
		"unknown tool":     {key, call("drop_everything", "{}"), nil, "invalid"},
		"a hidden tool":    {key, call("answer_pending", `{"approval_id":"apr_1","answer":{}}`), nil, "invalid"},
		"a viewer":         {viewer, call("send_message", `{"text":"hello"}`), nil, "invalid"},
		"no key":           {"", call("list_sessions", "{}"), nil, "unauthenticated"},
		"another's":        {key, call("send_message", `{"session_id":"`+foreign+`","text":"hello"}`), nil, "not_found"},
		"another's task":   {key, taskOf("tasks/get", foreign+".msg_00000000000000000000000000000000"), tasksHeaders("tasks/get", foreign+".msg_00000000000000000000000000000000"), "not_found"},
		"another's end":    {key, taskOf("tasks/cancel", foreign), tasksHeaders("tasks/cancel", foreign), "not_found"},
		"no such task":     {key, taskOf("tasks/get", "mine"), tasksHeaders("tasks/get", "mine"), "not_found"},
		"a task's header":  {key, taskOf("tasks/get", "mine"), tasksHeaders("tasks/get", "yours"), "invalid"},
		"to look at":       {key, call("get_session", `{"session_id":"`+foreign+`"}`), nil, "not_found"},
		"wrong type":       {key, call("send_message", `{"text":7}`), nil, misfit},
		"unknown argument": {key, call("send_message", `{"text":"a","loudly":true}`), nil, misfit},
		"nothing said":     {key, call("send_message", `{"text":"  "}`), nil, misfit},
		"no document":      {key, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"fermata://documents/doc_1"}}`, nil, "not_found"},
		"no resource":      {key, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:\u0007"}}`, nil, "not_found"},
		"another version":  {key, call("list_sessions", "{}"), []string{"Mcp-Protocol-Version", "2020-01-01"}, "invalid"},
		"contradiction":    {key, contradicts, headers, "invalid"},
	} {
		status, reply := s.rpc(wrong.key, wrong.body, wrong.headers...)
		if wrong.code == misfit {
			if status != http.StatusOK || reply.Error.Code != 0 || !reply.Result.IsError {
				t.Errorf("%s: %d %+v", name, status, reply)
			}
			continue
		}
		if reply.Error.Code == 0 || reply.Error.Data.Code != wrong.code {
			t.Errorf("%s: %d %+v", name, status, reply.Error)
		}
	}
	if n := len(s.Call("GET", "/v1/sessions", nil).Want(200).List("data")); n != 0 {
		t.Errorf("%d sessions were made", n)
	}
	s.Sound()
}

// taskOf is the body of a request about a task, and tasksHeaders what belongs to one.
func taskOf(method, id string) string {
	body, _ := modern(method, id, fmt.Sprintf(`"taskId":%q`, id), withTasks)
	return body
}

func tasksHeaders(method, id string) []string {
	_, headers := modern(method, id, "", withTasks)
	return headers
}

// Ten of the same request at once are one round, in a new session and in one that is there.
func TestTenOfTheSameMCPCallAtOnce(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, `[{"when": {"result": "created"}, "answer": {"text": "Made."}},
			{"answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}}]`)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		session := s.tenAtOnce(key, `{"text":"make one"}`)
		s.Call("POST", "/v1/approvals/"+s.Card().Str("id"), map[string]any{"approved": false}).Want(200)
		if same := s.tenAtOnce(key, fmt.Sprintf(`{"text":"make two","session_id":%q}`, session)); same != session {
			t.Errorf("the session is %s, and was %s", same, session)
		}
		var said []string
		for _, line := range s.said(session) {
			if strings.HasPrefix(line, "USER") {
				said = append(said, line)
			}
		}
		if sessions := s.Call("GET", "/v1/sessions", nil).Want(200).List("data"); len(sessions) != 1 || len(said) != 2 {
			t.Errorf("%d sessions, and what was said is %q", len(sessions), said)
		}
		s.Sound()
	})
}

// tenAtOnce makes the same call ten times; what it begins waits for a person, so that each of
// them comes while it is in progress.
func (s *server) tenAtOnce(key, arguments string) (session string) {
	s.T.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_message","arguments":%s}}`, arguments)
	var at sync.WaitGroup
	replies := make([]rpcReply, 10)
	for i := range replies {
		at.Go(func() { _, replies[i] = s.rpc(key, body) })
	}
	at.Wait()
	begun := 0
	for _, r := range replies {
		got := r.Result.Content
		if got.State != "input_required" || got.SessionID != replies[0].Result.Content.SessionID {
			s.T.Errorf("one is answered %+v", r)
		}
		if !got.Attached {
			begun++
		}
	}
	if begun != 1 {
		s.T.Errorf("%d of them began a round", begun)
	}
	return replies[0].Result.Content.SessionID
}

// A task outlives the request: it works, asks, is answered through its own methods, and is
// done; another one is cancelled.
func TestAMessageAsATask(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, `[
			{"when": {"contains": "make"}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
			{"when": {"contains": "slow"}, "delay_ms": 60000, "answer": {"text": "Never."}},
			{"answer": {"text": "Yes."}}]`)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true, "mcp_answers": true}).Want(200)
		begin := func(text string) string {
			_, made := s.modern(key, "tools/call", "send_message", send(text), withTasks)
			if made.Result.ResultType != "task" || made.Result.TaskID == "" {
				t.Fatalf("no task: %+v", made)
			}
			return made.Result.TaskID
		}
		until := func(id, want string) (last rpcReply) {
			testkit.Until(t, "the task is "+want, func() bool {
				_, last = s.modern(key, "tasks/get", id, fmt.Sprintf(`"taskId":%q`, id), withTasks)
				return last.Result.Status == want
			})
			return last
		}
		if done := until(begin("hello"), "completed"); done.Result.Result.Content.Text != "Yes." {
			t.Errorf("the result is %+v", done)
		}
		making := begin("make it")
		asked := until(making, "input_required")
		approval := s.Card().Str("id")
		if !strings.Contains(string(asked.Result.InputRequests), approval) {
			t.Errorf("it asks %s", asked.Result.InputRequests)
		}
		if whole := "All that would be done, before you answer: http"; !strings.Contains(string(asked.Result.InputRequests), whole) {
			t.Errorf("it does not say where the whole of it is: %s", asked.Result.InputRequests)
		}
		_, reply := s.modern(harness.RootKey, "tasks/get", making+"x", fmt.Sprintf(`"taskId":%q`, making+"x"), withTasks)
		if reply.Error.Code != -32602 || reply.Error.Data.Code != "not_found" {
			t.Errorf("an unknown task: %+v", reply)
		}
		_, ack := s.modern(key, "tasks/update", making, fmt.Sprintf(
			`"taskId":%q,"inputResponses":{%q:{"action":"accept","content":{"approved":true}}}`, making, approval), withTasks)
		if ack.Result.ResultType != "complete" {
			t.Errorf("the answer is not taken: %+v", ack)
		}
		until(making, "completed")
		slow := begin("slow")
		s.modern(key, "tasks/cancel", slow, fmt.Sprintf(`"taskId":%q`, slow), withTasks)
		until(slow, "cancelled")
		s.Sound()
	})
}
