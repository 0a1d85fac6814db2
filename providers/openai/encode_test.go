package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/suite"
)

func made(t testing.TB, config string) *provider {
	t.Helper()
	p, err := compatible().provider(json.RawMessage(config), "sk-x", nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var text, said, results = suite.UserTurn, suite.Answered, suite.Results

func encoded(t testing.TB, p *provider, r *providers.Request) string {
	t.Helper()
	b := p.body(r, p.encoder)
	all, err := io.ReadAll(b.Reader())
	if err != nil || int64(len(all)) != b.Length {
		t.Fatalf("read %d of %d bytes: %v", len(all), b.Length, err)
	}
	return string(all)
}

// messages is the list of messages of a body, one to a line.
func messages(t testing.TB, body string) string {
	t.Helper()
	var request struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		t.Fatalf("not JSON: %v in %s", err, body)
	}
	var lines []string
	for _, m := range request.Messages {
		lines = append(lines, string(m))
	}
	return strings.Join(lines, "\n")
}

// A conversation with two calls, of which one had arguments that are no JSON.
func dialogue() []*ai.Turn {
	answer := &domain.RawAnswer{
		Provider: "openai_compatible", Text: "I look.", Thinking: []domain.Thinking{{Text: "hm"}},
		Calls: []domain.RawCall{
			{ID: "call_own1", ProviderID: "abc", Name: "ZONES", Arguments: `{ "a" : 1.0 }`},
			{ID: "call_own2", Name: "bad name!", Arguments: `{"x":`},
		},
	}
	return []*ai.Turn{
		text("Hello \"you\"\n", "\x00 and \xff"), said(answer), results(answer, `{"zones":[]}`, "Failed.", "And now?"),
		said(&domain.RawAnswer{Text: "Nothing."}), text("Thanks"),
	}
}

func TestMessages(t *testing.T) {
	table := map[string]struct{ preset, want string }{
		"as most vendors want it": {"groq", `{"role":"system","content":"Rules."}
{"role":"user","content":"Data.\n\nHello \"you\"\n\n\n` + "\uFFFD and \uFFFD" + `"}
{"role":"assistant","content":"I look.","tool_calls":[{"id":"abc","type":"function","function":{"name":"ZONES","arguments":"{ \"a\" : 1.0 }"}},{"id":"call_own2","type":"function","function":{"name":"bad_name_","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"abc","content":"{\"zones\":[]}"}
{"role":"tool","tool_call_id":"call_own2","content":"The arguments of this call were not a JSON object. They were: {\"x\":\n\nFailed."}
{"role":"user","content":"And now?"}
{"role":"assistant","content":"Nothing."}
{"role":"user","content":"Thanks\n\nIt is \"now\"."}`},
		"Mistral: short ids, and an answer between results and words": {"mistral", `{"role":"system","content":"Rules."}
{"role":"user","content":"Data.\n\nHello \"you\"\n\n\n` + "\uFFFD and \uFFFD" + `"}
{"role":"assistant","content":"I look.","tool_calls":[{"id":"` + shortID("abc") + `","type":"function","function":{"name":"ZONES","arguments":"{ \"a\" : 1.0 }"}},{"id":"` + shortID("call_own2") + `","type":"function","function":{"name":"bad_name_","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"` + shortID("abc") + `","name":"ZONES","content":"{\"zones\":[]}"}
{"role":"tool","tool_call_id":"` + shortID("call_own2") + `","name":"bad_name_","content":"The arguments of this call were not a JSON object. They were: {\"x\":\n\nFailed."}
{"role":"assistant","content":"OK."}
{"role":"user","content":"And now?"}
{"role":"assistant","content":"Nothing."}
{"role":"user","content":"Thanks\n\nIt is \"now\"."}`},
		"DeepSeek: thoughts go back with their calls": {"deepseek", `{"role":"system","content":"Rules."}
{"role":"user","content":"Data.\n\nHello \"you\"\n\n\n` + "\uFFFD and \uFFFD" + `"}
{"role":"assistant","content":"I look.","reasoning_content":"hm","tool_calls":[{"id":"abc","type":"function","function":{"name":"ZONES","arguments":"{ \"a\" : 1.0 }"}},{"id":"call_own2","type":"function","function":{"name":"bad_name_","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"abc","content":"{\"zones\":[]}"}
{"role":"tool","tool_call_id":"call_own2","content":"The arguments of this call were not a JSON object. They were: {\"x\":\n\nFailed."}
{"role":"user","content":"And now?"}
{"role":"assistant","content":"Nothing."}
{"role":"user","content":"Thanks\n\nIt is \"now\"."}`},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			p := made(t, fmt.Sprintf(`{"preset":%q,"base_url":"http://h/v1","model":"m"}`, row.preset))
			prompt := &ai.Prompt{System: "Rules.", UserData: "Data.", Turns: dialogue(), Tail: `It is "now".`}
			// The second time all turns come from their caches: the same bytes.
			for range 2 {
				if got := messages(t, encoded(t, p, &providers.Request{Prompt: prompt})); got != row.want {
					t.Errorf("got\n%s\nwant\n%s", got, row.want)
				}
			}
		})
	}
}

