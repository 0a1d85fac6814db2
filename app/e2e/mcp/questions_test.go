package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// clerk is an MCP server, made with the official SDK, that asks before it pays.
type clerk struct {
	*httptest.Server

	mu   sync.Mutex
	said []string // what it was answered, and paid
}

// newClerk speaks 2026-07-28, or only what was before it: then it asks in the middle of a call.
func newClerk(t *testing.T, before bool) *clerk {
	t.Helper()
	c := &clerk{}
	server := mcp.NewServer(&mcp.Implementation{Name: "clerk", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "pay", Description: "Pays."},
		func(_ context.Context, r *mcp.CallToolRequest, _ params) (*mcp.CallToolResult, any, error) {
			answer, ok := r.Params.InputResponses["who"].(*mcp.ElicitResult)
			if !ok {
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": &mcp.ElicitParams{
					Message: "Pay \u202ewhom?", RequestedSchema: map[string]any{
						"type": "object", "required": []string{"name"},
						"properties": map[string]any{"name": map[string]any{"type": "string", "title": "Name"}},
					},
				}}}, nil, nil
			}
			text := fmt.Sprintf("%s %v", answer.Action, answer.Content["name"])
			c.mu.Lock()
			c.said = append(c.said, text)
			c.mu.Unlock()
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "paid: " + text}}}, nil, nil
		})
	c.Server = httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: !before}))
	t.Cleanup(func() { c.CloseClientConnections(); c.Close() })
	return c
}

func (c *clerk) answers() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.said)
}

// TestAServerAsksAPerson: its question is an approval that names the connector, and the
// answer goes back into the same call; so does a no.
func TestAServerAsksAPerson(t *testing.T) {
	for _, before := range []bool{false, true} {
		t.Run(map[bool]string{false: "2026-07-28", true: "2025-11-25"}[before], func(t *testing.T) {
			harness.OnBoth(t, func(t *testing.T, db app.Database) { testQuestions(t, db, before) })
		})
	}
}

func testQuestions(t *testing.T, db app.Database, before bool) {
	c := newClerk(t, before)
	v := &vault{Server: harness.NewServer(t, db)}
	made := v.Call("POST", "/v1/connectors", map[string]any{
		"name": "Clerk", "kind": "mcp", "prefix": "CLERK", "config": map[string]any{"url": c.URL},
	}).Want(201)
	if made.Str("status") != "ready" || made.Str("commands.0.name") != "PAY" {
		t.Fatalf("made: %s", made.Body)
	}
	v.at = "/v1/connectors/" + made.Str("id")
	v.offer("PAY", "non_idempotent")
	v.Scripted(`[
		{"when": {"contains": "pay", "roundtrip": 1}, "answer": {"calls": [{"name": "CLERK_PAY", "arguments": {"n": 1}}]}},
		{"when": {"result": "paid: accept Ada"}, "answer": {"text": "Ada has it."}},
		{"when": {"result": "paid: decline"}, "answer": {"text": "It is not available."}},
		{"answer": {"text": "Hm."}}]`)
	ask := func() (chat, card string) {
		chat = v.Chat()
		v.Say(chat, "Please pay.")
		asked := v.Card()
		if asked.Str("kind") != "question" || asked.Str("module.type") != "Form" || asked.Str("module.data.title") != `Pay \u202ewhom?` ||
			!strings.Contains(asked.Str("reasons.0.text"), "connector Clerk") || asked.Str("actions.0.command") != "CLERK.PAY" ||
			asked.At("response_schema.properties.name") == nil {
			t.Fatalf("the card is %s", asked.Body)
		}
		return chat, asked.Str("id")
	}
	chat, card := ask()
	v.Call("POST", "/v1/approvals/"+card, map[string]any{"value": map[string]any{"unknown": 1}}).Problem(422, "invalid")
	v.Call("POST", "/v1/approvals/"+card, map[string]any{"value": map[string]any{"name": "Ada"}}).Want(200)
	v.Until(chat, "idle")
	if got := v.LastText(chat); got != "Ada has it." {
		t.Errorf("the AI says %q: %v", got, v.Record(chat))
	}
	chat, _ = ask()
	v.Call("POST", "/v1/sessions/"+chat+"/response", map[string]any{"cancelled": true}).Want(200)
	v.Until(chat, "idle")
	if got := v.LastText(chat); got != "It is not available." {
		t.Errorf("the AI says %q: %v", got, v.Record(chat))
	}
	if got := c.answers(); !slices.Equal(got, []string{"accept Ada", "decline <nil>"}) {
		t.Errorf("the server got %q", got)
	}
	// Unanswered, and then another message is sent: the open call may have been carried out.
	chat, card = ask()
	v.Say(chat, "Never mind.")
	if settled := v.Call("GET", "/v1/approvals/"+card, nil).Want(200); settled.Str("status") != "superseded" {
		t.Errorf("the card is %s", settled.Str("status"))
	}
	open := v.Call("GET", "/v1/approvals?status=open", nil).Want(200)
	if outcome := len(open.List("data")) == 1 && open.Str("data.0.kind") == "outcome"; outcome != before {
		t.Errorf("then these are open: %s", open.Body)
	}
	v.Sound()
}
