package doors

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// aguiEvent is what is read of an event of a run.
type aguiEvent struct {
	Type      string
	MessageID string `json:"messageId"`
	Delta     string
	Code      string
	Message   string
	Content   any // a text, of a result
	// Of a call of a tool.
	ToolCallID string `json:"toolCallId"`
	Messages   []struct{ ID, Role, Content string }
	Outcome    struct {
		Type       string
		Pending    []string `json:"pendingToolCallIds"`
		Interrupts []struct{ ID, Reason string }
	}
}

// aguiPost makes a run of a body, and reads its events up to the end, or up to as many.
func (s *server) aguiPost(key, body string, upTo int) (status int, events []aguiEvent, code string) {
	s.T.Helper()
	request, err := http.NewRequestWithContext(s.T.Context(), http.MethodPost, s.URL+"/v1/agui", strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		var problem struct{ Code string }
		if err := json.NewDecoder(response.Body).Decode(&problem); err != nil {
			s.T.Fatal(err)
		}
		return response.StatusCode, nil, problem.Code
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && (upTo == 0 || len(events) < upTo) {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e aguiEvent
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			s.T.Fatalf("%s: %v", data, err)
		}
		events = append(events, e)
	}
	return response.StatusCode, events, ""
}

// aguiBody is a run with one message of the user.
func aguiBody(talk, message, text, resume string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":"run","messages":[{"id":%q,"role":"user","content":%q}],"tools":[],"context":[],"state":{},"resume":%s}`,
		talk, message, text, resume)
}

// aguiText returns the text that a client has after the events.
func aguiText(events []aguiEvent) string {
	texts, order := map[string]string{}, []string{}
	for _, e := range events {
		switch e.Type {
		case "MESSAGES_SNAPSHOT":
			texts, order = map[string]string{}, nil
			for _, m := range e.Messages {
				if m.Role == "assistant" && m.Content != "" {
					texts[m.ID], order = m.Content, append(order, m.ID)
				}
			}
		case "TEXT_MESSAGE_START":
			order = append(order, e.MessageID)
		case "TEXT_MESSAGE_CONTENT":
			texts[e.MessageID] += e.Delta
		}
	}
	var all []string
	for _, id := range order {
		all = append(all, texts[id])
	}
	return strings.Join(all, "|")
}

// aguiDoor is the one for AG-UI.
type aguiDoor struct {
	s    *server
	n    int
	text string
	last []aguiEvent
	talk string
}

func (a *aguiDoor) say(text string) {
	a.n++
	a.text = text
	a.again()
}

func (a *aguiDoor) again() { a.run("[]") }

func (a *aguiDoor) run(resume string) {
	a.s.T.Helper()
	_, a.last, _ = a.s.aguiPost(a.s.Key, aguiBody(a.talk, fmt.Sprint("m", a.n), a.text, resume), 0)
	if len(a.last) == 0 || a.last[len(a.last)-1].Type != "RUN_FINISHED" {
		a.s.T.Fatalf("%s: the run ends with %+v", a.text, a.last)
	}
}

func (a *aguiDoor) answer(decision map[string]any) {
	a.s.T.Helper()
	asked := a.last[len(a.last)-1].Outcome.Interrupts
	if len(asked) != 1 {
		a.s.T.Fatalf("it is asked %+v", asked)
	}
	var payload any = decision
	if value, isQuestion := decision["value"]; isQuestion {
		payload = value
	}
	body, err := json.Marshal([]map[string]any{{"interruptId": asked[0].ID, "status": "resolved", "payload": payload}})
	if err != nil {
		a.s.T.Fatal(err)
	}
	a.run(string(body))
}

func (a *aguiDoor) session() string {
	return a.s.Call("GET", "/v1/sessions", nil).Want(200).Str("data.0.id")
}

