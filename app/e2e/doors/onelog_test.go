package doors

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// talker sends scripted messages through one door. say returns when the session is idle or waits for a
// person; again repeats the last message, as a client does that lost its connection.
type talker interface {
	say(text string)
	again()
	answer(decision map[string]any)
	session() string
}

// ownAPI is the server's own API.
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
	o.s.Call("POST", "/v1/sessions/"+o.id+"/messages", map[string]any{"text": o.last}, "Idempotency-Key", fmt.Sprint("say-", o.id, "-", o.n)).Want(202)
	o.s.Until(o.id, "idle", "requires_action")
}

func (o *ownAPI) again() { o.send() }

func (o *ownAPI) answer(decision map[string]any) {
	o.s.Call("POST", "/v1/approvals/"+o.s.Card().Str("id"), decision).Want(200)
	o.s.Until(o.id, "idle", "requires_action")
}

func (o *ownAPI) session() string { return o.id }

// chatDoor is chat completions. Approvals are answered through the API.
type chatDoor struct {
	ownAPI
	talk string
}

func (c *chatDoor) say(text string) {
	c.last = text
	c.id = c.s.chat(c.s.Key, []string{"X-Fermata-Session", c.talk}, text).session
}

func (c *chatDoor) again() { c.say(c.last) }

// responsesDoor is OpenAI's responses. Approvals are answered through the API.
type responsesDoor struct {
	ownAPI
	talk string
	seen *responseSeen
}

func (r *responsesDoor) say(text string) {
	r.last = text
	body := map[string]any{"input": text}
	if r.seen != nil {
		body["previous_response_id"] = r.seen.ID
	} else {
		body["conversation"] = r.talk
	}
	r.seen, _ = r.s.respond(body)
	r.id = r.seen.Talk.ID
}

// again reads the response again.
func (r *responsesDoor) again() {
	r.s.T.Helper()
	if got := r.s.response(r.seen.ID); got.text() != r.seen.text() || got.Status != r.seen.Status {
		r.s.T.Errorf("%s: the response is %+v, and was %+v", r.last, got, r.seen)
	}
}

// doorNames are the names of all doors, the server's own first.
var doorNames = []string{"own", "chat", "mcp", "agui", "acp", "ui", "responses"}

// throughDoor returns a talker through a door; with a session, it continues that session.
func throughDoor(s *server, key, name, session string) talker {
	talk := cmp.Or(session, "one talk")
	switch name {
	case "chat":
		return &chatDoor{ownAPI{s: s, id: session}, talk}
	case "mcp":
		return &mcpDoor{s: s, client: s.mcpClient(key, "2026-07-28", nil), id: session}
	case "agui":
		return &aguiDoor{s: s, talk: talk}
	case "ui":
		return &uiChatDoor{s: s, talk: talk}
	case "responses":
		return &responsesDoor{ownAPI: ownAPI{s: s, id: session}, talk: talk}
	case "acp":
		editor := newACPDoor(s, key)
		if session != "" {
			editor.id = session
			editor.editor.Ask("session/load", map[string]any{"sessionId": session, "cwd": "/", "mcpServers": []any{}}, nil)
		}
		return editor
	}
	return &ownAPI{s: s, id: session}
}

// talkThrough sends the scripted messages through two doors by turns, which may be the same, and returns
// the record.
func talkThrough(t *testing.T, db app.Database, one, other string) (record string) {
	t.Helper()
	s, key := newChatServer(t, db, oneTalk)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true, "mcp_answers": true}).Want(200)
	s.Key = key
	first := throughDoor(s, key, one, "")
	first.say("hello")
	second := first
	if other != one {
		second = throughDoor(s, key, other, first.session())
	}
	second.say("look")
	first.say("make it")
	first.again()
	first.answer(map[string]any{"approved": true})
	second.say("ask me")
	second.again()
	second.answer(map[string]any{"value": "red"})
	session := first.session()
	s.watched(session)
	record = s.comparable(session, 9)
	s.Key = harness.RootKey
	s.Sound()
	return record
}

// watched reads the last round of a session through responses: every message has one.
func (s *server) watched(session string) {
	s.T.Helper()
	asked := ""
	for _, m := range s.Call("GET", "/v1/sessions/"+session+"/messages?limit=200", nil).Want(200).List("data") {
		if m, ok := m.(map[string]any); ok && m["sender"] == "USER" && m["rich_content"] != nil {
			asked = m["id"].(string)
		}
	}
	id := "resp_" + strings.TrimPrefix(session, "ses_") + strings.TrimPrefix(asked, "msg_")
	events := s.responseStream("/v1/responses/"+id+"?stream=true", nil, 0)
	if last := events[len(events)-1]; last.Type != "response.completed" || eventTexts(events) != "Tell me.|Red it is." {
		s.T.Errorf("through a third door the end is %q, %s", eventTexts(events), last.Type)
	}
}

// mcpDoor is the door for MCP clients.
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

// The same messages through each door leave the same record: text, a query, an approval, a question, and
// a client that reconnects in the middle.
func TestOneTalkThroughEachDoor(t *testing.T) {
	for kind, fresh := range harness.Databases {
		own := ""
		for _, name := range doorNames {
			record := talkThrough(t, fresh(t), name, name)
			if own == "" {
				own = record
			}
			if record != own {
				t.Errorf("%s: through %s the record is\n%s\nand through the API\n%s", kind, name, record, own)
			}
		}
	}
}

// And through every two of them by turns: a session belongs to no door.
func TestOneTalkThroughEveryTwoDoors(t *testing.T) {
	own := talkThrough(t, harness.Databases["sqlite"](t), "own", "own")
	for _, one := range doorNames {
		for _, other := range doorNames {
			if one == other {
				continue
			}
			t.Run(one+" and "+other, func(t *testing.T) {
				if record := talkThrough(t, harness.Databases["sqlite"](t), one, other); record != own {
					t.Errorf("the record is\n%s\nand through the API\n%s", record, own)
				}
			})
		}
	}
}

var (
	anID   = regexp.MustCompile(`[a-z]{2,4}_[0-9a-f]{32}`)
	aTime  = regexp.MustCompile(`"20\d\d-[0-9T:.-]+Z"`)
	aCount = regexp.MustCompile(`"seq": \d+`)
)

// comparable returns the record of a session without ids and times. It must have at least as many messages.
func (s *server) comparable(session string, least int) string {
	s.T.Helper()
	var page struct{ Data []any }
	if err := json.Unmarshal(s.Call("GET", "/v1/sessions/"+session+"/messages?limit=200", nil).Want(200).Body, &page); err != nil {
		s.T.Fatal(err)
	}
	if len(page.Data) < least {
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
