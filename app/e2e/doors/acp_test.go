package doors

import (
	"encoding/json"

	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// acpRound is what the program reports of one prompt.
type acpRound struct {
	Text, Thoughts, Stop string
	Usage                struct {
		InputTokens  int `json:"input_tokens"`
		OutputTokens int `json:"output_tokens"`
	}
	Kinds, Calls []string
}

// The protocol's own client, unmodified: texts, an approval, a question with choices and one with
// free text, the list, the settings, and the replay of the record.
func TestTheACPClient(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, `[
			{"when": {"contains": "First question"}, "delay_ms": 1000, "token_delay_ms": 20, "answer": {"thinking": "Let me see.", "text": "The first answer, in a few words."}},
			{"when": {"contains": "make", "roundtrip": 1}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
			{"when": {"contains": "make", "roundtrip": 2}, "answer": {"text": "It is made."}},
			{"when": {"contains": "ask", "roundtrip": 1}, "answer": {"text": "Tell me.", "calls": [{"name": "ASK_USER",
				"arguments": {"type": "MultipleChoice", "data": {"question": "Which?", "options": ["red", "blue"]}}}]}},
			{"when": {"contains": "where", "roundtrip": 1}, "answer": {"text": "And now?", "calls": [{"name": "ASK_USER",
				"arguments": {"type": "Text", "data": {"question": "Where?"}}}]}},
			{"when": {"contains": "where", "roundtrip": 2}, "answer": {"text": "So be it."}},
			{"answer": {"text": "Red it is."}}]`)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		provider := s.Call("GET", "/v1/providers", nil).Want(200).Str("data.0.id")
		s.Call("PATCH", "/v1/providers/"+provider, map[string]any{"config": map[string]any{"context_window": 100_000}}).Want(200)
		var got struct {
			Hello struct {
				ProtocolVersion int
				AgentInfo       struct{ Name string }
			}
			First, Made, Answered, Formed acpRound
			Asked                         []struct {
				Title, Text string
				Schema      json.RawMessage
				Options     []struct{ Name, Kind string }
			}
			Sessions               []struct{ SessionID, Title, Cwd string }
			ConfigOptions, Options []struct {
				Category, CurrentValue string
				Options                []struct{ Name, Value string }
			}
			Replayed []string
		}
		runClient(t, "acp.mjs", s.URL, key, &got, "FERMATA="+self(t), programVariable+"=1", "FERMATA_URL="+s.URL, "FERMATA_KEY="+key)
		if got.Hello.ProtocolVersion != 1 || got.Hello.AgentInfo.Name != "fermata" {
			t.Errorf("it says hello with %+v", got.Hello)
		}
		for name, round := range map[string]struct {
			acpRound
			text string
		}{
			"first": {got.First, "The first answer, in a few words."}, "made": {got.Made, "I make it.It is made."},
			"answered": {got.Answered, "Tell me.Red it is."}, "formed": {got.Formed, "And now?So be it."},
		} {
			if round.Text != round.text || round.Stop != "end_turn" || round.Usage.InputTokens == 0 || round.Usage.OutputTokens == 0 {
				t.Errorf("%s: %+v", name, round)
			}
		}
		if !slices.Contains(got.First.Kinds, "usage_update") {
			t.Errorf("of the first round it receives %q", got.First.Kinds)
		}
		if got.First.Thoughts != "Let me see." {
			t.Errorf("it thinks %q", got.First.Thoughts)
		}
		want := []string{"CREATE_ZONE pending", "Add the zone “Garden” pending", " in_progress", " completed", "Added the zone “Garden” completed"}
		if !slices.Equal(got.Made.Calls, want) {
			t.Errorf("the calls are %q", got.Made.Calls)
		}
		if len(got.Asked) != 3 || !strings.Contains(got.Asked[0].Text, "name: Garden") || got.Asked[0].Options[1].Kind != "reject_once" ||
			got.Asked[1].Options[0].Name != "red" || len(got.Asked[2].Schema) == 0 {
			t.Errorf("it is asked %+v", got.Asked)
		}
		session := s.Call("GET", "/v1/sessions", nil).Want(200)
		if len(got.Sessions) != 1 || got.Sessions[0].SessionID != session.Str("data.0.id") || got.Sessions[0].Title != "First question" {
			t.Errorf("the sessions are %+v", got.Sessions)
		}
		if got.ConfigOptions[0].CurrentValue != "default" || got.Options[0].CurrentValue != session.Str("data.0.provider_id") {
			t.Errorf("the options are %+v, then %+v", got.ConfigOptions, got.Options)
		}
		replayed := []string{
			"user_message_chunk First question", "agent_thought_chunk Let me see.", "agent_message_chunk The first answer, in a few words.",
			"user_message_chunk make it", "agent_message_chunk I make it.", "tool_call Added the zone “Garden”", "agent_message_chunk It is made.",
			"user_message_chunk ask me", "agent_message_chunk Tell me.", "user_message_chunk red", "agent_message_chunk Red it is.",
			"user_message_chunk where", "agent_message_chunk And now?", "user_message_chunk In the shade.", "agent_message_chunk So be it.",
		}
		if !slices.Equal(got.Replayed, replayed) {
			t.Errorf("it is replayed as %q", got.Replayed)
		}
		s.Sound()
	})
}

