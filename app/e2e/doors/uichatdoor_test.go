package doors

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// uiChunk is what is read of a chunk of a UI message stream.
type uiChunk struct {
	Type       string
	ID         string
	Delta      string
	MessageID  string
	CallID     string `json:"toolCallId"`
	ToolName   string
	ApprovalID string
	Finish     string `json:"finishReason"`
	ErrorText  string
}

// uiCall makes a request of a chat, and reads its chunks up to the end, or up to as many.
func (s *server) uiCall(key, method, path, body string, upTo int) (status int, chunks []uiChunk, code string) {
	s.T.Helper()
	request, err := http.NewRequestWithContext(s.T.Context(), method, s.URL+"/v1/ui/chat"+path, strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNoContent:
		return response.StatusCode, nil, ""
	default:
		var problem struct{ Code string }
		if err := json.NewDecoder(response.Body).Decode(&problem); err != nil {
			s.T.Fatal(err)
		}
		return response.StatusCode, nil, problem.Code
	}
	if v := response.Header.Get("X-Vercel-Ai-Ui-Message-Stream"); v != "v1" {
		s.T.Errorf("the stream is of version %q", v)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	done := false
	for lines.Scan() && (upTo == 0 || len(chunks) < upTo) {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if done = done || data == "[DONE]"; !ok || done {
			continue
		}
		var c uiChunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			s.T.Fatalf("%s: %v", data, err)
		}
		chunks = append(chunks, c)
	}
	if upTo == 0 && !done {
		s.T.Errorf("the stream does not say that it is done: %+v", chunks)
	}
	return response.StatusCode, chunks, ""
}

// uiBody is a chat whose newest message of the user is this; held, the answer as far as it is held.
func uiBody(chat, message, text, held string) string {
	if held != "" {
		held = "," + held
	}
	return fmt.Sprintf(`{"id":%q,"trigger":"submit-message","messages":[{"id":%q,"role":"user","parts":[{"type":"text","text":%q}]}%s]}`,
		chat, message, text, held)
}

// uiText is the text of the chunks.
func uiText(chunks []uiChunk) string {
	var text strings.Builder
	for _, c := range chunks {
		if c.Type == "text-delta" {
			text.WriteString(c.Delta)
		}
	}
	return text.String()
}

// uiChatDoor is the one for front ends of the AI SDK.
type uiChatDoor struct {
	s    *server
	n    int
	text string
	last []uiChunk
	talk string
}

func (u *uiChatDoor) say(text string) {
	u.n++
	u.text = text
	u.send("")
}

func (u *uiChatDoor) send(held string) {
	u.s.T.Helper()
	_, u.last, _ = u.s.uiCall(u.s.Key, "POST", "", uiBody(u.talk, fmt.Sprint("m", u.n), u.text, held), 0)
	if len(u.last) == 0 || u.last[len(u.last)-1].Type != "finish" {
		u.s.T.Fatalf("%s: the stream ends with %+v", u.text, u.last)
	}
}

// again is a page that was reloaded.
func (u *uiChatDoor) again() {
	u.s.T.Helper()
	_, u.last, _ = u.s.uiCall(u.s.Key, "GET", "/"+url.PathEscape(u.talk)+"/stream", "", 0)
}

func (u *uiChatDoor) answer(decision map[string]any) {
	u.s.T.Helper()
	part := map[string]any{"type": "dynamic-tool", "state": "output-available", "output": decision["value"]}
	for _, c := range u.last {
		switch c.Type {
		case "tool-input-available":
			part["toolCallId"] = c.CallID
		case "tool-approval-request":
			part["state"], part["approval"] = "approval-responded", map[string]any{"id": c.ApprovalID, "approved": true}
		}
	}
	held, err := json.Marshal(map[string]any{"id": u.last[0].MessageID, "role": "assistant", "parts": []any{map[string]any{"type": "step-start"}, part}})
	if err != nil {
		u.s.T.Fatal(err)
	}
	u.send(string(held))
}

func (u *uiChatDoor) session() string {
	return u.s.Call("GET", "/v1/sessions", nil).Want(200).Str("data.0.id")
}

