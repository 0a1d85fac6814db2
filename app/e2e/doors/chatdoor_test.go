package doors

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// chatAnswer is what is read of a completion, or of an error.
type chatAnswer struct {
	status  int
	session string
	text    string
	ID      string
	Choices []struct {
		Message struct {
			Content   string
			ToolCalls []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
	Fermata struct {
		SessionID    string `json:"session_id"`
		NewSession   string `json:"new_session"`
		DepartedFrom string `json:"departed_from"`
		ApprovalID   string `json:"approval_id"`
		Kind, Link   string
		Actions      []struct{ Command, Text string }
	}
	Error struct{ Message, Type, Param, Code string }
}

// message is one message of a client.
func message(role, content string) map[string]any {
	return map[string]any{"role": role, "content": content}
}

// chat sends messages, user and assistant by turns, as one request.
func (s *server) chat(key string, headers []string, said ...string) *chatAnswer {
	s.T.Helper()
	var messages []map[string]any
	for i, text := range said {
		messages = append(messages, message([]string{"user", "assistant"}[i%2], text))
	}
	return s.completion(key, map[string]any{"model": "fermata", "messages": messages}, headers...)
}

func (s *server) completion(key string, body any, headers ...string) *chatAnswer {
	s.T.Helper()
	text, isText := body.(string)
	if !isText {
		encoded, err := json.Marshal(body)
		if err != nil {
			s.T.Fatal(err)
		}
		text = string(encoded)
	}
	request, err := http.NewRequestWithContext(s.T.Context(), http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(text))
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
	out := &chatAnswer{status: response.StatusCode, session: response.Header.Get("X-Fermata-Session")}
	read, err := io.ReadAll(response.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	if err := json.Unmarshal(read, out); err != nil {
		s.T.Fatalf("%s: %v", read, err)
	}
	if len(out.Choices) > 0 {
		out.text = out.Choices[0].Message.Content
	}
	return out
}

const echo = `[
	{"when": {"contains": "make"}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
	{"answer": {"text": "Yes."}}]`

// The same request ten times at once is one round, whether the session has a name or not.
func TestTheSameRequestTenTimesAtOnce(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, echo)
		s.Call("PATCH", "/v1/settings", map[string]any{"chat_session_header": "X-Chat"}).Want(200)
		s.Call("PATCH", "/v1/settings", map[string]any{"chat_session_header": "Authorization"}).Want(422)
		for name, headers := range map[string][]string{
			"no name": nil, "ours": {"X-Fermata-Session", "mine"}, "Open WebUI": {"X-OpenWebUI-Chat-Id", "chat-1"},
			"its own": {"X-Chat", "chat-3"},
		} {
			said := []string{"hello from " + name}
			for round := range 2 {
				var at sync.WaitGroup
				answers := make([]*chatAnswer, 10)
				for i := range answers {
					at.Go(func() { answers[i] = s.chat(key, headers, said...) })
				}
				at.Wait()
				for _, a := range answers {
					if a.status != 200 || a.text != "Yes." || a.ID != answers[0].ID || a.session != answers[0].session || a.session == "" {
						t.Fatalf("%s, round %d: one of ten is %+v, the first %+v", name, round, a, answers[0])
					}
				}
				if got := s.said(answers[0].session); len(got) != 2*(round+1) {
					t.Errorf("%s, round %d: the record is %q", name, round, got)
				}
				said = append(said, "Yes.", "again from "+name)
			}
		}
	})
}

// A history that departs from the record begins a session of its own, which takes over what
// was said before, and says so; the other one stays as it was.
func TestAHistoryThatDeparts(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, echo)
		for name, headers := range map[string][]string{"no name": nil, "Open WebUI": {"X-OpenWebUI-Chat-Id", "chat-2"}} {
			first := s.chat(key, headers, "one "+name)
			second := s.chat(key, headers, "one "+name, "Yes.", "two")
			if second.session != first.session || second.Fermata.NewSession != "" || first.Fermata.NewSession != "new" {
				t.Fatalf("%s: %+v, then %+v", name, first.Fermata, second.Fermata)
			}
			edited := s.chat(key, headers, "one "+name, "Yes.", "two, edited")
			if edited.session == first.session || edited.Fermata.NewSession != "history_departed" || edited.Fermata.DepartedFrom != first.session {
				t.Errorf("%s: an edited message gives %+v", name, edited.Fermata)
			}
			want := "USER one " + name + "\nAI Yes.\nUSER two, edited\nAI Yes."
			if got := strings.Join(s.said(edited.session), "\n"); got != want {
				t.Errorf("%s: the new record is %q", name, got)
			}
			if onward := s.chat(key, headers, "one "+name, "Yes.", "two, edited", "Yes.", "three"); onward.session != edited.session {
				t.Errorf("%s: what was edited does not go on: %+v", name, onward.Fermata)
			}
			words := s.chat(key, headers, "one "+name, "No.", "two")
			if words.session == first.session || words.Fermata.NewSession != "history_departed" {
				t.Errorf("%s: an answer that was changed gives %+v", name, words.Fermata)
			}
			if again := s.chat(key, headers, "one "+name, "Yes.", "two"); again.session != first.session || again.ID != second.ID {
				t.Errorf("%s: the first one is not found any more: %+v", name, again.Fermata)
			}
			if got := s.said(first.session); len(got) != 4 {
				t.Errorf("%s: the first record has become %q", name, got)
			}
		}
		stranger := s.chat(key, nil, "what was never said", "Really.", "and now")
		if stranger.Fermata.NewSession != "history_unknown" || len(s.said(stranger.session)) != 4 {
			t.Errorf("an unknown history gives %+v", stranger.Fermata)
		}
	})
}

