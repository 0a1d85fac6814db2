package doors

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
)

// AG-UI's own client, unmodified: a run ends with the calls of the front end's tools, and the next one
// continues with their results.
func TestAFrontEndsOwnTools(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, withTools)
		type said struct{ First, Then []string }
		var got struct {
			One, Two, Three said
			Again           []string
			Ran, Messages   []string
			Outcomes        [][2]any
		}
		runClient(t, "ag-ui-tools.mjs", s.URL, key, &got, "FERMATA_URL="+s.URL, "FERMATA_KEY="+key)
		if strings.Join(got.Ran, "|") != "get_weather Paris|get_weather Bern|get_weather Rome" {
			t.Errorf("it ran %q", got.Ran)
		}
		if n := strings.Count(strings.Join(got.Two.First, " "), "TOOL_CALL_END"); n != 2 || slices.Contains(got.Two.First, "TOOL_CALL_RESULT") {
			t.Errorf("two calls are sent as %q", got.Two.First)
		}
		if slices.Contains(got.Two.Then, "TOOL_CALL_START") || slices.Contains(got.Two.Then, "MESSAGES_SNAPSHOT") {
			t.Errorf("behind the results it receives %q", got.Two.Then)
		}
		want := `[["success",1],["success",0],["success",2],["success",0],["success",0],["success",0]]`
		if outcomes, err := json.Marshal(got.Outcomes); err != nil || string(outcomes) != want {
			t.Errorf("the runs end with %s, %v", outcomes, err)
		}
		messages := []string{
			"user What is the weather in Paris?", "assistant get_weather", "tool Paris: sunny, 20", "assistant It is sunny in Paris.",
			"user Compare Bern and Rome", "assistant I look at both.get_weather get_weather", "tool Bern: sunny", "tool Rome: sunny",
			"assistant Both are sunny.", "user Thank you", "assistant You are welcome.",
		}
		if strings.Join(got.Messages, "\n") != strings.Join(messages, "\n") {
			t.Errorf("the client holds\n%s", strings.Join(got.Messages, "\n"))
		}
		list := s.Call("GET", "/v1/sessions", nil).Want(200)
		record := []string{
			"USER What is the weather in Paris?", "AI ", "SYSTEM DATA_ADDED", "AI It is sunny in Paris.",
			"USER Compare Bern and Rome", "AI I look at both.", "SYSTEM DATA_ADDED", "AI Both are sunny.",
			"USER Thank you", "AI You are welcome.",
		}
		if said := s.said(list.Str("data.0.id")); len(list.List("data")) != 1 || strings.Join(said, "\n") != strings.Join(record, "\n") {
			t.Errorf("the record is %q", said)
		}
		s.Sound()
	})
}

// aguiWith is a run with the weather tool, with messages behind that of the user.
func aguiWith(talk, text string, behind ...map[string]any) string {
	tools := []any{map[string]any{"name": "get_weather", "description": "The weather.", "parameters": map[string]any{"type": "object"}}}
	return aguiOffering(talk, text, tools, behind...)
}

