package doors

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// responseSeen is what is read of a response.
type responseSeen struct {
	ID, Status, Model string
	Background        bool
	Store             bool
	Output            []struct {
		ID, Type, Role, Status string
		CallID                 string `json:"call_id"`
		Name, Arguments        string
		Content                []struct{ Type, Text string }
	}
	Talk               struct{ ID string } `json:"conversation"`
	PreviousResponseID string              `json:"previous_response_id"`
	Metadata           map[string]string
	Usage              *struct {
		TotalTokens int `json:"total_tokens"`
	}
	IncompleteDetails *struct{ Reason string } `json:"incomplete_details"`
	Error             *struct{ Code, Message, Param string }
	Fermata           struct {
		SessionID    string `json:"session_id"`
		MessageID    string `json:"message_id"`
		NewSession   string `json:"new_session"`
		DepartedFrom string `json:"departed_from"`
		ApprovalID   string `json:"approval_id"`
		Kind, Link   string
	}
}

// text is what a response says, its messages behind one another.
func (r *responseSeen) text() string {
	var texts []string
	for _, item := range r.Output {
		for _, part := range item.Content {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "|")
}

// openAI makes a request that is none of the contract's.
func (s *server) openAI(method, path string, body any) *harness.Reply {
	s.T.Helper()
	return s.openAIWith(method, path, body)
}

// responseAs asks for a response, with headers of its own.
func (s *server) responseAs(body any, headers ...string) *harness.Reply {
	s.T.Helper()
	return s.openAIWith("POST", "/v1/responses", body, headers...)
}

func (s *server) openAIWith(method, path string, body any, headers ...string) *harness.Reply {
	s.T.Helper()
	text, isText := body.(string)
	if !isText && body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			s.T.Fatal(err)
		}
		text = string(encoded)
	}
	request, err := http.NewRequestWithContext(s.T.Context(), method, s.URL+path, strings.NewReader(text))
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	if s.Key != "" {
		request.Header.Set("Authorization", "Bearer "+s.Key)
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
	return &harness.Reply{T: s.T, Status: response.StatusCode, Header: response.Header, Body: read}
}

// respond asks for a response; body is given as fields.
func (s *server) respond(body map[string]any) (*responseSeen, int) {
	s.T.Helper()
	if body["model"] == nil {
		body["model"] = "fermata"
	}
	return s.readResponse(s.openAI("POST", "/v1/responses", body))
}

func (s *server) readResponse(reply *harness.Reply) (*responseSeen, int) {
	s.T.Helper()
	out := &responseSeen{}
	if err := json.Unmarshal(reply.Body, out); err != nil {
		s.T.Fatalf("%s: %v", reply.Body, err)
	}
	return out, reply.Status
}

// response reads one.
func (s *server) response(id string) *responseSeen {
	s.T.Helper()
	out, _ := s.readResponse(s.openAI("GET", "/v1/responses/"+id, nil).Want(200))
	return out
}

// responseEvent is what is read of an event of a response's stream.
type responseEvent struct {
	Type        string
	Number      int64 `json:"sequence_number"`
	OutputIndex int   `json:"output_index"`
	ItemID      string
	Delta, Text string
	Code        string
	Response    *responseSeen
	Item        *struct{ ID, Status string }
}

// responseStream opens a stream: of a new response, or with an empty body of one that is there.
// It reads up to its end, or up to so many events.
func (s *server) responseStream(path string, body any, upTo int) (events []responseEvent) {
	s.T.Helper()
	method, text := http.MethodGet, ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			s.T.Fatal(err)
		}
		method, text = http.MethodPost, string(encoded)
	}
	request, err := http.NewRequestWithContext(s.T.Context(), method, s.URL+path, strings.NewReader(text))
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if s.Key != "" {
		request.Header.Set("Authorization", "Bearer "+s.Key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		s.T.Fatalf("%s %s: %s", method, path, response.Status)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && (upTo == 0 || len(events) < upTo) {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e responseEvent
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			s.T.Fatalf("%s: %v", data, err)
		}
		events = append(events, e)
	}
	return events
}

// toldTexts puts the pieces of a stream together, by their place in the output.
func eventTexts(events []responseEvent) string {
	var texts []string
	for _, e := range events {
		switch e.Type {
		case "response.output_item.added":
			texts = append(texts[:e.OutputIndex:e.OutputIndex], "")
		case "response.output_text.delta":
			texts[e.OutputIndex] += e.Delta
		}
	}
	return strings.Join(texts, "|")
}

// inOrder holds the numbers of a stream: each is higher than the one before.
func inOrder(t *testing.T, events []responseEvent) {
	t.Helper()
	for i, e := range events {
		if i > 0 && e.Number <= events[i-1].Number {
			t.Fatalf("event %d, %s, has the number %d behind %d", i, e.Type, e.Number, events[i-1].Number)
		}
	}
}