// One conversation goes to one vendor and then to another.
func TestVendorsDoNotShareBytes(t *testing.T) {
	turns := dialogue()
	groq := made(t, `{"preset":"groq","model":"m"}`)
	mistral := made(t, `{"preset":"mistral","model":"m"}`)
	request := &providers.Request{Prompt: &ai.Prompt{Turns: turns}}
	first := encoded(t, groq, request)
	if other := encoded(t, mistral, request); strings.Contains(other, `"abc"`) {
		t.Errorf("Mistral got the other's ids: %s", other)
	}
	if again := encoded(t, groq, request); again != first {
		t.Errorf("coming back changes the bytes: %s", again)
	}
}

// Where an answer ends the conversation with results only, the tail goes into the last
// result, and no cache keeps it.
func TestTailAfterResults(t *testing.T) {
	p := made(t, `{"base_url":"http://h/v1","model":"m"}`)
	turns := dialogue()[:2]
	answer := turns[1].Blocks[0].Answer
	turns = append(turns, results(answer, "one", "two"))
	for i, tail := range []string{"It is 8.", "It is 9.", ""} {
		got := encoded(t, p, &providers.Request{Prompt: &ai.Prompt{Turns: turns, Tail: tail}})
		want := `two"}]}`
		if tail != "" {
			want = `two\n\n` + tail + `"}]}`
		}
		if !strings.HasSuffix(got, want) || strings.Count(got, "It is") > 1 {
			t.Errorf("call %d ends in %s", i, got[len(got)-60:])
		}
	}
}

