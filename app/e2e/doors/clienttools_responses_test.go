package doors

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// OpenAI's own client, unmodified: responses that end with calls of its tools, and those that go on
// with what it found, at once, over a stream and in the background.
func TestAClientsOwnToolsInResponses(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, withTools)
		var got struct {
			Call                           struct{ Type, Status, Name, Arguments string }
			Status, Said, Answered, Text   string
			Previous                       bool
			After, AfterStatus, ReadStatus string
			ReadAfter                      string
			Tools, Compared, Events, Later []string
			Read, Metadata, Brought        []string
			Sessions                       []string
		}
		runClient(t, "responses-tools.mjs", s.URL, key, &got)
		if got.Call.Type != "function_call" || got.Call.Status != "completed" || got.Call.Name != "get_weather" || got.Call.Arguments != `{"city":"Paris"}` {
			t.Errorf("the call is %+v", got.Call)
		}
		if got.Status != "completed" || got.Said != "" || strings.Join(got.Tools, " ") != "get_weather" {
			t.Errorf("the first response is %s, says %q and has the tools %q", got.Status, got.Said, got.Tools)
		}
		if got.Answered != "It is sunny in Paris." || !got.Previous || got.Text != "Both are sunny." {
			t.Errorf("the answers are %q (%v) and %q", got.Answered, got.Previous, got.Text)
		}
		if want := `I look at both.|{"city":"Bern"}|{"city":"Rome"}`; strings.Join(got.Compared, "|") != want {
			t.Errorf("put together it is %q", got.Compared)
		}
		for _, event := range []string{
			"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.completed",
		} {
			if !slices.Contains(got.Events, event) {
				t.Errorf("there is no %s in %q", event, got.Events)
			}
		}
		if strings.Join(got.Later, " ") != "message function_call function_call" || got.After != "Both are sunny." || got.AfterStatus != "completed" {
			t.Errorf("in the background it is %q, then %q (%s)", got.Later, got.After, got.AfterStatus)
		}
		if strings.Join(got.Read, " ") != "function_call" || got.ReadStatus != "completed" || got.ReadAfter != "It is sunny in Paris." {
			t.Errorf("read again it is %q (%s), then %q", got.Read, got.ReadStatus, got.ReadAfter)
		}
		if strings.Join(got.Metadata, " ") != "question results" || strings.Join(got.Brought, "|") != "function_call_output true sunny, 20 degrees" {
			t.Errorf("it is kept %q and %q", got.Metadata, got.Brought)
		}
		if len(got.Sessions) != 1 {
			t.Errorf("the sessions are %q", got.Sessions)
		}
		want := []string{
			"USER What is the weather in Paris?", "AI ", "SYSTEM DATA_ADDED", "AI It is sunny in Paris.",
			"USER Compare Bern and Rome", "AI I look at both.", "SYSTEM DATA_ADDED", "AI Both are sunny.",
			"USER Compare again", "AI I look at both.", "SYSTEM DATA_ADDED", "AI Both are sunny.",
		}
		if said := s.said(got.Sessions[0]); strings.Join(said, "\n") != strings.Join(want, "\n") {
			t.Errorf("the record is %q", said)
		}
		s.Sound()
	})
}

// weatherFor is a tool of a program, as responses have it.
var weatherFor = []any{map[string]any{"type": "function", "name": "get_weather", "parameters": map[string]any{"type": "object"}}}

// respondCalls asks for a response that ends with calls, and gives their ids.
func (s *server) respondCalls(body map[string]any) (*responseSeen, []string) {
	s.T.Helper()
	body["tools"] = weatherFor
	asked, status := s.respond(body)
	var calls []string
	for _, item := range asked.Output {
		if item.Type == "function_call" {
			calls = append(calls, item.CallID)
		}
	}
	if status != 200 || asked.Status != "completed" || len(calls) == 0 {
		s.T.Fatalf("%d: the response is %+v", status, asked)
	}
	return asked, calls
}

func output(call, text string) map[string]any {
	return map[string]any{"type": "function_call_output", "call_id": call, "output": text}
}