func aguiOffering(talk, text string, tools any, behind ...map[string]any) string {
	messages := append([]map[string]any{{"id": "m1", "role": "user", "content": text}}, behind...)
	body, err := json.Marshal(map[string]any{"threadId": talk, "runId": "run", "messages": messages, "tools": tools, "context": []any{}, "state": map[string]any{}})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// calling is an answer that a front end has, and resulting the result of a call.
func calling(calls ...string) map[string]any {
	var made []any
	for _, id := range calls {
		made = append(made, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": "get_weather", "arguments": "{}"}})
	}
	return map[string]any{"id": "a" + calls[0], "role": "assistant", "toolCalls": made}
}

func resulting(call, text string) map[string]any {
	return map[string]any{"id": "r" + call, "role": "tool", "toolCallId": call, "content": text}
}

// aguiCalls makes a run that ends with calls, and gives their ids.
func (s *server) aguiCalls(key, talk, text string) []string {
	s.T.Helper()
	_, events, _ := s.aguiPost(key, aguiWith(talk, text), 0)
	if len(events) == 0 || len(events[len(events)-1].Outcome.Pending) == 0 {
		s.T.Fatalf("it receives %+v", events)
	}
	return events[len(events)-1].Outcome.Pending
}

// Every call has exactly one result; what is unknown, doubled, missing or of another thread ends the
// run with an error and changes nothing.
func TestResultsOfAFrontEndsTools(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), withTools)
	const ask = "Compare Bern and Rome"
	calls, others := s.aguiCalls(key, "one", ask), s.aguiCalls(key, "two", "What is the weather?")
	bern, rome := resulting(calls[0], "Bern: sunny"), resulting(calls[1], "Rome: sunny")
	tool := func(name string) any {
		return map[string]any{"name": name, "parameters": map[string]any{"type": "object"}}
	}
	many := make([]any, 5_000)
	for i := range many {
		many[i] = map[string]any{"name": fmt.Sprint("f", i)}
	}
	huge := map[string]any{"name": "f", "parameters": map[string]any{"type": "object", "description": strings.Repeat("x", 64<<10)}}
	refused := func(resume string) string { // with results that would count
		return strings.TrimSuffix(aguiWith("one", ask, calling(calls...), bern, rome), "}") + `,"resume":` + resume + `}`
	}
	waits, _, _ := domain.ClientCallOf(calls[0])
	for name, c := range map[string]struct{ body, code, says string }{
		"and an answer to nothing": {refused(`[{"interruptId":"apr_00000000000000000000000000000000","status":"cancelled"}]`), "not_found", ""},
		"and an end of the wait":   {refused(fmt.Sprintf(`[{"interruptId":%q,"status":"cancelled"}]`, waits)), "invalid", "twice"},
		"unknown":                  {aguiWith("one", ask, calling(calls...), bern, resulting("call_1", "x")), "invalid", "call_1"},
		"no id":                    {aguiWith("one", ask, calling(calls...), resulting("", "x")), "invalid", "is no call"},
		"doubled":                  {aguiWith("one", ask, calling(calls...), bern, bern, rome), "invalid", "two results"},
		"missing":                  {aguiWith("one", ask, calling(calls...), rome), "invalid", "has no result"},
		"of another thread":        {aguiWith("one", ask, calling(others...), resulting(others[0], "x")), "invalid", "another thread"},
		"of both":                  {aguiWith("one", ask, calling(others...), resulting(others[0], "x"), bern, rome), "invalid", "another wait"},
		"too long":                 {aguiWith("one", ask, calling(calls...), bern, resulting(calls[1], strings.Repeat("x", 256<<10))), "invalid", "bytes"},
		"a picture":                {aguiWith("one", ask, calling(calls...), map[string]any{"id": "r", "role": "tool", "toolCallId": calls[0], "content": 7}), "invalid", ""},
		"of no message":            {aguiWith("three", ask, calling(calls...), bern, rome), "not_found", ""},
		"too many tools":           {aguiOffering("four", ask, many), "invalid", "128"},
		"a huge schema":            {aguiOffering("four", ask, []any{huge}), "invalid", "64 KiB"},
		"the same name":            {aguiOffering("four", ask, []any{tool("f"), tool("f")}), "invalid", "two tools"},
		"a command's name":         {aguiOffering("four", ask, []any{tool("CREATE_ZONE")}), "invalid", "CREATE_ZONE"},
		"no name":                  {aguiOffering("four", ask, []any{tool("")}), "invalid", "name"},
		"no tools":                 {aguiOffering("four", ask, "f"), "invalid", ""},
		"no object":                {aguiOffering("four", ask, []any{map[string]any{"name": "f", "parameters": 7}}), "invalid", "JSON Schema"},
	} {
		_, events, code := s.aguiPost(key, c.body, 0)
		message := ""
		if n := len(events); n > 0 {
			code, message = events[n-1].Code, events[n-1].Message
		}
		if code != c.code || !strings.Contains(message, c.says) {
			t.Errorf("%s: %q %q", name, code, message)
		}
	}
	sessions := s.Call("GET", "/v1/sessions", nil).Want(200)
	for _, of := range []string{"data.0", "data.1"} {
		if phase := sessions.Str(of + ".phase"); len(sessions.List("data")) != 2 || phase != "WAITING_COMMUNICATION_RESPONSE" {
			t.Fatalf("one is in %s, of %d", phase, len(sessions.List("data")))
		}
	}
	// Tools that come with results are not read: those of the message hold.
	_, events, _ := s.aguiPost(key, aguiOffering("one", ask, []any{tool("CREATE_ZONE")}, calling(calls[0]), bern, calling(calls[1]), rome), 0)
	if aguiText(events) != "Both are sunny." || events[len(events)-1].Outcome.Type != "success" {
		t.Fatalf("the answer is %+v", events)
	}
	if _, again, _ := s.aguiPost(key, aguiWith("one", ask, calling(calls...), bern, rome, map[string]any{"id": "x", "role": "assistant", "content": "Both"}), 0); aguiText(again) != "Both are sunny." {
		t.Errorf("the same results again: %+v", again)
	}
	if _, other, _ := s.aguiPost(key, aguiWith("one", ask, calling(calls...), bern, resulting(calls[1], "Rome: rain")), 0); other[len(other)-1].Code != "validation_resolved" {
		t.Errorf("other results: %+v", other)
	}
	// A front end without messages receives the calls with their results.
	_, reconnected, _ := s.aguiPost(key, aguiWith("one", ask), 0)
	var results []string
	for _, e := range reconnected {
		if e.Type == "TOOL_CALL_RESULT" {
			results = append(results, fmt.Sprint(e.ToolCallID, " ", e.Content))
		}
	}
	if strings.Join(results, "|") != calls[0]+" Bern: sunny|"+calls[1]+" Rome: sunny" || aguiText(reconnected) != "I look at both.|Both are sunny." {
		t.Errorf("after a reconnect it is %q, %q", aguiText(reconnected), results)
	}
	// A person ends the wait: the results are too late, and a front end that connects again runs nothing.
	s.Call("POST", "/v1/approvals/"+s.Card().Str("id"), map[string]any{"approved": false}).Want(200)
	if _, late, _ := s.aguiPost(key, aguiWith("two", "What is the weather?", calling(others...), resulting(others[0], "sunny")), 0); late[len(late)-1].Code != "validation_resolved" {
		t.Errorf("results of a wait that is over: %+v", late)
	}
	_, left, _ := s.aguiPost(key, aguiWith("two", "What is the weather?"), 0)
	if !slices.ContainsFunc(left, func(e aguiEvent) bool {
		return e.Type == "TOOL_CALL_RESULT" && strings.Contains(fmt.Sprint(e.Content), "refused")
	}) {
		t.Errorf("a wait that is over is sent as %+v", left)
	}
	s.Sound()
}