func TestParameters(t *testing.T) {
	zones := []domain.CommandSpec{{Name: "ZONES", Description: "List \"them\".", Params: []byte(`{"type":"object"}`)}, {Name: "BAD", Params: []byte(`{`)}}
	listen := func(providers.Delta) {}
	turns := []*ai.Turn{text("hi")}
	const base = `"base_url":"http://h/v1","model":"m"`
	const end = `"messages":[{"role":"user","content":"hi"}]}`
	table := map[string]struct {
		config  string
		request providers.Request
		want    string
	}{
		"bare":     {`{` + base + `}`, providers.Request{Prompt: &ai.Prompt{}}, `{"model":"m","max_tokens":4096,` + end},
		"streamed": {`{` + base + `}`, providers.Request{Prompt: &ai.Prompt{}, OnDelta: listen}, `{"model":"m","max_tokens":4096,"stream":true,"stream_options":{"include_usage":true},` + end},
		"everything set": {`{` + base + `,"max_tokens":100,"temperature":0.25,"top_p":1,"reasoning_effort":"low","service_tier":"flex"}`,
			providers.Request{Prompt: &ai.Prompt{}}, `{"model":"m","max_tokens":100,"temperature":0.25,"top_p":1,"reasoning_effort":"low","service_tier":"flex",` + end},
		"with commands an answer may be long": {`{` + base + `,"max_tokens":100}`, providers.Request{Prompt: &ai.Prompt{Commands: zones}},
			`{"model":"m","max_tokens":4000,"tools":[{"type":"function","function":{"name":"ZONES","description":"List \"them\".","parameters":{"type":"object"}}},` +
				`{"type":"function","function":{"name":"BAD","description":"","parameters":{"type":"object"}}}],` + end},
		"the request's own limit": {`{` + base + `}`, providers.Request{Prompt: &ai.Prompt{}, MaxTokens: 7}, `{"model":"m","max_tokens":7,` + end},
		"small":                   {`{` + base + `,"small_model":"s"}`, providers.Request{Prompt: &ai.Prompt{}, Small: true}, `{"model":"s","max_tokens":4096,` + end},
		"a schema for the answer": {`{` + base + `}`, providers.Request{Prompt: &ai.Prompt{Protocol: domain.ProtocolJSON, AnswerSchema: []byte(`{"type":"object"}`)}},
			`{"model":"m","max_tokens":4096,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}},` + end},
		"DeepSeek knows no schema": {`{"preset":"deepseek",` + base + `}`, providers.Request{Prompt: &ai.Prompt{Protocol: domain.ProtocolJSON, AnswerSchema: []byte(`{"type":"object"}`)}},
			`{"model":"m","max_tokens":4096,"response_format":{"type":"json_object"},` + end},
		"Mistral refuses stream_options": {`{"preset":"mistral",` + base + `}`, providers.Request{Prompt: &ai.Prompt{}, OnDelta: listen}, `{"model":"m","max_tokens":4096,"stream":true,` + end},
		"a schema that is closed is strict": {`{` + base + `}`, providers.Request{Prompt: &ai.Prompt{Protocol: domain.ProtocolJSON, AnswerSchema: []byte(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`)}},
			`{"model":"m","max_tokens":4096,"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}},` + end},
		"a schema with native calls": {`{` + base + `}`, providers.Request{Prompt: &ai.Prompt{Protocol: domain.ProtocolNative, AnswerSchema: []byte(`{"type":"array"}`)}},
			`{"model":"m","max_tokens":4096,"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":{"type":"array"}}},` + end},
		"OpenAI takes objects only": {`{"base_url":"https://api.openai.com/v1","model":"m"}`, providers.Request{Prompt: &ai.Prompt{AnswerSchema: []byte(`{"type":"array"}`)}},
			`{"model":"m","max_completion_tokens":4096,` + end},
		"what strict does not know": {`{` + base + `}`, providers.Request{Prompt: &ai.Prompt{AnswerSchema: []byte(`{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"],"additionalProperties":false}`)}},
			`{"model":"m","max_tokens":4096,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"],"additionalProperties":false}}},` + end},
		"no structured output": {`{` + base + `,"structured_output":"none"}`, providers.Request{Prompt: &ai.Prompt{Protocol: domain.ProtocolJSON, AnswerSchema: []byte(`{}`)}}, `{"model":"m","max_tokens":4096,` + end},
		"one call at a time": {`{` + base + `,"parallel_tool_calls":false}`, providers.Request{Prompt: &ai.Prompt{Commands: zones[:1]}},
			`{"model":"m","max_tokens":4096,"parallel_tool_calls":false,"tools":[{"type":"function","function":{"name":"ZONES","description":"List \"them\".","parameters":{"type":"object"}}}],` + end},
		"one call at a time, where that is not known": {`{"preset":"deepseek",` + base + `,"parallel_tool_calls":false}`, providers.Request{Prompt: &ai.Prompt{Commands: zones[:1]}},
			`{"model":"m","max_tokens":4096,"tools":[{"type":"function","function":{"name":"ZONES","description":"List \"them\".","parameters":{"type":"object"}}}],` + end},
		"OpenAI's own name for the limit": {`{"base_url":"https://api.openai.com/v1","model":"m"}`, providers.Request{Prompt: &ai.Prompt{}}, `{"model":"m","max_completion_tokens":4096,` + end},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			row.request.Prompt.Turns = turns
			if got := encoded(t, made(t, row.config), &row.request); got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}

func TestConfigs(t *testing.T) {
	var object map[string]any
	if err := json.Unmarshal(Compatible().Schema, &object); err != nil || !strings.Contains(string(Compatible().Schema), `"mistral"`) {
		t.Fatalf("the schema: %v", err)
	}
	for config, problem := range map[string]string{
		`{"base_url":"http://h/v1"}`:                        "model",
		`{"base_url":"h/v1","model":"m"}`:                   "base URL",
		`{"base_url":"ftp://h/v1","model":"m"}`:             "base URL",
		`{"base_url":"http://u:p@h/v1","model":"m"}`:        "contain a user",
		`{"base_url":"http://h/v1?key=k","model":"m"}`:      "query",
		`{"base_url":"http://h/v1","model":"m","modle":1}`:  "modle",
		`{"base_url":"http://h","model":"m","api_key":"k"}`: "api_key",
		`{"model":"m"}`:                                             "A base URL is needed",
		`{"preset":"none","model":"m"}`:                             "A base URL is needed",
		`{"preset":"mistral","model":"m"}`:                          "needs a key",
		`{"base_url":"https://api.groq.com/openai/v1","model":"m"}`: "needs a key",
	} {
		if _, err := compatible().provider(json.RawMessage(config), "", nil); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", config, err)
		}
	}
	for config, want := range map[string]providers.Abilities{
		`{"preset":"perplexity","model":"sonar"}`: {StructuredOutput: true, Streaming: true, MaxTokens: 4096, Model: "sonar"},
		`{"base_url":"http://127.0.0.1:11434/v1/","model":"m","protocol":"json","context_window":8192,"max_tokens":9,"small_model":"s"}`: {
			StructuredOutput: true, Streaming: true, MaxTokens: 9, Model: "m", SmallModel: "s", ContextWindow: 8192},
		`{"preset":"deepseek","model":"m"}`: {NativeCalls: true, StructuredOutput: true, Streaming: true, MaxTokens: 4096, Model: "m"},
		`{"preset":"none","base_url":"http://127.0.0.1:11434/v1","model":"m","structured_output":"none"}`: {NativeCalls: true, Streaming: true, MaxTokens: 4096, Model: "m"},
	} {
		if got := made(t, config).Abilities(); got != want {
			t.Errorf("%s: %+v", config, got)
		}
	}
}

// The costs of a request as a conversation grows: the first call encodes it all, the
// next one only what is new.
func BenchmarkRequest(b *testing.B) {
	commands := make([]domain.CommandSpec, 30)
	for i := range commands {
		commands[i] = domain.CommandSpec{Name: fmt.Sprintf("COMMAND_%d", i), Description: strings.Repeat("word ", 30), Params: []byte(`{"type":"object","properties":{"a":{"type":"string"}}}`)}
	}
	for _, n := range []int{100, 1_000, 10_000} {
		long := func() []*ai.Turn {
			var turns []*ai.Turn
			for i := range n / 2 {
				turns = append(turns, text(fmt.Sprintf("Question %d: %s", i, strings.Repeat("some \"words\" ", 15))),
					said(&domain.RawAnswer{Text: strings.Repeat("an answer\n", 20)}))
			}
			return append(turns, text("the last one"))
		}
		prompt := &ai.Prompt{System: strings.Repeat("A rule. ", 4000), Tail: "It is now.", Commands: commands}
		p := made(b, `{"base_url":"http://h/v1","model":"m"}`)
		send := func() {
			body := p.body(&providers.Request{Prompt: prompt}, p.encoder)
			if _, err := io.Copy(io.Discard, body.Reader()); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(body.Length)
		}
		b.Run(fmt.Sprintf("%d/first", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				prompt.Turns = long()
				b.StartTimer()
				send()
			}
		})
		prompt.Turns = long()
		send()
		b.Run(fmt.Sprintf("%d/next", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				last := len(prompt.Turns) - 1
				prompt.Turns[last] = text("a new one") // one new turn each time
				send()
			}
		})
	}
}