// Every call has exactly one result; what is unknown, doubled, missing or of another response is
// rejected in OpenAI's form and changes nothing.
func TestResultsInResponses(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), withTools)
	s.Key = key
	asked, calls := s.respondCalls(map[string]any{"input": "Compare Bern and Rome"})
	other, others := s.respondCalls(map[string]any{"input": "What is the weather?", "conversation": "another"})
	bern, rome := output(calls[0], "Bern: sunny"), output(calls[1], "Rome: sunny")
	item := func(text string) map[string]any { return map[string]any{"role": "user", "content": text} }
	for name, c := range map[string]struct {
		body  map[string]any
		input []any
		param string
	}{
		"unknown":           {nil, []any{bern, output("call_1", "x")}, "input[1].call_id"},
		"unknown first":     {nil, []any{output("call_1", "x"), bern}, "input[0].call_id"},
		"no id":             {nil, []any{map[string]any{"type": "function_call_output", "output": "x"}}, "input[0].call_id"},
		"doubled":           {nil, []any{bern, bern, rome}, "input[1].call_id"},
		"missing":           {nil, []any{rome}, "input[0].call_id"},
		"of another wait":   {nil, []any{output(others[0], "x"), bern, rome}, "input[0].call_id"},
		"too long":          {nil, []any{bern, output(calls[1], strings.Repeat("x", 256<<10))}, "input[1].call_id"},
		"with a message":    {nil, []any{bern, rome, item("and now?")}, "input[0].call_id"},
		"a picture":         {nil, []any{map[string]any{"type": "function_call_output", "call_id": calls[0], "output": []any{map[string]any{"type": "input_image"}}}}, "input[0].output[0]"},
		"of another's":      {map[string]any{"previous_response_id": other.ID}, []any{bern, rome}, "previous_response_id"},
		"after nothing":     {map[string]any{"previous_response_id": "resp_" + strings.Repeat("0", 64)}, []any{bern, rome}, "previous_response_id"},
		"of another talk's": {map[string]any{"conversation": "another"}, []any{bern, rome}, "conversation"},
	} {
		body := map[string]any{"model": "fermata", "input": c.input, "previous_response_id": asked.ID}
		if c.body != nil {
			delete(body, "previous_response_id")
		}
		maps.Copy(body, c.body)
		reply := s.openAI("POST", "/v1/responses", body)
		want := map[bool]int{true: 404, false: 422}[name == "after nothing"]
		if reply.Status != want || reply.Str("error.param") != c.param || reply.Str("error.message") == "" {
			t.Errorf("%s: %d %s", name, reply.Status, reply.Body)
		}
	}
	s.Key = harness.RootKey
	if state := s.Call("GET", "/v1/sessions/"+asked.Talk.ID, nil).Want(200).Str("phase"); state != "WAITING_COMMUNICATION_RESPONSE" {
		t.Fatalf("it is in %s", state)
	}
	s.Key = key
	if read := s.response(asked.ID); strings.Contains(read.text(), "approval") || read.Status != "completed" || len(read.Output) != 3 {
		t.Errorf("while it waits it reads %+v", read)
	}
	// The tools of the round hold: others that come with results are not read.
	brought := map[string]any{"input": []any{bern, rome}, "previous_response_id": asked.ID, "tools": []any{map[string]any{"type": "function", "name": "other"}}}
	received, status := s.respond(brought)
	if status != 200 || received.text() != "Both are sunny." || received.Talk.ID != asked.Talk.ID || received.ID == asked.ID {
		t.Fatalf("the answer is %+v", received)
	}
	if again, _ := s.respond(map[string]any{"input": []any{rome, bern}, "conversation": asked.Talk.ID}); again.ID != received.ID || again.text() != received.text() {
		t.Errorf("the same results again: %+v", again)
	}
	// Its whole history behind one another, as a client sends that keeps it.
	call := func(id string) map[string]any {
		return map[string]any{"type": "function_call", "call_id": id, "name": "get_weather", "arguments": "{}"}
	}
	whole := []any{item("Compare Bern and Rome"), call(calls[0]), bern, call(calls[1]), rome}
	if again, _ := s.respond(map[string]any{"input": whole}); again.ID != received.ID {
		t.Errorf("the same results with all that was said before: %+v", again)
	}
	if changed := s.openAI("POST", "/v1/responses", map[string]any{"model": "fermata", "input": []any{bern, output(calls[1], "Rome: rain")}}); changed.Status != 409 {
		t.Errorf("other results: %d %s", changed.Status, changed.Body)
	}
	if next, _ := s.respond(map[string]any{"input": "Thank you", "previous_response_id": received.ID}); next.text() != "You are welcome." || next.Talk.ID != received.Talk.ID {
		t.Errorf("what follows the results is %+v", next)
	}
	if next, _ := s.respond(map[string]any{"input": "Thank you", "previous_response_id": other.ID}); next.text() != "You are welcome." {
		t.Errorf("a message in the place of results: %+v", next)
	}
	if late := s.openAI("POST", "/v1/responses", map[string]any{"model": "fermata", "input": []any{output(others[0], "sunny")}}); late.Status != 409 {
		t.Errorf("results of a wait that is over: %d %s", late.Status, late.Body)
	}
	s.Key = harness.RootKey
	if got := s.said(asked.Talk.ID); len(got) != 6 {
		t.Errorf("the record is %q", got)
	}
	s.Sound()
}

