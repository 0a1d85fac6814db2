package doors

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// keyed sends a key with each request.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(r)
}

// mcpClient is the go-sdk's client, at the server's door.
func (s *server) mcpClient(key, revision string, options *mcp.ClientOptions) *mcp.ClientSession {
	s.T.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(s.T.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: keyed{key}}, DisableStandaloneSSE: true,
	}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { _ = session.Close() })
	return session
}

// toolState is what is read of the outcome of send_message.
type toolState struct {
	SessionID string `json:"session_id"`
	State     string
	Text      string
	Attached  bool
	Link      string
	Pending   []struct {
		ApprovalID string `json:"approval_id"`
		Kind       string
		Actions    []struct{ Command string }
	}
}

// callTool calls a tool, and reads its structured result.
func callTool(t testing.TB, c *mcp.ClientSession, name string, arguments, out any) *mcp.CallToolResult {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	body, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if out != nil {
		if err := json.Unmarshal(body, out); err != nil {
			t.Fatalf("%s gives %s: %v", name, body, err)
		}
	}
	return result
}

// refusedBy is the code of ours in the error of a call.
func refusedBy(t testing.TB, err error) string {
	t.Helper()
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		t.Fatalf("no error of the protocol: %v", err)
	}
	var data struct{ Code string }
	if err := json.Unmarshal(wire.Data, &data); err != nil {
		t.Fatalf("the error %v has the data %s", wire, wire.Data)
	}
	return data.Code
}

// The go-sdk's client, unmodified, in both revisions: it lists sessions, sends a message, reads
// open approvals, and reads the data.
func TestTheDoorForMCPClients(t *testing.T) {
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			harness.OnBoth(t, func(t *testing.T, db app.Database) {
				s, key := newChatServer(t, db, echo)
				c := s.mcpClient(key, revision, nil)
				checkListing(t, c, "answer_pending", false)
				var said toolState
				callTool(t, c, "send_message", map[string]any{"text": "hello"}, &said)
				if said.State != "completed" || said.Text != "Yes." || said.Attached {
					t.Fatalf("the answer is %+v", said)
				}
				s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
				var asked toolState
				callTool(t, c, "send_message", map[string]any{"session_id": said.SessionID, "text": "make it"}, &asked)
				if asked.State != "input_required" || len(asked.Pending) != 1 || asked.Pending[0].Actions[0].Command != "CREATE_ZONE" ||
					asked.Link != s.URL+"/#/chat/"+said.SessionID {
					t.Fatalf("it is asked %+v", asked)
				}
				again := asked
				callTool(t, c, "send_message", map[string]any{"session_id": said.SessionID, "text": "make it"}, &again)
				if !again.Attached || again.Pending[0].ApprovalID != asked.Pending[0].ApprovalID {
					t.Errorf("the same request again is %+v", again)
				}
				answer := map[string]any{"approval_id": asked.Pending[0].ApprovalID, "answer": map[string]any{"approved": true}}
				if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "answer_pending", Arguments: answer}); refusedBy(t, err) != "invalid" {
					t.Errorf("a tool that is not there: %v", err)
				}
				s.Call("PATCH", "/v1/settings", map[string]any{"mcp_answers": true}).Want(200)
				c = s.mcpClient(key, revision, nil)
				checkListing(t, c, "answer_pending", true)
				var settled struct{ Status string }
				callTool(t, c, "answer_pending", answer, &settled)
				if settled.Status != "approved" {
					t.Errorf("it is %+v", settled)
				}
				s.Settle(said.SessionID)
				var data struct{ Zones []struct{ Name string } }
				callTool(t, c, "describe_data", nil, &data)
				if len(data.Zones) != 1 || data.Zones[0].Name != "Garden" {
					t.Errorf("the zones are %+v", data)
				}
				if record := strings.Join(s.said(said.SessionID), "|"); !strings.HasPrefix(record, "USER hello|AI Yes.|USER make it|AI I make it.|SYSTEM ACTIONS_EXECUTED") {
					t.Errorf("the record is %s", record)
				}
				s.Sound()
			})
		})
	}
}

// checkListing looks at the tools that a client is shown.
func checkListing(t *testing.T, c *mcp.ClientSession, name string, there bool) {
	t.Helper()
	listed, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, tool := range listed.Tools {
		found = found || tool.Name == name
		if tool.OutputSchema == nil || tool.InputSchema == nil {
			t.Errorf("%s has no schemas", tool.Name)
		}
	}
	if found != there {
		t.Errorf("%s is shown: %v", name, found)
	}
}