// slowAnswer is one that can be cut.
const slowAnswer = `[{"when": {"contains": "slow"}, "token_delay_ms": 200, "answer": {"text": "one two three four five six seven eight nine ten eleven twelve"}},
	{"when": {"contains": "ask", "roundtrip": 1}, "answer": {"text": "Tell me.", "calls": [{"name": "ASK_USER", "arguments": {"type": "Text", "data": {"question": "Where?"}}}]}},
	{"when": {"contains": "ask", "roundtrip": 2}, "answer": {"text": "So be it."}},
	{"when": {"contains": "both", "roundtrip": 1}, "answer": {"text": "Two.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "One"}},
		{"name": "CREATE_ZONE", "arguments": {"name": "Two"}}]}},
	{"when": {"contains": "make", "roundtrip": 1}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
	{"answer": {"text": "Yes."}}]`

// The round in progress is interrupted, queued prompts are withdrawn, and open approvals stay open.
func TestAnEditorCancels(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), slowAnswer)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	e := harness.NewEditor(t, s.URL, key)
	session := e.Open()
	cut := e.Begin("session/prompt", harness.PromptOf(session, "slow"))
	testkit.Until(t, "it is answered", func() bool { return len(e.Updates()) > 0 })
	waits := e.Begin("session/prompt", harness.PromptOf(session, "hello"))
	testkit.Until(t, "one waits its turn", func() bool {
		return strings.Contains(string(s.Call("GET", "/v1/sessions/"+session+"/messages", nil).Want(200).Body), `"queued"`)
	})
	stopped := func(answer <-chan harness.EditorAnswer) string {
		t.Helper()
		var end struct{ StopReason string }
		if a := e.Take(answer); a.Error != nil || json.Unmarshal(a.Result, &end) != nil {
			t.Errorf("it ends with %+v", a)
		}
		return end.StopReason
	}
	cancel := func() {
		e.Line(map[string]any{"jsonrpc": "2.0", "method": "session/cancel", "params": map[string]any{"sessionId": session}})
	}
	cancel()
	if reason := stopped(waits); reason != "cancelled" {
		t.Errorf("what waited stopped by %q", reason)
	}
	if reason := stopped(cut); reason != "cancelled" {
		t.Errorf("what went on stopped by %q", reason)
	}
	if said := s.said(session); len(said) != 2 || said[0] != "USER slow" || !strings.HasPrefix(said[1], "AI one") || strings.Contains(said[1], "twelve") {
		t.Errorf("the record is %q", said)
	}
	asked := make(chan bool, 1)
	e.Choose = func(harness.EditorRequest) any {
		asked <- true
		return map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}
	}
	answer := e.Begin("session/prompt", harness.PromptOf(session, "make it"))
	<-asked
	if open := s.Card().Str("status"); open != "open" {
		t.Errorf("what was asked is %s", open)
	}
	cancel()
	if reason := stopped(answer); reason != "cancelled" {
		t.Errorf("what was asked stopped by %q", reason)
	}
	if zones := s.Call("GET", "/v1/zones", nil).Want(200).List("data"); len(zones) != 0 {
		t.Errorf("%d zones were made", len(zones))
	}
	s.Sound()
}