// What a program may bring along has bounds, and no name of a command.
func TestBoundsOfToolsInResponses(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), withTools)
	s.Key = key
	tool := func(name, description string) map[string]any {
		return map[string]any{"type": "function", "name": name, "description": description}
	}
	many := make([]any, 10_000)
	for i := range many {
		many[i] = tool(fmt.Sprint("f", i), "")
	}
	huge := map[string]any{"type": "function", "name": "f", "parameters": map[string]any{"type": "object", "description": strings.Repeat("x", 64<<10)}}
	for name, c := range map[string]struct {
		more  map[string]any
		param string
	}{
		"129":                  {map[string]any{"tools": many[:129]}, "tools[128]"},
		"a huge schema":        {map[string]any{"tools": []any{huge}}, "tools[0]"},
		"the same name":        {map[string]any{"tools": []any{tool("f", ""), tool("f", "")}}, "tools[1]"},
		"a command's name":     {map[string]any{"tools": []any{tool("f", ""), tool("CREATE_ZONE", "")}}, "tools[1]"},
		"no name":              {map[string]any{"tools": []any{tool("", "")}}, "tools[0]"},
		"behind a hosted one":  {map[string]any{"tools": []any{map[string]any{"type": "web_search"}, tool("", "")}}, "tools[1]"},
		"without a type":       {map[string]any{"tools": []any{map[string]any{"name": "f"}}}, "tools[0]"},
		"no list":              {map[string]any{"tools": "f"}, "tools"},
		"a choice that binds":  {map[string]any{"tools": weatherFor, "tool_choice": "required"}, "tool_choice"},
		"parameters of a kind": {map[string]any{"tools": []any{map[string]any{"type": "function", "name": "f", "parameters": 7}}}, "tools[0]"},
	} {
		c.more["model"], c.more["input"] = "fermata", "hello"
		if got := s.openAI("POST", "/v1/responses", c.more); got.Status != 422 || got.Str("error.param") != c.param || got.Str("error.code") != "invalid" {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	if got := s.openAI("POST", "/v1/responses", map[string]any{"model": "fermata", "input": "hello", "tools": many}); got.Status != 413 ||
		got.Str("error.code") != "too_large" {
		t.Errorf("10,000: %d %s", got.Status, got.Body)
	}
	if got, _ := s.respond(map[string]any{"input": "hello", "tools": weatherFor, "tool_choice": "none"}); got.text() != "I have no such tool." {
		t.Errorf("with tool_choice none: %+v", got)
	}
	s.Key = harness.RootKey
	if n := len(s.Call("GET", "/v1/sessions", nil).Want(200).List("data")); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// A request as Codex sends it: tools of other types than function are left out and named, and the
// functions among them are offered. A later read of the response names the same.
func TestARequestOfCodex(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), withTools)
	s.Key = key
	tools := append([]any{
		map[string]any{"type": "namespace", "name": "agents", "tools": weatherFor}, map[string]any{"type": "web_search", "external_web_access": false},
		map[string]any{"type": "custom", "name": "apply_patch", "format": map[string]any{"type": "grammar", "syntax": "lark", "definition": "start: \"x\""}},
		map[string]any{"type": "local_shell"}, map[string]any{"type": "web_search"},
	}, weatherFor...)
	message := func(role, text string) map[string]any {
		return map[string]any{"type": "message", "role": role, "content": []any{map[string]any{"type": "input_text", "text": text}}}
	}
	input := []any{message("developer", "Be brief."), message("user", "<environment_context/>"), message("user", "What is the weather in Paris?")}
	body := map[string]any{
		"model": "fermata", "input": input, "tools": tools, "tool_choice": "auto", "parallel_tool_calls": true, "store": false,
		"reasoning": nil, "include": []any{}, "prompt_cache_key": "a session", "client_metadata": map[string]any{"turn_id": "1"},
	}
	want := `[{"type":"namespace","name":"agents"},{"type":"web_search"},{"type":"custom","name":"apply_patch"},{"type":"local_shell"}]`
	var first struct {
		Tools  []struct{ Name string }
		Output []struct {
			Type   string
			CallID string `json:"call_id"`
		}
		Fermata struct {
			NotOffered json.RawMessage `json:"tools_not_offered"`
			SessionID  string          `json:"session_id"`
		}
	}
	if err := json.Unmarshal(s.openAI("POST", "/v1/responses", body).Want(200).Body, &first); err != nil {
		t.Fatal(err)
	}
	if string(first.Fermata.NotOffered) != want || len(first.Tools) != 1 || first.Tools[0].Name != "get_weather" {
		t.Errorf("not offered are %s, offered %+v", first.Fermata.NotOffered, first.Tools)
	}
	if len(first.Output) != 1 || first.Output[0].Type != "function_call" {
		t.Fatalf("the output is %+v", first.Output)
	}
	body["input"] = append(input,
		map[string]any{"type": "function_call", "call_id": first.Output[0].CallID, "name": "get_weather", "arguments": "{}"},
		output(first.Output[0].CallID, "sunny, 20 degrees"))
	after, _ := s.respond(body)
	if after.text() != "It is sunny in Paris." || after.Talk.ID != first.Fermata.SessionID {
		t.Errorf("with the result it answers %+v", after)
	}
	body["store"], body["input"] = true, "Only hosted tools"
	body["tools"] = []any{map[string]any{"type": "web_search"}}
	stored := s.openAI("POST", "/v1/responses", body).Want(200)
	if stored.Str("fermata.tools_not_offered.0.type") != "web_search" || len(stored.List("tools")) != 0 {
		t.Errorf("with hosted tools alone: %s", stored.Body)
	}
	read := s.openAI("GET", "/v1/responses/"+stored.Str("id"), nil).Want(200)
	if read.Str("fermata.tools_not_offered.0.type") != "web_search" {
		t.Errorf("read again: %s", read.Body)
	}
}