// kill -9 while the front end is at work, and after it has brought its results.
func TestAFrontEndsToolsOverKills(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		t.Setenv("FERMATA_SCRIPT_PROVIDER", "true")
		p := harness.NewProcess(t, db)
		s := &server{p.Client()}
		s.Scripted(withTools)
		key := s.Call("POST", "/v1/keys", map[string]any{"name": "chat", "role": "admin"}).Want(201).Str("key")
		s.Key = key
		const ask = "Compare Bern and Rome"
		calls := s.aguiCalls(key, "one", ask)
		p.Kill()
		s.URL = p.URL
		if again := s.aguiCalls(key, "one", ask); !slices.Equal(again, calls) {
			t.Errorf("after a kill the calls are %q, and were %q", again, calls)
		}
		body := aguiWith("one", ask, calling(calls...), resulting(calls[0], "Bern: sunny"), resulting(calls[1], "Rome: sunny"))
		if _, events, _ := s.aguiPost(key, body, 0); aguiText(events) != "Both are sunny." {
			t.Fatalf("after a kill the answer is %+v", events)
		}
		p.Kill()
		s.URL = p.URL
		_, events, _ := s.aguiPost(key, body, 0)
		if aguiText(events) != "Both are sunny." || events[len(events)-1].Outcome.Type != "success" {
			t.Errorf("after another kill the same run gives %+v", events)
		}
		if said := s.said(s.Call("GET", "/v1/sessions", nil).Want(200).Str("data.0.id")); len(said) != 4 {
			t.Errorf("the record is %q", said)
		}
	})
}