// Responses that name the previous one are one session. A stream has the same content as the response.
func TestATalkThroughResponses(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, oneTalk)
		s.Key = key
		first, status := s.respond(map[string]any{"input": "hello", "instructions": "Be short."})
		if status != 200 || first.Status != "completed" || first.text() != "Hello to you." || !first.Store || first.Usage == nil ||
			first.Usage.TotalTokens == 0 || first.Talk.ID != first.Fermata.SessionID || first.Fermata.NewSession != "new" {
			t.Fatalf("%d %+v", status, first)
		}
		events := s.responseStream("/v1/responses", map[string]any{
			"model": "fermata", "input": []any{message("user", "look")}, "previous_response_id": first.ID, "stream": true,
		}, 0)
		inOrder(t, events)
		last := events[len(events)-1]
		if events[0].Type != "response.created" || last.Type != "response.completed" || eventTexts(events) != "I look.|There is nothing." ||
			last.Response.text() != "I look.|There is nothing." || last.Response.Talk.ID != first.Talk.ID ||
			last.Response.PreviousResponseID != first.ID {
			t.Errorf("the stream is %+v", events)
		}
		if got := s.response(last.Response.ID); got.Status != "completed" || got.text() != last.Response.text() || got.Usage.TotalTokens == 0 {
			t.Errorf("read again it is %+v", got)
		}
		want := "USER Instructions of the chat client:\nBe short.\n(The chat client's instructions end here.)\n\nhello|AI Hello to you.|USER look|AI I look.|SYSTEM DATA_ADDED|AI There is nothing."
		if got := strings.Join(s.said(first.Talk.ID), "|"); got != want {
			t.Errorf("the record is %q", got)
		}
		items := s.openAI("GET", "/v1/responses/"+last.Response.ID+"/input_items", nil).Want(200)
		if items.Str("data.0.content.0.text") != "look" || items.Str("data.0.role") != "user" {
			t.Errorf("the input is %s", items.Body)
		}
	})
}

// A client that returns with any number receives the rest, and every event has the
// number that it had the first time: live in small pieces, from the log in one.
func TestAResponseIsToldFromAnyNumber(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, `[
			{"when": {"contains": "look", "roundtrip": 1}, "token_delay_ms": 20, "answer": {"text": "I look, wherever it may be: «où?»", "calls": [{"name": "ZONES", "arguments": {}}]}},
			{"when": {"contains": "look", "roundtrip": 2}, "token_delay_ms": 20, "answer": {"text": "There is nothing, dear. Rien."}}]`)
		s.Key = key
		live := s.responseStream("/v1/responses", map[string]any{"model": "fermata", "input": "look", "stream": true, "background": true}, 0)
		inOrder(t, live)
		last := live[len(live)-1]
		whole := eventTexts(live)
		if pieces := slices.ContainsFunc(live, func(e responseEvent) bool {
			return e.Delta != "" && utf8.RuneCountInString(e.Delta) < 10
		}); !pieces || whole != "I look, wherever it may be: «où?»|There is nothing, dear. Rien." {
			t.Fatalf("the stream is %+v", live)
		}
		path := "/v1/responses/" + last.Response.ID + "?stream=true"
		for i, e := range live {
			again := s.responseStream(fmt.Sprintf("%s&starting_after=%d", path, e.Number), nil, 0)
			both := append(slices.Clone(live[:i+1]), again...)
			inOrder(t, both)
			if got := eventTexts(both); got != whole {
				t.Errorf("after %d, %s, it is %q", e.Number, e.Type, got)
			}
			if end := both[len(both)-1]; end.Number != last.Number || end.Type != last.Type || end.Response.text() != whole {
				t.Errorf("after %d it ends with %+v", e.Number, end)
			}
			for _, received := range again {
				if received.Delta == "" && !slices.ContainsFunc(live, func(e responseEvent) bool { return e.Number == received.Number && e.Type == received.Type }) {
					t.Errorf("the event %s has now the number %d", received.Type, received.Number)
				}
			}
		}
		s.openAI("GET", path+"&starting_after=-1", nil).Want(422)
		s.openAI("GET", path+"&starting_after=%2B1", nil).Want(422)
		s.openAI("GET", path+"&starting_after=1&starting_after=2", nil).Want(422)
		s.openAI("GET", path+"&after=1", nil).Want(422)
		s.openAI("GET", "/v1/responses/"+last.Response.ID+"?starting_after=1", nil).Want(422)
	})
}