// kill -9 while calls wait, and after their results: the ids and the numbers are the same, and a
// stream that is left anywhere continues after its number.
func TestToolsInResponsesOverKills(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		t.Setenv("FERMATA_SCRIPT_PROVIDER", "true")
		p := harness.NewProcess(t, db)
		s := &server{p.Client()}
		s.Scripted(withTools)
		s.Key = s.Call("POST", "/v1/keys", map[string]any{"name": "chat", "role": "admin"}).Want(201).Str("key")
		asked, calls := s.respondCalls(map[string]any{"input": "Compare Bern and Rome"})
		before := s.responseStream("/v1/responses/"+asked.ID+"?stream=true", nil, 0)
		p.Kill()
		s.URL = p.URL
		after := s.responseStream("/v1/responses/"+asked.ID+"?stream=true", nil, 0)
		numbers := func(events []responseEvent) string {
			text, err := json.Marshal(numbered(events))
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		if numbers(before) != numbers(after) {
			t.Errorf("after a kill the numbers are\n%s\nand were\n%s", numbers(after), numbers(before))
		}
		for i, e := range before {
			rest := s.responseStream(fmt.Sprintf("/v1/responses/%s?stream=true&starting_after=%d", asked.ID, e.Number), nil, 0)
			if numbers(rest) != numbers(before[i+1:]) {
				t.Errorf("behind %d it receives\n%s\nwant\n%s", e.Number, numbers(rest), numbers(before[i+1:]))
			}
		}
		brought := map[string]any{
			"input": []any{output(calls[0], "Bern: sunny"), output(calls[1], "Rome: sunny")}, "previous_response_id": asked.ID,
			"metadata": map[string]any{"of": "the results"},
		}
		received, _ := s.respond(brought)
		if received.text() != "Both are sunny." || received.Talk.ID != asked.Talk.ID {
			t.Fatalf("after a kill the answer is %+v", received)
		}
		p.Kill()
		s.URL = p.URL
		if again, _ := s.respond(brought); again.ID != received.ID || again.text() != received.text() {
			t.Errorf("after another kill the same request gives %+v", again)
		}
		if read := s.response(received.ID); read.text() != received.text() || read.Metadata["of"] != "the results" || read.PreviousResponseID != asked.ID {
			t.Errorf("read again it is %+v", read)
		}
		if read := s.response(asked.ID); len(read.Output) != 3 || read.Output[2].CallID != calls[1] || read.Status != "completed" {
			t.Errorf("the calls are read as %+v", read)
		}
	})
}

// numbered are the numbers of events with their kinds.
func numbered(events []responseEvent) []string {
	var all []string
	for _, e := range events {
		all = append(all, fmt.Sprint(e.Number, " ", e.Type))
	}
	return all
}
