package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAnMCPClientThroughKills: the protocol's own client talks to a server that is killed in
// the middle of answers. It makes its call again, or asks for its task again, and does nothing
// else: no round is lost, none is doubled.
func TestAnMCPClientThroughKills(t *testing.T) {
	throughKills(t, func(t *testing.T, front *front, kills, rounds int) {
		h := front.host
		var want []string
		session := ""
		for n := 0; h.died() < kills && n < rounds; n++ {
			question, answer := fmt.Sprintf("question %03d", n), front.answer(n)
			want = append(want, "USER "+question, "AI "+answer)
			arguments := map[string]any{"text": question, "idempotency_key": question}
			if session != "" {
				arguments["session_id"] = session
			}
			if n%4 < 2 {
				front.strikeWithin(answerTakes)
			} else {
				front.strikeWithin(2 * answerTakes) // perhaps when all is over
			}
			var got mcpState
			if n%2 == 0 {
				got = front.called(arguments)
			} else {
				got = front.asTask(arguments)
			}
			front.spare()
			if got.State != "completed" || got.Text != answer {
				t.Fatalf("round %d: %+v, and should be %q", n, got, answer)
			}
			session = got.SessionID
		}
		if got := front.record(session); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the record is\n%s\nand should be\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		front.sound()
		h.diedOften(kills, len(want)/2)
	})
}

type mcpState struct {
	SessionID string `json:"session_id"`
	State     string
	Text      string
}

// called makes a call until it has its answer.
func (f *front) called(arguments map[string]any) (state mcpState) {
	f.t.Helper()
	for try := 1; ; try++ {
		err := f.callOnce(arguments, &state)
		if err == nil && state.State == "completed" {
			return state
		}
		if try == maxTries {
			f.t.Fatalf("the client gave up: %v %+v", err, state)
		}
		f.pause()
	}
}

const maxTries = 200

// pause is between two tries of a client, while the server comes back.
func (f *front) pause() { pause(f.t.Context()) }

func pause(ctx context.Context) {
	wait := time.NewTimer(50 * time.Millisecond)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
}

func (f *front) callOnce(arguments map[string]any, state *mcpState) error {
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: f.url + "/mcp", MaxRetries: -1, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "send_message", Arguments: arguments})
	if err != nil {
		return err
	}
	body, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, state)
}

type mcpTask struct {
	ID     string `json:"taskId"`
	Status string
	Result struct {
		Content mcpState `json:"structuredContent"`
	}
}

// asTask begins a task, as clients do that know them, and asks for it until it is done.
func (f *front) asTask(arguments map[string]any) mcpState {
	f.t.Helper()
	var task mcpTask
	method, name, params := "tools/call", "send_message", map[string]any{"name": "send_message", "arguments": arguments}
	for range maxTries {
		if err := mcpPost(f.t.Context(), f.url, method, name, params, &task); err == nil && task.Status == "completed" && method == "tasks/get" {
			return task.Result.Content
		}
		if task.ID != "" {
			method, name, params = "tasks/get", task.ID, map[string]any{"taskId": task.ID}
		}
		f.pause()
	}
	f.t.Fatalf("the task is %+v", task)
	return mcpState{}
}

// mcpPost makes one request of 2026-07-28.
func mcpPost(ctx context.Context, url, method, name string, params map[string]any, out any) error {
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": map[string]any{"extensions": map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}}},
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/mcp", strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	for header, value := range map[string]string{
		"Content-Type": "application/json", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name,
	} {
		request.Header.Set(header, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	reply := struct{ Result any }{out}
	return json.NewDecoder(response.Body).Decode(&reply)
}