// An editor without forms gets a question as text, and answers with its next prompt; one of two changes
// can be approved; a request that is answered elsewhere is cancelled.
func TestWhatAnEditorIsAsked(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), slowAnswer)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	e := harness.NewEditor(t, s.URL, key)
	session := e.Open()
	if reason := e.Prompt(session, "ask me"); reason != "end_turn" {
		t.Errorf("the question stopped by %q", reason)
	}
	if text := harness.TextOf("agent_message_chunk", e.Updates()); text != "Tell me.\n\nWhere?" {
		t.Errorf("it is asked %q", text)
	}
	e.Prompt(session, "In the shade.")
	if text := harness.TextOf("agent_message_chunk", e.Updates()); text != "So be it." {
		t.Errorf("it answers %q", text)
	}
	e.Choose = func(r harness.EditorRequest) any { return harness.Option(r, "Only 2") }
	e.Prompt(session, "both")
	if zones := s.Call("GET", "/v1/zones", nil).Want(200); len(zones.List("data")) != 1 || zones.Str("data.0.name") != "Two" {
		t.Errorf("the zones are %s", zones.Body)
	}
	asked := make(chan bool, 1)
	e.Choose = func(harness.EditorRequest) any { asked <- true; return nil }
	answer := e.Begin("session/prompt", harness.PromptOf(session, "make it"))
	<-asked
	s.Call("POST", "/v1/approvals/"+s.Card().Str("id"), map[string]any{"approved": true}).Want(200)
	if end := e.Take(answer); end.Error != nil {
		t.Errorf("it ends with %+v", end.Error)
	}
	s.Sound()
}

// A session of another client continues in an editor, which receives its record, the open approvals
// and the messages of others.
func TestAnEditorJoins(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), slowAnswer)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	session := s.Call("POST", "/v1/sessions", map[string]any{"message": "make it"}).Want(201).Str("id")
	s.Until(session, "requires_action")
	e := harness.NewEditor(t, s.URL, key)
	e.Choose = func(r harness.EditorRequest) any { return harness.Option(r, "Approve") }
	e.Ask("session/load", map[string]any{"sessionId": session, "cwd": "/", "mcpServers": []any{}}, nil)
	s.Until(session, "idle")
	s.Call("POST", "/v1/sessions/"+session+"/messages", map[string]any{"text": "hello"}).Want(202)
	var received []harness.EditorUpdate
	testkit.Until(t, "the messages of others are sent", func() bool {
		received = append(received, e.Updates()...)
		return strings.Count(harness.TextOf("agent_message_chunk", received), "Yes.") == 2
	})
	if said := harness.TextOf("user_message_chunk", received); said != "make ithello" {
		t.Errorf("the user messages are %q", said)
	}
	s.Call("POST", "/v1/sessions/"+session+"/messages", map[string]any{"text": "slow"}).Want(202)
	s.Until(session, "running")
	midst := harness.NewEditor(t, s.URL, key)
	midst.Ask("session/load", map[string]any{"sessionId": session, "cwd": "/", "mcpServers": []any{}}, nil)
	var streamed []harness.EditorUpdate
	testkit.Until(t, "an answer in progress is sent to its end", func() bool {
		streamed = append(streamed, midst.Updates()...)
		return strings.HasSuffix(harness.TextOf("agent_message_chunk", streamed), "one two three four five six seven eight nine ten eleven twelve")
	})
	if text := harness.TextOf("agent_message_chunk", streamed); strings.Count(text, "one") != 1 {
		t.Errorf("it receives %q", text)
	}
	s.Until(session, "idle")
	again := harness.NewEditor(t, s.URL, key)
	again.Ask("session/resume", map[string]any{"sessionId": session, "cwd": "/"}, nil)
	again.Prompt(session, "hello again")
	if text := harness.TextOf("agent_message_chunk", again.Updates()); text != "Yes." {
		t.Errorf("after resume it receives %q", text)
	}
}