// Cancelled, a response stays cancelled, and what was said of it stays.
func TestAResponseIsCancelled(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), `[
		{"when": {"contains": "long"}, "token_delay_ms": 50, "answer": {"text": "`+strings.Repeat("word ", 2000)+`"}}, {"answer": {"text": "Yes."}}]`)
	s.Key = key
	begun, status := s.respond(map[string]any{"input": "a long one", "background": true})
	if status != 200 || begun.Status != "in_progress" && begun.Status != "queued" || !begun.Background {
		t.Fatalf("%d %+v", status, begun)
	}
	s.responseStream("/v1/responses/"+begun.ID+"?stream=true", nil, 6)
	waits, _ := s.respond(map[string]any{"input": "and then", "previous_response_id": begun.ID, "background": true})
	if waits.Status != "queued" {
		t.Fatalf("after it there is %+v", waits)
	}
	if gone, _ := s.readResponse(s.openAI("POST", "/v1/responses/"+waits.ID+"/cancel", nil).Want(200)); gone.Status != "cancelled" {
		t.Errorf("what waits is %+v", gone)
	}
	s.openAI("GET", "/v1/responses/"+waits.ID, nil).Want(404)
	for range 2 {
		if got, _ := s.readResponse(s.openAI("POST", "/v1/responses/"+begun.ID+"/cancel", nil).Want(200)); got.Status != "cancelled" {
			t.Errorf("it is %+v", got)
		}
	}
	next, _ := s.respond(map[string]any{"input": "go on", "previous_response_id": begun.ID})
	if next.text() != "Yes." || next.Talk.ID != begun.Talk.ID {
		t.Errorf("behind it comes %+v", next)
	}
	if got := s.response(begun.ID); got.Status != "cancelled" || len(got.Output) != 1 || !strings.HasPrefix(got.text(), "word ") {
		t.Errorf("it has become %+v", got)
	}
	s.openAI("DELETE", "/v1/responses/"+begun.ID, nil).Want(409)
	alone, _ := s.respond(map[string]any{"input": "alone"})
	s.openAI("DELETE", "/v1/responses/"+alone.ID, nil).Want(200)
	s.openAI("GET", "/v1/responses/"+alone.ID, nil).Want(404)
}

// An approval ends a response, which continues after the answer under the same id.
func TestAnApprovalInAResponse(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, oneTalk)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		s.Key = key
		events := s.responseStream("/v1/responses", map[string]any{"model": "fermata", "input": "make it", "stream": true}, 0)
		inOrder(t, events)
		last := events[len(events)-1]
		asked := last.Response
		if last.Type != "response.incomplete" || asked.IncompleteDetails.Reason != "input_required" || asked.Fermata.Kind != "actions" ||
			!strings.Contains(asked.text(), "I make it.|\n\n𝄐 Waiting for your approval:") || !strings.Contains(asked.text(), asked.Fermata.Link) ||
			eventTexts(events) != asked.text() {
			t.Fatalf("it is asked %+v", last)
		}
		if got := s.response(asked.ID); got.Status != "incomplete" || got.text() != asked.text() || got.Fermata.ApprovalID != asked.Fermata.ApprovalID {
			t.Errorf("read again it is %+v", got)
		}
		s.Call("POST", "/v1/approvals/"+asked.Fermata.ApprovalID, map[string]any{"approved": true}).Want(200)
		rest := s.responseStream(fmt.Sprintf("/v1/responses/%s?stream=true&starting_after=%d", asked.ID, last.Number), nil, 0)
		inOrder(t, append(events, rest...))
		if end := rest[len(rest)-1]; end.Type != "response.completed" || end.Response.text() != "I make it.|It is made." {
			t.Errorf("it continues with %+v", rest)
		}
		testkit.Until(t, "the response to be whole", func() bool { return s.response(asked.ID).Status == "completed" })
	})
}

// A response that is begun on one node continues on another one, from the number that the client
// has, whether it is still being written or whole.
func TestAResponseGoesOnOnAnotherNode(t *testing.T) {
	a, b := twoNodes(t)
	steps, text := slowly(40, 25)
	a.Scripted(steps)
	here := a.responseStream("/v1/responses", map[string]any{"model": "fermata", "input": "tell me", "stream": true, "background": true}, 6)
	id := here[0].Response.ID
	path := fmt.Sprintf("/v1/responses/%s?stream=true&starting_after=%d", id, here[len(here)-1].Number)
	for _, s := range []*server{b, b, a} {
		both := append(slices.Clone(here), s.responseStream(path, nil, 0)...)
		inOrder(t, both)
		if end := both[len(both)-1]; eventTexts(both) != text || end.Type != "response.completed" || end.Response.text() != text {
			t.Errorf("it continues as %+v", both)
		}
	}
}