// A chat that is resumed after a disconnect is complete; what the client has is not sent again; ten at
// once are one round; what is long over is not resumed.
func TestAUIChatGoneOnWith(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, twoAnswers)
		const answer = "The second answer, in a few words."
		body := uiBody("left", "m1", "Second question", "")
		_, left, _ := s.uiCall(key, "POST", "", body, 5)
		if len(left) != 5 || left[0].Type != "start" || left[1].Type != "start-step" || left[2].Type != "text-start" {
			t.Fatalf("it received %+v", left)
		}
		_, resumed, _ := s.uiCall(key, "GET", "/left/stream", "", 0)
		if uiText(resumed) != answer || resumed[0].MessageID != left[0].MessageID {
			t.Errorf("it receives %q in %+v", uiText(resumed), resumed[0])
		}
		held := fmt.Sprintf(`{"id":"mine","role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":%q}]}`, uiText(left))
		_, rest, _ := s.uiCall(key, "POST", "", uiBody("left", "m1", "Second question", held), 0)
		if uiText(left)+uiText(rest) != answer || rest[0].MessageID != "mine" {
			t.Errorf("behind %q it receives %q in %+v", uiText(left), uiText(rest), rest[0])
		}
		var at sync.WaitGroup
		received := make([][]uiChunk, 10)
		for i := range received {
			at.Go(func() { _, received[i], _ = s.uiCall(key, "POST", "", uiBody("ten", "m1", "First question", ""), 0) })
		}
		at.Wait()
		for _, chunks := range received {
			if got := uiText(chunks); got != "The first answer." || chunks[len(chunks)-1].Finish != "stop" {
				t.Errorf("one receives %q: %+v", got, chunks)
			}
		}
		_, _, _ = s.uiCall(key, "POST", "", uiBody("ten", "m2", "Second question", ""), 0)
		if _, first, _ := s.uiCall(key, "POST", "", uiBody("ten", "m1", "First question", ""), 0); uiText(first) != "The first answer." {
			t.Errorf("an earlier message receives %q", uiText(first))
		}
		sessions := s.Call("GET", "/v1/sessions", nil).Want(200)
		if n := len(sessions.List("data")); n != 2 {
			t.Errorf("%d sessions", n)
		}
		for i, want := range []int{4, 2} {
			if said := s.said(sessions.Str(fmt.Sprintf("data.%d.id", i))); len(said) != want {
				t.Errorf("the record is %q", said)
			}
		}
		s.Sound()
	})
}

// A request about what belongs to another session or another workspace, or that is too large, is answered with
// our code, and changes nothing.
func TestWhatUIChatsGetWrong(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), slowAnswer)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	s.Call("POST", "/v1/workspaces", map[string]any{"id": "elsewhere"}).Want(201)
	foreign := s.Call("POST", "/v1/sessions", map[string]any{}, "Fermata-Workspace", "elsewhere").Want(201).Str("id")
	_, asked, _ := s.uiCall(key, "POST", "", uiBody("one", "m1", "make it", ""), 0)
	approval := s.Card().Str("id")
	if last := asked[len(asked)-1]; last.Finish != "tool-calls" {
		t.Fatalf("it receives %+v", asked)
	}
	_, both, _ := s.uiCall(key, "POST", "", uiBody("two", "m1", "both", ""), 0)
	var of []string
	for _, c := range both {
		if c.Type == "tool-approval-request" {
			of = append(of, c.ApprovalID)
		}
	}
	if len(of) != 2 {
		t.Fatalf("of two it receives %+v", both)
	}
	answer := func(id string, approved any) string {
		return fmt.Sprintf(`{"id":"a","role":"assistant","parts":[{"type":"step-start"},{"type":"dynamic-tool","toolCallId":"exe_1",
			"state":"approval-responded","approval":{"id":%q,"approved":%v}}]}`, id, approved)
	}
	for name, wrong := range map[string]struct{ body, code string }{
		"no JSON":              {`{"id"`, "malformed_json"},
		"another's session":    {uiBody(foreign, "m1", "hello", ""), "not_found"},
		"an answer to nothing": {uiBody("four", "m1", "hello", answer(approval, true)), "not_found"},
		"asked by another":     {uiBody("one", "m1", "make it", answer(of[0], true)), "not_found"},
		"100,000 messages":     {`{"id":"a","messages":[` + strings.Repeat(`{"id":"a"},`, 90_000) + `{}]}`, "too_large"},
	} {
		if _, chunks, code := s.uiCall(key, "POST", "", wrong.body, 0); code != wrong.code {
			t.Errorf("%s: %q %+v", name, code, chunks)
		}
	}
	for path, want := range map[string]struct {
		status int
		code   string
	}{
		"/unknown/stream":                          {204, ""},
		"/" + foreign + "/stream":                  {404, "not_found"},
		"/" + strings.Repeat("a", 300) + "/stream": {422, "invalid"},
	} {
		if status, _, code := s.uiCall(key, "GET", path, "", 0); status != want.status || code != want.code {
			t.Errorf("%s: %d %q", path, status, code)
		}
	}
	if n := len(s.Call("GET", "/v1/sessions", nil).Want(200).List("data")); n != 2 {
		t.Errorf("%d sessions", n)
	}
	if open := s.Call("GET", "/v1/approvals?status=open", nil).Want(200).List("data"); len(open) != 2 {
		t.Errorf("%d are open", len(open))
	}
	s.Sound()
}