// Invalid messages of editors are answered in the protocol's form, with our code, and change nothing.
func TestWhatEditorsGetWrong(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), slowAnswer)
	s.Call("POST", "/v1/workspaces", map[string]any{"id": "elsewhere"}).Want(201)
	foreign := s.Call("POST", "/v1/sessions", map[string]any{}, "Fermata-Workspace", "elsewhere").Want(201).Str("id")
	e := harness.NewEditor(t, s.URL, key)
	session := e.Open()
	many := `{"sessionId":"` + session + `","prompt":[` + strings.Repeat(`{"type":"text","text":"0123456789"},`, 100_000) + `{"type":"text","text":"end"}]}`
	for name, wrong := range map[string]struct {
		line, code string
		number     int
	}{
		"no JSON":           {`{"jsonrpc"`, "malformed_json", -32700},
		"a list":            {`[{"id":1}]`, "invalid", -32600},
		"no method":         {`{"jsonrpc":"2.0","id":"x"}`, "invalid", -32600},
		"an unknown method": {`{"jsonrpc":"2.0","id":"x","method":"session/destroy"}`, "not_found", -32601},
		"no parameters":     {`{"jsonrpc":"2.0","id":"x","method":"session/prompt"}`, "invalid", -32602},
		"a wrong type":      {`{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{"sessionId":7}}`, "invalid", -32602},
		"nothing said":      {`{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{"sessionId":"` + session + `","prompt":[]}}`, "invalid", -32602},
		"a picture": {`{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{"sessionId":"` + session +
			`","prompt":[{"type":"image","data":"","mimeType":"image/png"}]}}`, "invalid", -32602},
		"100,000 pieces":      {`{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":` + many + `}`, "invalid", -32602},
		"a line too long":     {`{"jsonrpc":"2.0","id":"x","method":"` + strings.Repeat("a", 17<<20) + `"}`, "too_large", -32600},
		"an unknown session":  {`{"jsonrpc":"2.0","id":"x","method":"session/load","params":{"sessionId":"ses_0"}}`, "not_found", -32002},
		"another's session":   {`{"jsonrpc":"2.0","id":"x","method":"session/load","params":{"sessionId":"` + foreign + `"}}`, "not_found", -32002},
		"a path for an id":    {`{"jsonrpc":"2.0","id":"x","method":"session/resume","params":{"sessionId":"../providers"}}`, "not_found", -32002},
		"a prompt to nothing": {`{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{"sessionId":"ses_0","prompt":[{"type":"text","text":"hi"}]}}`, "not_found", -32002},
		"a session not open":  {`{"jsonrpc":"2.0","id":"x","method":"session/close","params":{"sessionId":"ses_0"}}`, "not_found", -32002},
		"an unknown option":   {`{"jsonrpc":"2.0","id":"x","method":"session/set_config_option","params":{"sessionId":"` + session + `","configId":"mode","value":"x"}}`, "invalid", -32602},
		"an unknown provider": {`{"jsonrpc":"2.0","id":"x","method":"session/set_config_option","params":{"sessionId":"` + session + `","configId":"provider","value":"prv_0"}}`, "invalid", -32602},
		"a sign-in":           {`{"jsonrpc":"2.0","id":"x","method":"authenticate","params":{"methodId":"key"}}`, "unauthenticated", -32000},
	} {
		id := `"x"`
		if wrong.code == "malformed_json" || wrong.code == "too_large" || name == "a list" {
			id = "null"
		}
		answer := e.Expect(id)
		e.Raw(wrong.line + "\n")
		if got := e.Take(answer); got.Error == nil || got.Error.Code != wrong.number || got.Error.Data.Code != wrong.code {
			t.Errorf("%s: %+v %s", name, got.Error, got.Result)
		}
	}
	e.Raw("\n{\"jsonrpc\":\"2.0\",\"method\":\"unknown/method\"}\n{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n") // ignored
	if reason := e.Prompt(session, "hello"); reason != "end_turn" {
		t.Errorf("after all that it stops by %q", reason)
	}
	if n := len(s.Call("GET", "/v1/sessions", nil).Want(200).List("data")); n != 1 {
		t.Errorf("%d sessions", n)
	}
	stranger := harness.NewEditor(t, s.URL, "fmt_wrong")
	if got := stranger.Take(stranger.Begin("session/new", map[string]any{"cwd": "/", "mcpServers": []any{}})); got.Error == nil || got.Error.Code != -32000 {
		t.Errorf("with a wrong key: %+v", got.Error)
	}
	s.Sound()
}