// A run that is sent again after a disconnect is complete, and replaces the part that was received; ten
// at once are one round.
func TestAnAGUIRunMadeAgain(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, twoAnswers)
		body := aguiBody("left", "m1", "Second question", "[]")
		if _, left, _ := s.aguiPost(key, body, 6); len(left) != 6 {
			t.Fatalf("it received %+v", left)
		}
		_, again, _ := s.aguiPost(key, body, 0)
		if got := aguiText(again); got != "The second answer, in a few words." {
			t.Errorf("it receives %q", got)
		}
		var at sync.WaitGroup
		runs := make([][]aguiEvent, 10)
		for i := range runs {
			at.Go(func() { _, runs[i], _ = s.aguiPost(key, aguiBody("ten", "m1", "First question", "[]"), 0) })
		}
		at.Wait()
		for _, events := range runs {
			if got := aguiText(events); got != "The first answer." || events[len(events)-1].Outcome.Type != "success" {
				t.Errorf("one receives %q: %+v", got, events)
			}
		}
		sessions := s.Call("GET", "/v1/sessions", nil).Want(200)
		if n := len(sessions.List("data")); n != 2 {
			t.Errorf("%d sessions", n)
		}
		for _, i := range []string{"data.0.id", "data.1.id"} {
			if said := s.said(sessions.Str(i)); len(said) != 2 {
				t.Errorf("the record is %q", said)
			}
		}
		s.Sound()
	})
}

// A request about what belongs to another session or another workspace, or that is too large, is answered in
// the form of the protocol, with our code, and changes nothing.
func TestWhatAGUIClientsGetWrong(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), echo)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	s.Call("POST", "/v1/workspaces", map[string]any{"id": "elsewhere"}).Want(201)
	foreign := s.Call("POST", "/v1/sessions", map[string]any{}, "Fermata-Workspace", "elsewhere").Want(201).Str("id")
	_, asked, _ := s.aguiPost(key, aguiBody("one", "m1", "make it", "[]"), 0)
	approval := s.Card().Str("id")
	if asked[len(asked)-1].Outcome.Interrupts[0].ID != approval {
		t.Fatalf("it is asked %+v", asked)
	}
	answer := func(id, status, payload string) string {
		return fmt.Sprintf(`[{"interruptId":%q,"status":%q,"payload":%s}]`, id, status, payload)
	}
	_, calm, _ := s.aguiPost(key, aguiBody("calm", "m1", "hello", "[]"), 0)
	if aguiText(calm) != "Yes." {
		t.Fatalf("it receives %+v", calm)
	}
	for name, wrong := range map[string]struct{ body, code string }{
		"asked by another":   {aguiBody("calm", "m1", "hello", answer(approval, "resolved", `{"approved":true}`)), "not_found"},
		"no JSON":            {`{"threadId"`, "malformed_json"},
		"another's session":  {aguiBody(foreign, "m1", "hello", "[]"), "not_found"},
		"resume of nothing":  {aguiBody("three", "m1", "hello", answer(approval, "resolved", `{"approved":true}`)), "not_found"},
		"100,000 messages":   {`{"threadId":"a","runId":"b","messages":[` + strings.Repeat(`{"id":"a"},`, 90_000) + `{}]}`, "too_large"},
		"of another session": {aguiBody("four", "m1", "hello", answer(approval, "cancelled", "null")), "not_found"},
	} {
		_, events, code := s.aguiPost(key, wrong.body, 0)
		if len(events) > 0 {
			code = events[len(events)-1].Code
		}
		if code != wrong.code {
			t.Errorf("%s: %q %+v", name, code, events)
		}
	}
	if n := len(s.Call("GET", "/v1/sessions", nil).Want(200).List("data")); n != 2 {
		t.Errorf("%d sessions", n)
	}
	if open := s.Card().Str("id"); open != approval {
		t.Errorf("what is open is %s", open)
	}
	if able := s.aguiCapabilities(key); !able.HumanInTheLoop.Interrupts || able.Identity.Name != "Fermata" {
		t.Errorf("the capabilities are %+v", able)
	}
	s.Sound()
}

type aguiAble struct {
	Identity       struct{ Name string }
	HumanInTheLoop struct{ Interrupts bool }
}

func (s *server) aguiCapabilities(key string) (able aguiAble) {
	s.T.Helper()
	request, err := http.NewRequestWithContext(s.T.Context(), http.MethodGet, s.URL+"/v1/agui", nil)
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&able); err != nil {
		s.T.Fatal(err)
	}
	return able
}
