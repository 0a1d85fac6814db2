package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

const mark = `,"cache_control":{"type":"ephemeral"}`

// A conversation with two calls, of which one had arguments that are no JSON.
func dialogue() []*ai.Turn {
	answer := &domain.RawAnswer{
		Provider: "openai_compatible", Text: "I look.", Thinking: []domain.Thinking{{Text: "hm", Data: "not ours"}},
		Calls: []domain.RawCall{
			{ID: "call_own1", ProviderID: "call_0", Name: "ZONES", Arguments: `{ "a" : 1.0, "b":"\ud83d" }`},
			{ID: "call_own2", ProviderID: "call_0", Name: "bad name!", Arguments: `{"x":`},
		},
	}
	back := results(answer, `{"zones":[]}`, "Failed.", "And now?")
	back.Blocks[1].IsError = true
	return []*ai.Turn{
		text("Hello \"you\"\n", " \n", "\x00 and \xff"), said(answer), back,
		said(&domain.RawAnswer{Text: "Nothing."}), text("Thanks"),
	}
}

func TestMessages(t *testing.T) {
	const want = `{"role":"user","content":[{"type":"text","text":"Hello \"you\"\n"},{"type":"text","text":"` + "\uFFFD and \uFFFD" + `"}]}
{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"call_own1","name":"ZONES","input":{"a":1.0,"b":"` + "\uFFFD" + `"}},{"type":"tool_use","id":"call_own2","name":"bad_name_","input":{}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_own1","content":"{\"zones\":[]}"},{"type":"tool_result","tool_use_id":"call_own2","is_error":true,"content":"The arguments of this call were not a JSON object. They were: {\"x\":\n\nFailed."},{"type":"text","text":"And now?"` + mark + `}]}
{"role":"assistant","content":[{"type":"text","text":"Nothing."}]}
{"role":"user","content":[{"type":"text","text":"Thanks"` + mark + `},{"type":"text","text":"It is \"now\"."}]}`
	p := made(t, plainConfig, nil)
	prompt := &ai.Prompt{Turns: dialogue(), Tail: `It is "now".`}
	// The second time all turns come from their caches: the same bytes.
	for range 2 {
		if got := messages(t, encoded(t, p, &providers.Request{Prompt: prompt})); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// Only what is new is encoded, and the mark and the tail are in no cache: the next call
// sends the same bytes up to its own last message.
func TestWhatWasSentIsSentAgain(t *testing.T) {
	p := made(t, plainConfig, nil)
	all := dialogue()
	before, ends := "", ""
	for n, now := range []string{"It is 8.", "It is 9.", "It is 10."} {
		turns := all[:2*n+1]
		body := encoded(t, p, &providers.Request{Prompt: &ai.Prompt{
			System: "Rules.", UserData: "Data.", Turns: turns, Tail: now, Commands: []domain.CommandSpec{{Name: "ZONES"}},
		}})
		marks := min(3+n, 4) // the rules, the data, where the call before ended, and the end
		unmarked := strings.ReplaceAll(body, mark, "")
		if !strings.HasPrefix(unmarked, before) || strings.Count(body, "It is") != 1 || strings.Count(body, mark) != marks {
			t.Errorf("call %d does not go on from\n%s\nit is\n%s", n, before, body)
		}
		if n > 0 && !strings.Contains(body, ends+mark) {
			t.Errorf("call %d is not marked where the one before ended: %s", n, body)
		}
		last := body[strings.LastIndex(body, `{"role":`):]
		ends, _, _ = strings.Cut(last, mark)
		before = strings.ReplaceAll(strings.TrimSuffix(body, last)+ends, mark, "")
		for i, turn := range all {
			if sent := turn.Encoded.Load() != nil; sent != (i < len(turns)) {
				t.Errorf("call %d: turn %d encoded: %t", n, i, sent)
			}
		}
	}
	kept := all[0].Encoded.Load()
	encoded(t, p, &providers.Request{Prompt: &ai.Prompt{Turns: all[:1]}})
	if all[0].Encoded.Load() != kept {
		t.Error("a turn was encoded again")
	}
}

// What a model thought goes back in the bytes and in the place in which it came: between
// text and calls, escapes and all, and also what only the API can read.
func TestThoughtsGoBackAsTheyCame(t *testing.T) {
	stream := sse(begin) +
		whole(0, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"Let \u00e9\/<"}`, `{"type":"thinking_delta","thinking":"\u0000me\n"}`,
			`{"type":"signature_delta","signature":"Eq\/"}`, `{"type":"signature_delta","signature":"B=="}`) +
		whole(1, `{"type":"redacted_thinking", "data":"op\u0061que=="}`) +
		say(2, "I look") + say(3, " twice.") +
		whole(4, `{"type":"thinking","thinking":"","signature":"only"}`) +
		call(5, "toolu_1", "ZONES", `{"a": 1}`) +
		whole(6, `{"type":"thinking"}`, `{"type":"thinking_delta","thinking":"And?"}`, `{"type":"signature_delta","signature":"s2"}`) +
		call(7, "toolu_2", "TASKS", ``) + end("tool_use")
	answer, _, err := listen(t, strings.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	shownThoughts := ""
	for _, th := range answer.Raw.Thinking {
		shownThoughts += th.Text + "|"
	}
	if shownThoughts != "Let é/<\uFFFDme\n|||And?|" {
		t.Errorf("shown: %q", shownThoughts)
	}
	// It was stored in between.
	stored, err := json.Marshal(answer.Raw)
	if err != nil {
		t.Fatal(err)
	}
	raw := &domain.RawAnswer{}
	if err := json.Unmarshal(stored, raw); err != nil {
		t.Fatal(err)
	}
	const want = `{"role":"assistant","content":[{"type":"thinking","thinking":"Let \u00e9\/<\u0000me\n","signature":"Eq\/B=="},{"type":"redacted_thinking", "data":"op\u0061que=="},` +
		`{"type":"text","text":"I look twice."},{"type":"thinking","thinking":"","signature":"only"},{"type":"tool_use","id":"call_1","name":"ZONES","input":{"a": 1}},` +
		`{"type":"thinking","thinking":"And?","signature":"s2"},{"type":"tool_use","id":"call_2","name":"TASKS","input":{}}]}`
	request := &providers.Request{Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi"), said(raw), results(raw, "none", "none")}}}
	const budget = `"max_tokens":9000,"thinking_budget":2000}`
	p := made(t, `{"base_url":"http://h/v1/","model":"m",`+budget, nil)
	body := encoded(t, p, request)
	if got := strings.Split(messages(t, body), "\n")[1]; normal(got) != normal(want) || !strings.Contains(body, `"thinking":{"type":"enabled","budget_tokens":2000}`) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// Another host could not read the signatures, and another kind's thoughts are not ours:
	// neither are sent, and then none can be asked for within these calls.
	elsewhere := encoded(t, made(t, `{"base_url":"http://other","model":"m",`+budget, nil), request)
	raw.Provider = "gemini"
	otherKind := encoded(t, p, &providers.Request{Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi"), said(raw), results(raw, "none", "none")}}})
	for _, body := range []string{elsewhere, otherKind} {
		if strings.Contains(body, "thinking") {
			t.Errorf("thoughts went where they do not belong: %s", body)
		}
	}
}

// normal renumbers the server's own ids of calls.
func normal(s string) string {
	for i, part := range strings.Split(s, `"id":"`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		s = strings.Replace(s, `"`+id+`"`, fmt.Sprintf(`"id %d"`, i), 1)
	}
	return s
}

// Thoughts that were cut have no signature: they are shown, and do not go back.
func TestCutThoughtsStayHere(t *testing.T) {
	for name, stream := range map[string]string{
		"no signature": sse(begin) + whole(0, `{"type":"thinking"}`, `{"type":"thinking_delta","thinking":"Hm"}`) + say(1, "a") + end("end_turn"),
		"cut":          sse(begin) + open(0, `{"type":"thinking"}`, `{"type":"thinking_delta","thinking":"Hm"}`, `{"type":"signature_delta","signature":"s"}`) + end("max_tokens"),
	} {
		answer, _, err := listen(t, strings.NewReader(stream))
		if err != nil {
			t.Fatal(err)
		}
		body := encoded(t, made(t, plainConfig, nil), &providers.Request{Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi"), said(answer.Raw), text("And?")}}})
		if len(answer.Raw.Thinking) != 1 || answer.Raw.Thinking[0].Text != "Hm" || strings.Contains(body, "thinking") {
			t.Errorf("%s: %+v, then %s", name, answer.Raw, body)
		}
	}
}

func TestParameters(t *testing.T) {
	zones := []domain.CommandSpec{{Name: "ZONES", Description: "List \"them\".", Params: []byte(`{"type":"object"}`)}}
	turns := []*ai.Turn{text("hi")}
	const base = `"base_url":"http://h","model":"m"`
	const end = `,"messages":[{"role":"user","content":[{"type":"text","text":"hi"` + mark + `}]}]}`
	const tools = `,"tools":[{"name":"ZONES","description":"List \"them\".","input_schema":{"type":"object"}}]`
	table := map[string]struct {
		config  string
		request providers.Request
		want    string
	}{
		"bare":                   {``, providers.Request{}, `{"model":"m","max_tokens":8192,"stream":true`},
		"watched: the same wire": {``, providers.Request{OnDelta: func(providers.Delta) {}}, `{"model":"m","max_tokens":8192,"stream":true`},
		"sampling and tier":      {`,"max_tokens":100,"temperature":0.25,"top_p":1,"service_tier":"standard_only"`, providers.Request{}, `{"model":"m","max_tokens":100,"stream":true,"temperature":0.25,"top_p":1,"service_tier":"standard_only"`},
		"effort":                 {`,"thinking":"adaptive","reasoning_effort":"low"`, providers.Request{}, `{"model":"m","max_tokens":8192,"stream":true,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}`},
		"a schema": {`,"reasoning_effort":"low"`, providers.Request{Prompt: &ai.Prompt{Protocol: domain.ProtocolNative, AnswerSchema: []byte(`{"type":"object","properties":{"a":{"type":"string","minLength":1}}}`)}},
			`{"model":"m","max_tokens":8192,"stream":true,"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}}}`},
		"an open schema":            {``, providers.Request{Prompt: &ai.Prompt{Protocol: domain.ProtocolNative, AnswerSchema: []byte(`{"type":"object"}`)}}, `{"model":"m","max_tokens":8192,"stream":true`},
		"no thoughts":               {`,"thinking":"off"`, providers.Request{}, `{"model":"m","max_tokens":8192,"stream":true,"thinking":{"type":"disabled"}`},
		"a budget, its own room":    {`,"thinking_budget":2000`, providers.Request{}, `{"model":"m","max_tokens":10192,"stream":true,"thinking":{"type":"enabled","budget_tokens":2000}`},
		"a budget without room":     {`,"thinking_budget":2000`, providers.Request{MaxTokens: 64}, `{"model":"m","max_tokens":64,"stream":true`},
		"adaptive without room":     {`,"thinking":"adaptive"`, providers.Request{MaxTokens: 64}, `{"model":"m","max_tokens":64,"stream":true`},
		"small":                     {`,"small_model":"s","thinking":"adaptive","reasoning_effort":"low"`, providers.Request{Small: true}, `{"model":"s","max_tokens":8192,"stream":true`},
		"small, but there is none":  {`,"reasoning_effort":"low"`, providers.Request{Small: true}, `{"model":"m","max_tokens":8192,"stream":true,"output_config":{"effort":"low"}`},
		"commands want a long one":  {`,"max_tokens":100`, providers.Request{Prompt: &ai.Prompt{Commands: zones}}, `{"model":"m","max_tokens":4000,"stream":true` + tools},
		"level 1 alone":             {``, providers.Request{Prompt: &ai.Prompt{System: "Rules."}}, `{"model":"m","max_tokens":8192,"stream":true,"system":[{"type":"text","text":"Rules."` + mark + `}]`},
		"both levels, and commands": {``, providers.Request{Prompt: &ai.Prompt{System: "Rules.", UserData: "Data.", Commands: zones}}, `{"model":"m","max_tokens":8192,"stream":true` + tools + `,"system":[{"type":"text","text":"Rules."` + mark + `}]`},
		"an empty level is none":    {``, providers.Request{Prompt: &ai.Prompt{System: " ", UserData: "Data."}}, `{"model":"m","max_tokens":8192,"stream":true`},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			if row.request.Prompt == nil {
				row.request.Prompt = &ai.Prompt{}
			}
			row.request.Prompt.Turns = turns
			want := row.want + end
			if row.request.Prompt.UserData != "" { // at the head of the first message
				want = row.want + strings.Replace(end, `"content":[`, `"content":[{"type":"text","text":"Data."`+mark+`},`, 1)
			}
			if got := encoded(t, made(t, `{`+base+row.config+`}`, nil), &row.request); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Schemas of commands as the API takes them.
func TestSchemas(t *testing.T) {
	for params, want := range map[string]string{
		`{ "type":"object", "x":1.0}`:         `{ "type":"object", "x":1.0}`,
		``:                                    `{"type":"object"}`,
		`{`:                                   `{"type":"object"}`,
		`null`:                                `{"type":"object"}`,
		`true`:                                `{"type":"object"}`,
		`{"properties":{"a":{"anyOf":[{}]}}}`: `{"properties":{"a":{"anyOf":[{}]}},"type":"object"}`,
		`{"type":["object","null"]}`:          `{"type":"object"}`,
		`{"type":"object","anyOf":[{"required":["a"]}],"minP":1}`: `{"minP":1,"type":"object"}`,
	} {
		if got := string(inputSchema(json.RawMessage(params))); got != want {
			t.Errorf("%s: %s", params, got)
		}
	}
}

// Where nothing is offered any more, a history with calls stays valid: its commands are
// declared, and none may be called.
func TestCallsWithoutCommands(t *testing.T) {
	p := made(t, plainConfig, nil)
	got := encoded(t, p, &providers.Request{Prompt: &ai.Prompt{Turns: dialogue()}})
	if want := `"tools":[{"name":"ZONES","input_schema":{"type":"object"}},{"name":"bad_name_","input_schema":{"type":"object"}}],"tool_choice":{"type":"none"},`; !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
	if got := encoded(t, p, &providers.Request{Prompt: &ai.Prompt{Turns: dialogue()[4:]}}); strings.Contains(got, "tool") {
		t.Errorf("without calls: %s", got)
	}
}

func TestConfigs(t *testing.T) {
	for config, problem := range map[string]string{
		`{}`:                                 "model",
		`{"base_url":"h","model":"m"}`:       "base URL",
		`{"base_url":"ftp://h","model":"m"}`: "base URL",
		`{"base_url":"http://u:p@h","model":"m"}`:                    "contain a user",
		`{"base_url":"http://h?key=k","model":"m"}`:                  "query",
		`{"model":"m","modle":1}`:                                    "modle",
		`{"model":"m","api_key":"k"}`:                                "api_key",
		`{"model":"m","thinking":"adaptive","thinking_budget":2000}`: "not both",
		`{"model":"m","max_tokens":5000,"thinking_budget":5000}`:     "less",
		`{"model":"m","thinking":"adaptive","temperature":1}`:        "temperature",
		`{"model":"m","thinking_budget":5000,"top_p":0.9}`:           "top_p",
	} {
		if _, err := newProvider(json.RawMessage(config), "", nil); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", config, err)
		}
	}
	for config, want := range map[string]providers.Abilities{
		`{"model":"m"}`: {NativeCalls: true, Sees: true, Streaming: true, AlwaysStreams: true, MaxTokens: 8192, Model: "m"},
		`{"base_url":"http://h/","model":"m","protocol":"json","context_window":200000,"max_tokens":9,"small_model":"s"}`: {
			Sees: true, Streaming: true, AlwaysStreams: true, MaxTokens: 9, Model: "m", SmallModel: "s", ContextWindow: 200000},
		`{"model":"m","thinking_budget":2000}`:               {NativeCalls: true, Sees: true, Streaming: true, AlwaysStreams: true, MaxTokens: 10192, Model: "m"},
		`{"model":"claude-instant-1.2","max_tokens":9}`:      {NativeCalls: true, Streaming: true, AlwaysStreams: true, MaxTokens: 9, Model: "claude-instant-1.2"},
		`{"model":"claude-x","max_tokens":9,"images":false}`: {NativeCalls: true, Streaming: true, AlwaysStreams: true, MaxTokens: 9, Model: "claude-x"},
	} {
		if got := made(t, config, nil).Abilities(); got != want {
			t.Errorf("%s: %+v", config, got)
		}
	}
}

// The costs of a request as a conversation grows: the first call encodes it all, the
// next one only what is new.
func BenchmarkRequest(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		var turns []*ai.Turn
		for i := range n / 2 {
			turns = append(turns, text(fmt.Sprintf("Question %d: %s", i, strings.Repeat("some \"words\" ", 15))),
				said(&domain.RawAnswer{Text: strings.Repeat("an answer\n", 20)}))
		}
		prompt := &ai.Prompt{System: strings.Repeat("A rule. ", 4000), Tail: "It is now.", Turns: append(turns, text("the last one"))}
		p := made(b, plainConfig, nil)
		send := func() {
			body := p.body(&providers.Request{Prompt: prompt})
			if _, err := io.Copy(io.Discard, body.Reader()); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(body.Length)
		}
		send()
		b.Run(fmt.Sprintf("%d/next", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				prompt.Turns[len(prompt.Turns)-1] = text("a new one") // one new turn each time
				send()
			}
		})
	}
}

func BenchmarkStream(b *testing.B) {
	stream := sse(begin) + open(0, `{"type":"text","text":""}`) +
		many(1000, func(int) string {
			return sse(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" word"}}`)
		}) + end("end_turn")
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := listen(b, strings.NewReader(stream)); err != nil {
			b.Fatal(err)
		}
	}
}
