package doors

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// talker holds the scripted talk through one door. say comes back when the session rests, or
// asks a person; again repeats the last of them, as a client does that lost its connection.
type talker interface {
	say(text string)
	again()
	answer(decision map[string]any)
	session() string
}

// ownAPI is the server's own.
type ownAPI struct {
	s    *server
	id   string
	last string
	n    int
}

func (o *ownAPI) say(text string) {
	if o.id == "" {
		o.id = o.s.Call("POST", "/v1/sessions", map[string]any{}).Want(201).Str("id")
	}
	o.n++
	o.last = text
	o.send()
}

func (o *ownAPI) send() {
	o.s.Call("POST", "/v1/sessions/"+o.id+"/messages", map[string]any{"text": o.last}, "Idempotency-Key", fmt.Sprint("say-", o.n)).Want(202)
	o.s.Until(o.id, "idle", "requires_action")
}

func (o *ownAPI) again() { o.send() }

func (o *ownAPI) answer(decision map[string]any) {
	o.s.Call("POST", "/v1/approvals/"+o.s.Card().Str("id"), decision).Want(200)
	o.s.Until(o.id, "idle", "requires_action")
}

func (o *ownAPI) session() string { return o.id }

// chatDoor is chat completions. It has no words for an answer: that comes through the API.
type chatDoor struct{ ownAPI }

func (c *chatDoor) say(text string) {
	c.last = text
	c.id = c.s.chat(c.s.Key, []string{"X-Fermata-Session", "one talk"}, text).session
}

func (c *chatDoor) again() { c.say(c.last) }

// mcpDoor is the one for MCP clients.
type mcpDoor struct {
	s      *server
	client *mcp.ClientSession
	id     string
	last   string
}

func (m *mcpDoor) say(text string) {
	m.last = text
	arguments := map[string]any{"text": text}
	if m.id != "" {
		arguments["session_id"] = m.id
	}
	var state toolState
	callTool(m.s.T, m.client, "send_message", arguments, &state)
	m.id = state.SessionID
}

func (m *mcpDoor) again() { m.say(m.last) }

func (m *mcpDoor) answer(decision map[string]any) {
	var pending struct {
		Pending []struct {
			ApprovalID string `json:"approval_id"`
		}
	}
	callTool(m.s.T, m.client, "list_pending", nil, &pending)
	callTool(m.s.T, m.client, "answer_pending", map[string]any{"approval_id": pending.Pending[0].ApprovalID, "answer": decision}, nil)
	m.s.Until(m.id, "idle", "requires_action")
}

func (m *mcpDoor) session() string { return m.id }

const oneTalk = `[
	{"when": {"contains": "hello", "roundtrip": 1}, "answer": {"text": "Hello to you."}},
	{"when": {"contains": "look", "roundtrip": 1}, "answer": {"text": "I look.", "calls": [{"name": "ZONES", "arguments": {}}]}},
	{"when": {"contains": "look", "roundtrip": 2}, "answer": {"text": "There is nothing."}},
	{"when": {"contains": "make", "roundtrip": 1}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
	{"when": {"contains": "make", "roundtrip": 2}, "answer": {"text": "It is made."}},
	{"when": {"contains": "ask", "roundtrip": 1}, "answer": {"text": "Tell me.", "calls": [{"name": "ASK_USER",
		"arguments": {"type": "MultipleChoice", "data": {"question": "Which?", "options": ["red", "blue"]}}}]}},
	{"answer": {"text": "Red it is."}}]`

// The same talk through each door leaves the same record: text, a query, an approval, a
// question, and a client that lost its connection in the middle and came back.
func TestOneTalkThroughEachDoor(t *testing.T) {
	for kind, fresh := range harness.Databases {
		records := map[string]string{}
		for _, name := range []string{"own", "chat", "mcp", "agui", "acp", "ui"} {
			s, key := newChatServer(t, fresh(t), oneTalk)
			s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true, "mcp_answers": true}).Want(200)
			s.Key = key
			door := map[string]talker{
				"own": &ownAPI{s: s}, "chat": &chatDoor{ownAPI{s: s}}, "mcp": &mcpDoor{s: s, client: s.mcpClient(key, "2026-07-28", nil)},
				"agui": &aguiDoor{s: s, talk: "one talk"}, "ui": &uiChatDoor{s: s},
			}[name]
			if name == "acp" {
				door = newACPDoor(s, key)
			}
			door.say("hello")
			door.say("look")
			door.say("make it")
			door.again()
			door.answer(map[string]any{"approved": true})
			door.say("ask me")
			door.again()
			door.answer(map[string]any{"value": "red"})
			records[name] = s.comparable(door.session())
			s.Key = harness.RootKey
			s.Sound()
		}
		for _, name := range []string{"chat", "mcp", "agui", "acp", "ui"} {
			if records[name] != records["own"] {
				t.Errorf("%s: through %s the record is\n%s\nand through the API\n%s", kind, name, records[name], records["own"])
			}
		}
	}
}

var (
	anID   = regexp.MustCompile(`[a-z]{2,4}_[0-9a-f]{32}`)
	aTime  = regexp.MustCompile(`"20\d\d-[0-9T:.-]+Z"`)
	aCount = regexp.MustCompile(`"seq": \d+`)
)

// comparable is the record of a session without ids and times.
func (s *server) comparable(session string) string {
	s.T.Helper()
	var page struct{ Data []any }
	if err := json.Unmarshal(s.Call("GET", "/v1/sessions/"+session+"/messages?limit=200", nil).Want(200).Body, &page); err != nil {
		s.T.Fatal(err)
	}
	if len(page.Data) < 9 {
		s.T.Fatalf("the record has %d messages: %q", len(page.Data), s.said(session))
	}
	text, err := json.MarshalIndent(page.Data, "", " ")
	if err != nil {
		s.T.Fatal(err)
	}
	text = anID.ReplaceAll(text, []byte("id"))
	text = aTime.ReplaceAll(text, []byte(`"time"`))
	return string(aCount.ReplaceAll(text, []byte(`"seq": 0`)))
}
