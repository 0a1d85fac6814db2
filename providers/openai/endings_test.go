package openai

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/suite"
)

func ending(word string) string {
	return `data: {"choices":[{"delta":{},"finish_reason":"` + word + `"}]}` + "\n\n"
}

// How hosts say that an answer ended, and what it is then. An answer that did not come to its
// end has no calls, but their names; what is none says what had come.
func TestEndingsOfEveryVendor(t *testing.T) {
	half, whole := chunks(`{"content":"Half"}`), chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ZONES","arguments":"{}"}}]}`)
	open := chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"CREATE_ZONE","arguments":"{\"name\":\"Gar"}}]}`)
	thought := chunks(`{"reasoning_content":"Let me think."}`)
	for name, row := range map[string]struct {
		stream, stop, cut, calls string
		class                    providers.Class
	}{
		"a gateway":                          {half + ending("MAX_TOKENS"), "length", "", "", ""},
		"capitals":                           {half + ending("LENGTH"), "length", "", "", ""},
		"Mistral":                            {half + ending("model_length"), "length", "", "", ""},
		"Cohere":                             {half + ending("COMPLETE"), "stop", "", "", ""},
		"Cohere, too long":                   {half + ending("ERROR_LIMIT"), "length", "", "", ""},
		"Cohere, toxic":                      {half + ending("ERROR_TOXIC"), "", "", "", providers.ClassRefused},
		"Bedrock":                            {half + ending("guardrail_intervened"), "", "", "", providers.ClassRefused},
		"Bedrock, Converse":                  {whole + ending("toolUse"), "calls", "", "ZONES", ""},
		"Anthropic through a proxy":          {half + ending("end_turn"), "stop", "", "", ""},
		"Anthropic, refusal":                 {half + ending("refusal"), "", "", "", providers.ClassRefused},
		"Anthropic, the window":              {half + ending("model_context_window_exceeded"), "length", "", "", ""},
		"Anthropic, a pause":                 {half + ending("pause_turn"), "unknown", "", "", ""},
		"Vertex":                             {half + ending("FinishReason.SAFETY"), "", "", "", providers.ClassRefused},
		"Vertex, recitation":                 {half + ending("RECITATION"), "", "", "", providers.ClassRefused},
		"Vertex, a call":                     {half + ending("MALFORMED_FUNCTION_CALL"), "malformed", "", "", ""},
		"Vertex, unspecified":                {half + ending("FINISH_REASON_UNSPECIFIED") + "data: [DONE]\n\n", "stop", "", "", ""},
		"Zhipu, sensitive":                   {half + ending("sensitive"), "", "", "", providers.ClassRefused},
		"Zhipu, network":                     {half + ending("network_error"), "", "", "", providers.ClassNetwork},
		"DeepSeek":                           {half + ending("insufficient_system_resource"), "", "", "", providers.ClassOverloaded},
		"Qwen, the word null in each":        {strings.ReplaceAll(half, `}]}`, `,"finish_reason":"null"}]}`) + ending("stop"), "stop", "", "", ""},
		"Qwen, the word null and no end":     {strings.ReplaceAll(half, `}]}`, `,"finish_reason":"null"}]}`), "", "", "", providers.ClassNetwork},
		"vLLM, abort":                        {half + ending("abort"), "", "", "", providers.ClassNetwork},
		"TGI":                                {half + ending("eos_token"), "stop", "", "", ""},
		"LM Studio":                          {half + ending("maxPredictedTokensReached"), "length", "", "", ""},
		"a timeout":                          {half + ending("timeout"), "", "", "", providers.ClassNetwork},
		"a word of tomorrow":                 {half + ending("bad_weather"), "unknown", "", "", ""},
		"a word of tomorrow, calls":          {whole + ending("bad_weather"), "calls", "", "ZONES", ""},
		"a word of tomorrow, an open call":   {open + ending("bad_weather"), "unknown", "CREATE_ZONE", "", ""},
		"length, an open call":               {half + open + ending("length"), "length", "CREATE_ZONE", "", ""},
		"length, a call that looks whole":    {whole + ending("length"), "length", "ZONES", "", ""},
		"length, thoughts alone":             {thought + ending("length"), "length", "", "", ""},
		"length, nothing":                    {chunks(`{"content":""}`) + ending("length"), "length", "", "", ""},
		"legacy functions":                   {chunks(`{"function_call":{"name":"ZONES","arguments":""}}`, `{"function_call":{"arguments":"{\"a\""}}`, `{"function_call":{"arguments":":1}"}}`) + ending("function_call"), "calls", "", "ZONES", ""},
		"legacy functions, not streamed":     {`{"choices":[{"message":{"content":null,"function_call":{"name":"ZONES","arguments":"{}"}},"finish_reason":"function_call"}]}`, "calls", "", "ZONES", ""},
		"legacy functions, null":             {chunks(`{"content":"Half","function_call":null}`) + ending("stop"), "stop", "", "", ""},
		"not streamed, cut":                  {`{"choices":[{"message":{"content":"Half"},"finish_reason":"MAX_TOKENS"}]}`, "length", "", "", ""},
		"not streamed, filtered":             {`{"choices":[{"message":{"content":"Half"},"finish_reason":"CONTENT_FILTER"}]}`, "", "", "", providers.ClassRefused},
		"an error after the end is no error": {half + ending("stop") + `data: {"error":{"message":"too late"}}` + "\n\n", "stop", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer, _, err := listen(t, strings.NewReader(row.stream), plainConfig)
			if row.class != "" {
				e, ok := errors.AsType[*providers.Error](err)
				if !ok || e.Class != row.class || strings.HasPrefix(row.stream, "{") && e.Text != "Half" {
					t.Fatalf("got %+v, %#v, want %s", answer, err, row.class)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var calls []string
			for _, c := range answer.Raw.Calls {
				calls = append(calls, c.Name)
			}
			raw := answer.Raw
			if raw.StopReason != row.stop || strings.Join(raw.CutCalls, " ") != row.cut || strings.Join(calls, " ") != row.calls {
				t.Errorf("got %+v, want %s, cut %q, calls %q", raw, row.stop, row.cut, row.calls)
			}
		})
	}
}

// Bytes between and around the events that are no part of an answer do not cost it.
func TestStreamOddities(t *testing.T) {
	head, tail := chunks(`{"content":"Hello "}`), chunks(`{"content":"world"}`)+ending("stop")
	for name, stream := range map[string]string{
		"a space behind the end mark":       head + tail + "data: [DONE] \n\n",
		"two spaces before it":              head + tail + "data:  [DONE]\n\n",
		"a tab, and no empty line":          strings.ReplaceAll(head+tail, "\n\n", "\n") + "data:\t[DONE]\t\n",
		"null":                              head + "data: null\n\n" + tail,
		"a ping":                            head + "event: ping\ndata: ping\n\n" + tail,
		"a ping that is an object":          head + "event: ping\ndata: {\"type\":\"ping\"}\n\n" + tail,
		"a number, true, a text and a list": head + "data: 7\n\ndata: true\n\ndata: \"hi\"\n\ndata: []\n\n" + tail,
		"an empty event":                    head + "data:\n\ndata: \n\n" + tail,
		"NaN":                               strings.Replace(head, `}]}`, `,"logprobs":NaN,"a":-Infinity,"b":{"c":NaN}}]}`, 1) + tail,
		"a byte order mark":                 "\xef\xbb\xbf" + head + tail,
		"a byte order mark and lines":       "\xef\xbb\xbf\n\n" + head + tail,
		"a byte order mark, not streamed":   "\xef\xbb\xbf" + `{"choices":[{"message":{"content":"Hello world"},"finish_reason":"stop"}]}`,
		"comments between":                  head + ": keep-alive\n\n" + tail,
		"rubbish after the end":             head + tail + "data: {\"choices\":[{\n\n",
	} {
		for how, body := range map[string]io.Reader{
			"at once": strings.NewReader(stream), "byte by byte": iotest.OneByteReader(strings.NewReader(stream)),
		} {
			answer, received, err := listen(t, body, plainConfig)
			if err != nil || answer.Raw.Text != "Hello world" || received != "Hello world" {
				t.Errorf("%s, %s: %+v, received %q, %v", name, how, answer, received, err)
			}
		}
	}
}

// TestAnOpenStreamEndsItsAnswer verifies that a stream that stays open after the finish reason is closed after a
// short time; one that continues after all gets its full timeout again.
func TestAnOpenStreamEndsItsAnswer(t *testing.T) {
	hello, usage := chunks(`{"content":"hello"}`), `data: {"choices":[],"usage":{"prompt_tokens":3}}`+"\n\n"
	for name, row := range map[string]struct {
		slow suite.Slow
		took time.Duration
	}{
		"open after the reason": {suite.Slow{Pieces: []string{hello + ending("stop")}, Streamed: true}, 2 * time.Second},
		"open after the usage":  {suite.Slow{Pieces: []string{hello + ending("stop") + usage}, Streamed: true}, 300 * time.Millisecond},
		"kept open by comments": {suite.Slow{Pieces: append([]string{hello + ending("stop")}, strings.Split(strings.Repeat(": ping\n\n|", 300), "|")...), Streamed: true}, 2 * time.Second},
		"text after a reason":   {suite.Slow{Pieces: []string{ending("stop"), hello, ending("stop")}, Streamed: true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			row.slow.Pause, row.slow.Open, row.slow.Took = time.Second, true, row.took
			row.slow.Check(t, func(t *testing.T, client *http.Client) providers.Provider {
				t.Helper()
				p, err := compatible().provider(json.RawMessage(plainConfig), "", client)
				if err != nil {
					t.Fatal(err)
				}
				return p
			})
		})
	}
}

// tool is a call with further members.
func tool(more string) string {
	return `{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"ZONES","arguments":"{}"}` + more + `}]}`
}

// What a host wants back beside a call goes back to it as it came, and to no other.
func TestWhatGoesBack(t *testing.T) {
	const signed = `,"extra_content":{"google":{"thought_signature":"c2ln/+=<"}}`
	calls := ending("tool_calls")
	for name, row := range map[string]struct {
		stream string
		want   []string // in the next request
	}{
		"Gemini: the signature of the call":  {chunks(tool(signed)), []string{`"function":{"name":"ZONES","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln/+=<"}}}`}},
		"LiteLLM: within the function":       {chunks(`{"tool_calls":[{"index":0,"id":"call_1","provider_specific_fields":{"a":1},"function":{"name":"ZONES","arguments":"{}","provider_specific_fields":{"thought_signature":"x"}}}]}`), []string{`"arguments":"{}","provider_specific_fields":{"thought_signature":"x"}},"provider_specific_fields":{"a":1}}`}},
		"the signature comes later":          {chunks(tool(""), `{"tool_calls":[{"index":0,"extra_content":{"s":"later"}}]}`), []string{`"extra_content":{"s":"later"}`}},
		"Kimi: reasoning_content":            {chunks(`{"reasoning_content":"I look "}`, `{"reasoning_content":"at it."}`, tool("")), []string{`"reasoning_content":"I look at it."`}},
		"Kimi: none of it":                   {chunks(`{"reasoning_content":""}`, tool("")), []string{`"reasoning_content":""`}},
		"Together: reasoning":                {chunks(`{"reasoning":"Hm."}`, tool("")), []string{`"reasoning":"Hm."`}},
		"both fields":                        {chunks(`{"reasoning":"Hm.","reasoning_content":"Hm."}`, tool("")), []string{`"reasoning_content":"Hm."`}},
		"OpenRouter: encrypted":              {chunks(`{"reasoning":"x","reasoning_details":[{"type":"reasoning.encrypted","data":"b3Bh","id":"r1","format":"google-gemini-v1","index":0}]}`, tool("")), []string{`"reasoning":"x"`, `"reasoning_details":[{"type":"reasoning.encrypted","data":"b3Bh","id":"r1","format":"google-gemini-v1","index":0}]`}},
		"OpenRouter: text in pieces":         {chunks(`{"reasoning_details":[{"type":"reasoning.text","text":"I l","index":0}]}`, `{"reasoning_details":[{"type":"reasoning.text","text":"ook.","index":0,"signature":"sig"}]}`, `{"reasoning_details":[{"type":"reasoning.encrypted","data":"b3Bh","index":1}]}`, tool("")), []string{`"text":"I look."`, `"signature":"sig"`, `"data":"b3Bh"`}},
		"LiteLLM: blocks":                    {chunks(`{"thinking_blocks":[{"type":"thinking","thinking":"a","signature":""}]}`, `{"thinking_blocks":[{"type":"thinking","thinking":"b","signature":"s1"}]}`, `{"thinking_blocks":[{"type":"thinking","thinking":"c","signature":"s2"}]}`, tool("")), []string{`"thinking":"ab"`, `"s1"`, `"thinking":"c"`, `"s2"`}},
		"Gemini: a signature of the message": {chunks(`{"content":"I look.","extra_content":{"google":{"thought_signature":"m"}}}`, tool("")), []string{`"extra_content":{"google":{"thought_signature":"m"}}`}},
		"not streamed":                       {`{"choices":[{"message":{"reasoning_content":"Hm.","tool_calls":[{"id":"a","type":"function","function":{"name":"ZONES","arguments":"{}"}` + signed + `}]},"finish_reason":"tool_calls"}]}`, []string{`"reasoning_content":"Hm."`, `"thought_signature":"c2ln/+=<"`}},
		"nulls are nothing":                  {chunks(`{"reasoning_content":null,"reasoning_details":null,"extra_content":null}`, tool(`,"extra_content":null`)), []string{`"content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ZONES","arguments":"{}"}}]`}},
	} {
		t.Run(name, func(t *testing.T) {
			stream := row.stream
			if !strings.HasPrefix(stream, "{") {
				stream += calls
			}
			answer, _, err := listen(t, strings.NewReader(stream), plainConfig)
			if err != nil {
				t.Fatal(err)
			}
			next := &providers.Request{Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi"), said(answer.Raw), text("more")}}}
			sent := encoded(t, made(t, plainConfig), next)
			if !json.Valid([]byte(sent)) {
				t.Fatalf("no JSON: %s", sent)
			}
			for _, part := range row.want {
				if !strings.Contains(sent, part) {
					t.Errorf("%s is not in %s", part, sent)
				}
			}
			for what, config := range map[string]string{
				"another host":  `{"base_url":"http://other/v1","model":"m"}`,
				"another model": `{"base_url":"http://h/v1","model":"n"}`,
				"OpenAI's kind": `{"base_url":"http://h/v2","model":"m"}`,
			} {
				sent := encoded(t, made(t, config), next)
				for _, member := range []string{"reasoning", "extra_content", "thinking_blocks", "provider_specific_fields"} {
					if strings.Contains(sent, member) {
						t.Errorf("%s has %s: %s", what, member, sent)
					}
				}
			}
			if sent := encoded(t, made(t, plainConfig), next); !strings.Contains(sent, row.want[0]) {
				t.Errorf("what was written for another host is sent: %s", sent)
			}
		})
	}
}

// Thoughts without calls stay here: nothing waits for them.
func TestThoughtsOfAnAnswerStayHere(t *testing.T) {
	answer, _, err := listen(t, strings.NewReader(chunks(`{"reasoning_content":"Hm."}`, `{"content":"Yes."}`)+ending("stop")), plainConfig)
	if err != nil || answer.Raw.Origin != "" || answer.Raw.Thinking[0] != (domain.Thinking{Text: "Hm."}) {
		t.Errorf("got %+v, %v", answer.Raw, err)
	}
}

// A host that refuses what it gave is asked again without it, now and later. One that misses
// it is not.
func TestAHostThatTakesNothingBack(t *testing.T) {
	answer, _, err := listen(t, strings.NewReader(chunks(`{"reasoning_content":"Hm."}`, tool(`,"extra_content":{"a":1}`))+ending("tool_calls")), plainConfig)
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		says  string
		calls string // of each request: with or without
	}{
		"its field is not known": {`{"error":{"message":"property 'reasoning_content' is unsupported"}}`, "with without without"},
		"extra members":          {`{"detail":[{"loc":["body","messages",1,"tool_calls",0,"extra_content"],"msg":"Extra inputs are not permitted"}]}`, "with without without"},
		"it misses something":    {`{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 1"}}`, "with with"},
		"something else":         {`{"error":{"message":"temperature is out of bounds"}}`, "with with"},
	} {
		t.Run(name, func(t *testing.T) {
			var sent []string
			client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				body, _ := io.ReadAll(r.Body)
				status, out := http.StatusOK, chunks(`{"content":"Done."}`)+ending("stop")
				if strings.Contains(string(body), "reasoning_content") {
					sent, status, out = append(sent, "with"), http.StatusBadRequest, row.says
				} else {
					sent = append(sent, "without")
				}
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(out)), Request: r}, nil
			})}
			p, err := compatible().provider(json.RawMessage(plainConfig), "", client)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				_, err = p.Query(t.Context(), &providers.Request{
					Prompt:  &ai.Prompt{Turns: []*ai.Turn{text("hi"), said(answer.Raw), text("more")}},
					NewID:   repeatable.IDs(),
					OnDelta: func(providers.Delta) {},
				})
			}
			if got := strings.Join(sent, " "); got != row.calls || (err == nil) != strings.Contains(row.calls, "without") {
				t.Errorf("sent %s, then %v; want %s", got, err, row.calls)
			}
		})
	}
}