// A session of one door continues through the other, and back.
func TestASessionOfBothDoors(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), echo)
	id := s.Call("POST", "/v1/sessions", map[string]any{"type": "CHAT", "external_id": "shared"}).Want(201).Str("id")
	for i, headers := range [][]string{{"X-Fermata-Session", "shared"}, {"X-Fermata-Session", id}} {
		if got := s.chat(key, headers, fmt.Sprint("alone ", i)); got.session != id || got.Fermata.NewSession != "" {
			t.Fatalf("%v leads to %+v", headers, got)
		}
	}
	s.Call("POST", "/v1/sessions/"+id+"/messages", map[string]any{"text": "from the page"}).Want(202)
	testkit.Until(t, "the session is at rest", func() bool { return len(s.said(id)) == 6 })
	all := []string{"alone 0", "Yes.", "alone 1", "Yes.", "from the page", "Yes.", "with all of it"}
	if got := s.chat(key, []string{"X-Fermata-Session", id}, all...); got.session != id {
		t.Errorf("the whole history leads to %+v", got)
	}
	if got := s.chat(key, []string{"X-Fermata-Session", id}, "alone 0", "Changed.", "with a part of it"); got.session == id {
		t.Errorf("a changed history leads to %+v", got)
	}
	s.Call("POST", "/v1/workspaces", map[string]any{"id": "elsewhere"}).Want(201)
	theirs := s.Call("POST", "/v1/sessions", map[string]any{"type": "CHAT"}, "Fermata-Workspace", "elsewhere").Want(201).Str("id")
	foreign := s.chat(key, []string{"X-Fermata-Session", theirs}, "hello")
	unknown := s.chat(key, []string{"X-Fermata-Session", "ses_" + strings.Repeat("0", 32)}, "hello")
	if foreign.status != 404 || foreign.Error.Code != "not_found" || foreign.Error != unknown.Error {
		t.Errorf("a session of another workspace gives %+v, an unknown one %+v", foreign.Error, unknown.Error)
	}
}

// An approval ends the answer with what is asked, in words and beside them; the next message
// continues.
func TestAnApprovalThroughAChatClient(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), echo)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	asked := s.chat(key, nil, "make a zone")
	f := asked.Fermata
	if f.Kind != "actions" || f.ApprovalID == "" || len(f.Actions) != 1 || f.Actions[0].Command != "CREATE_ZONE" || asked.Choices[0].FinishReason != "stop" {
		t.Fatalf("the answer is %+v", asked)
	}
	for _, part := range []string{"I make it.", "Waiting for your approval:", f.Actions[0].Text, "/#/chat/" + asked.session} {
		if !strings.Contains(asked.text, part) {
			t.Errorf("%q does not say %q", asked.text, part)
		}
	}
	if again := s.chat(key, nil, "make a zone"); again.text != asked.text || again.Fermata.ApprovalID != f.ApprovalID {
		t.Errorf("the same request is answered with %+v", again)
	}
	s.Call("POST", "/v1/approvals/"+f.ApprovalID, map[string]any{"approved": false}).Want(200)
	if next := s.chat(key, nil, "make a zone", asked.text, "well"); next.session != asked.session || next.text != "Yes." {
		t.Errorf("the next message gives %+v", next)
	}
}

// A client that leaves in the middle of a stream, at whatever byte, changes nothing: asked
// again, it has the whole answer, of the same round.
func TestAStreamThatIsLeft(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t),
		`[{"token_delay_ms": 3, "answer": {"text": "One two three four five six seven eight nine ten."}}]`)
	for _, bytes := range []int{0, 1, 15, 200, 400, 777, 1200} {
		said := fmt.Sprint("leave after ", bytes)
		body := `{"model":"fermata","stream":true,"messages":[{"role":"user","content":"` + said + `"}]}`
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadFull(bufio.NewReaderSize(response.Body, 16), make([]byte, bytes)) // as far as there is
		_ = response.Body.Close()
		answer := s.chat(key, nil, said)
		if answer.text != "One two three four five six seven eight nine ten." || answer.session != response.Header.Get("X-Fermata-Session") {
			t.Errorf("after %d bytes the answer is %+v", bytes, answer)
		}
		if got := s.said(answer.session); len(got) != 2 {
			t.Errorf("after %d bytes the record is %q", bytes, got)
		}
	}
}

// A plain call has no session, passes a client's tools on, and is counted for who pays.
func TestAPlainCall(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), `[
		{"when": {"result": "sunny"}, "answer": {"text": "It is sunny."}},
		{"when": {"contains": "weather"}, "answer": {"calls": [{"name": "weather", "arguments": {"city": "Bern"}}]}}]`)
	tools := []any{map[string]any{"type": "function", "function": map[string]any{"name": "weather", "parameters": map[string]any{"type": "object"}}}}
	ask := []any{message("system", "Short."), message("user", "the weather?")}
	called := s.completion(key, map[string]any{"model": "fermata/raw", "user": "ada", "tools": tools, "messages": ask})
	if called.status != 200 || called.Choices[0].FinishReason != "tool_calls" || len(called.Choices[0].Message.ToolCalls) != 1 {
		t.Fatalf("the call is %+v", called)
	}
	call := called.Choices[0].Message.ToolCalls[0]
	if call.Function.Name != "weather" || !strings.Contains(call.Function.Arguments, "Bern") {
		t.Errorf("the call is %+v", call)
	}
	ask = append(ask, map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{
		map[string]any{"id": call.ID, "type": "function", "function": map[string]any{"name": "weather", "arguments": call.Function.Arguments}},
	}}, map[string]any{"role": "tool", "tool_call_id": call.ID, "content": "sunny"})
	if received := s.completion(key, map[string]any{"model": "fermata/raw", "user": "ada", "tools": tools, "messages": ask}); received.text != "It is sunny." {
		t.Errorf("with the result the answer is %+v", received)
	}
	if list := s.Call("GET", "/v1/sessions", nil).Want(200); !strings.Contains(string(list.Body), `"data":[]`) {
		t.Errorf("there are sessions: %s", list.Body)
	}
	var usage struct {
		Data []struct {
			Key   string
			Calls int
		}
	}
	if err := json.Unmarshal(s.Call("GET", "/v1/usage?group_by=user", nil).Want(200).Body, &usage); err != nil {
		t.Fatal(err)
	}
	if len(usage.Data) != 1 || usage.Data[0].Key != "ada" || usage.Data[0].Calls != 2 {
		t.Errorf("the usage is %+v", usage.Data)
	}
}

// Invalid requests are answered in OpenAI's form with our code, and change nothing.
func TestWhatChatClientsGetWrong(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), echo)
	user := `{"role":"user","content":"hello"}`
	for name, c := range map[string]struct {
		body, code, param string
		status            int
	}{
		"no JSON":          {`{"model"`, "malformed_json", "", 400},
		"nothing":          {``, "empty_body", "", 400},
		"no model":         {`{"messages":[` + user + `]}`, "invalid", "model", 422},
		"unknown model":    {`{"model":"gpt-4o","messages":[` + user + `]}`, "not_found", "model", 404},
		"unknown provider": {`{"model":"fermata/Unknown","messages":[` + user + `]}`, "not_found", "model", 404},
		"a tool's result": {`{"model":"fermata","messages":[` + user + `,{"role":"tool","content":"x","tool_call_id":"c"}]}`,
			"invalid", "messages[1].tool_call_id", 422},
		"a NUL":             {`{"model":"fermata","messages":[{"role":"user","content":"a\u0000"}]}`, "invalid", "messages[0].content", 422},
		"a field twice":     {`{"model":"fermata","model":"fermata","messages":[` + user + `]}`, "repeated_name", "", 400},
		"too deep":          {`{"model":"fermata","x":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, "too_deep", "", 400},
		"100,000 messages":  {`{"model":"fermata","messages":[` + strings.Repeat(user+",", 99_999) + user + `]}`, "too_large", "", 413},
		"too many messages": {`{"model":"fermata","messages":[` + strings.Repeat(`{"role":"user","content":"a"},`, 20_000) + user + `]}`, "too_large", "", 413},
	} {
		got := s.completion(key, c.body)
		if got.status != c.status || got.Error.Code != c.code || got.Error.Param != c.param || got.Error.Message == "" || got.Error.Type == "" {
			t.Errorf("%s: %d %+v", name, got.status, got.Error)
		}
	}
	for name, header := range map[string][]string{
		"a name of 300 bytes": {"X-Fermata-Session", strings.Repeat("x", 300)},
		"a name that steers":  {"X-Fermata-Session", "a\u202eb"},
	} {
		if got := s.chat(key, header, "hello"); got.status != 422 || got.Error.Code != "invalid" {
			t.Errorf("%s: %d %+v", name, got.status, got.Error)
		}
	}
	if got := s.chat("fmt_wrong", nil, "hello"); got.status != 401 || got.Error.Code != "unauthenticated" || got.Error.Type != "authentication_error" {
		t.Errorf("a wrong key: %d %+v", got.status, got.Error)
	}
	viewer := s.Call("POST", "/v1/keys", map[string]any{"name": "v", "role": "viewer"}).Want(201).Str("key")
	if got := s.chat(viewer, nil, "hello"); got.status != 403 || got.Error.Code != "forbidden" {
		t.Errorf("a viewer: %d %+v", got.status, got.Error)
	}
	if list := s.Call("GET", "/v1/sessions", nil).Want(200); !strings.Contains(string(list.Body), `"data":[]`) {
		t.Errorf("something was stored: %s", list.Body)
	}
}
