package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/suite"
)

type transport = suite.Transport

// listen returns the provider's answer for a response body.
func listen(t testing.TB, body io.Reader, config string) (*providers.Answer, string, error) {
	t.Helper()
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"X-Request-Id": {"req_1"}}, Body: io.NopCloser(body), Request: r}, nil
	})}
	p, err := compatible().provider(json.RawMessage(config), "sk-x", client)
	if err != nil {
		t.Fatal(err)
	}
	received := ""
	answer, err := p.Query(context.Background(), &providers.Request{
		Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi")}}, NewID: repeatable.IDs(),
		OnDelta: func(d providers.Delta) {
			if d.Kind == providers.DeltaText {
				received += d.Text
			}
		},
	})
	return answer, received, err
}

const plainConfig = `{"base_url":"http://h/v1","model":"m"}`

func chunks(deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		b.WriteString(`data: {"choices":[{"delta":` + d + `}]}` + "\n\n")
	}
	return b.String()
}

const finished = `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n"

// How vendors cut and number tool calls.
func TestCallsOfEveryVendor(t *testing.T) {
	table := map[string]struct{ stream, want string }{
		"by the book": {chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"b","function":{"name":"put","arguments":"{}"}}]}`), `get a {"x":1} | put b {}`},
		"all at index 0": {chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":"{\"x\":1}"}}]}`,
			`{"tool_calls":[{"index":0,"id":"b","function":{"name":"put","arguments":"{\"y\":2}"}}]}`), `get a {"x":1} | put b {"y":2}`},
		"all at index 0, in pieces": {chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":"{\"x\""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"get","arguments":"{\"y\""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":":2}"}}]}`), `get a {"x":1} | get b {"y":2}`},
		"only the ids differ": {chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":""}}]}`,
			`{"tool_calls":[{"index":0,"id":"b","function":{"name":"get","arguments":""}}]}`), `get a  | get b `},
		"no index": {chunks(`{"tool_calls":[{"id":"a","function":{"name":"get","arguments":"{}"}},{"id":"b","function":{"name":"put","arguments":"{}"}}]}`), `get a {} | put b {}`},
		"no index, no ids": {chunks(`{"tool_calls":[{"function":{"name":"get","arguments":"{\"x\":1}"}},{"function":{"name":"get","arguments":"{\"x\":2}"}}]}`),
			`get  {"x":1} | get  {"x":2}`},
		"no ids, all at index 0": {chunks(`{"tool_calls":[{"index":0,"function":{"name":"get","arguments":"{}"}}]}`, `{"tool_calls":[{"index":0,"function":{"name":"put","arguments":"{}"}}]}`),
			`get  {} | put  {}`},
		"the name with each piece": {chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":"{\"x\""}}]}`,
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":":1}"}}]}`), `get a {"x":1}`},
		"the same id twice": {chunks(`{"tool_calls":[{"index":0,"id":"call_0","function":{"name":"get","arguments":"{}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"call_0","function":{"name":"put","arguments":"{}"}}]}`), `get call_0 {} | put  {}`},
		"pieces of two calls in turn": {chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get"}},{"index":1,"id":"b","function":{"name":"put"}}]}`,
			`{"tool_calls":[{"index":1,"function":{"arguments":"{\"b\""}},{"index":0,"function":{"arguments":"{\"a\""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}},{"index":1,"function":{"arguments":":2}"}}]}`), `get a {"a":1} | put b {"b":2}`},
		"an object instead of its text": {chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":{"x": [1, {}]}}}]}`), `get a {"x": [1, {}]}`},
		"null everywhere":               {chunks(`{"tool_calls":[{"index":null,"id":null,"function":{"name":"get","arguments":null}},null]}`, `{"tool_calls":null,"content":null}`), `get  `},
		"an id that is a number":        {chunks(`{"tool_calls":[{"index":"0","id":7,"function":{"name":"get","arguments":"{}"}}]}`), `get  {}`},
		"brackets in text": {chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":"{\"x\":\"}{\\\""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"name":"get","arguments":"{}\"}"}}]}`), `get a {"x":"}{\"{}"}`},
		"an empty piece": {chunks(`{"tool_calls":[{}]}`, `{"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":""}}]}`, `{"content":"x"}`), ``},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			answer, _, err := listen(t, strings.NewReader(row.stream+finished), plainConfig)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range answer.Raw.Calls {
				got = append(got, c.Name+" "+c.ProviderID+" "+c.Arguments)
			}
			if strings.Join(got, " | ") != row.want {
				t.Errorf("got %s, want %s", strings.Join(got, " | "), row.want)
			}
		})
	}
}

// The many ways of a stream to be written and to end.
func TestStreams(t *testing.T) {
	const stop = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	const done = "data: [DONE]\n\n"
	hello := chunks(`{"content":"hel"}`, `{"content":"lo"}`)
	table := map[string]struct{ stream, text, failure string }{
		"reason and mark":             {hello + stop + done, "hello", ""},
		"reason, no mark":             {hello + stop, "hello", ""},
		"mark, no reason":             {hello + done, "hello", ""},
		"neither":                     {hello, "", "broke off"},
		"nothing":                     {"", "", "broke off"},
		"only a mark":                 {done, "", "broke off"},
		"only comments":               {": ping\n\n: ping\n\n", "", "broke off"},
		"cut in a line":               {hello + `data: {"choices":[{"del`, "", "not JSON"},
		"mark, but a call is open":    {chunks(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"a\""}}]}`) + done, "", "broke off"},
		"CRLF":                        {strings.ReplaceAll(hello+stop+done, "\n", "\r\n"), "hello", ""},
		"no space behind the colon":   {strings.ReplaceAll(hello+stop+done, "data: ", "data:"), "hello", ""},
		"no empty lines":              {strings.ReplaceAll(hello+stop+done, "\n\n", "\n"), "hello", ""},
		"comments, ids and events":    {": OPENROUTER PROCESSING\n\nid: 7\nevent: message\nretry: 1\n" + hello + stop + done, "hello", ""},
		"one event on several lines":  {"data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"hello\"},\n" + "data: \"finish_reason\":\"stop\"}]}\n\n", "hello", ""},
		"no last line end":            {strings.TrimRight(hello+stop, "\n"), "hello", ""},
		"byte order and spaces":       {"\n\n" + hello + stop, "hello", ""},
		"usage after the reason":      {hello + stop + `data: {"choices":[],"usage":{"prompt_tokens":3}}` + "\n\n" + done, "hello", ""},
		"an error event":              {hello + "event: error\ndata: {\"message\":\"too busy\",\"code\":503}\n\n", "", "too busy"},
		"an error in the data":        {hello + `data: {"error":{"message":"out of luck"}}` + "\n\n" + stop + done, "", "out of luck"},
		"an error as text":            {hello + `data: {"error":"plain words"}` + "\n\n", "", "plain words"},
		"an error that is no event":   {hello + `{"error":{"message":"bare"}}` + "\n", "", "bare"},
		"an error of the choice":      {hello + `data: {"choices":[{"delta":{},"finish_reason":"error","error":{"code":502}}]}` + "\n\n", "", "502"},
		"a hundred and fifty calls":   {chunks(`{"tool_calls":[`+strings.Repeat(`{"id":"x"},`, 150)+`{}]}`) + finished, "", "too large"},
		"error null":                  {`data: {"error":null,"choices":[{"delta":{"content":"hello"},"finish_reason":"stop"}]}` + "\n\n", "hello", ""},
		"the filter":                  {hello + `data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}` + "\n\n", "", "content filter"},
		"no resources":                {hello + `data: {"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}` + "\n\n", "", "ran out of resources"},
		"not JSON":                    {hello + "data: <html>\n\n", "", "not JSON"},
		"a second choice is left out": {`data: {"choices":[{"index":0,"delta":{"content":"hello"}},{"index":1,"delta":{"content":"other"}}]}` + "\n\n" + stop, "hello", ""},
		"a whole answer instead":      {` {"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]} `, "hello", ""},
		"a whole answer, cut":         {`{"choices":[{"message":{"content":"hello"}`, "", "broke off"},
		"some other JSON":             {`{"hello":"world"}`, "", "no chat completions API"},
		"a list of errors":            {`[{"error":{"message":"listed"}}]`, "", "listed"},
		"parts":                       {chunks(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"hello"}]}`) + stop, "hello", ""},
		"escapes":                     {chunks(`{"content":"\u0068\u00e9\n\t\"\\\/\b\f\r\ud83d\ude00"}`) + stop, "hé\n\t\"\\/\b\f\r😀", ""},
		"lone surrogates and NUL":     {chunks(`{"content":"a\ud83db\ude00c\u0000d\ud83d\u0041"}`) + stop, "a\uFFFDb\uFFFDc\uFFFDd\uFFFDA", ""},
		"a refusal":                   {chunks(`{"refusal":"I will not."}`) + stop, "I will not.", ""},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			for how, body := range map[string]io.Reader{
				"at once": strings.NewReader(row.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(row.stream)),
			} {
				answer, received, err := listen(t, body, plainConfig)
				switch {
				case row.failure != "":
					var e *providers.Error
					if !errors.As(err, &e) || !strings.Contains(e.Message, row.failure) {
						t.Errorf("%s: got %+v, %v; want %q", how, answer, err, row.failure)
					} else if e.RequestID != "req_1" {
						t.Errorf("%s: the request's id is lost", how)
					}
				case err != nil:
					t.Errorf("%s: %v", how, err)
				case answer.Raw.Text != row.text || received != row.text:
					t.Errorf("%s: got %q, received %q, want %q", how, answer.Raw.Text, received, row.text)
				}
			}
		})
	}
}

func TestRefusalIsReported(t *testing.T) {
	answer, _, err := listen(t, strings.NewReader(chunks(`{"refusal":"No."}`)+"data: [DONE]\n\n"), plainConfig)
	if err != nil || answer.Raw.StopReason != "refused" {
		t.Errorf("got %+v, %v", answer, err)
	}
}

func TestUsageOfEveryVendor(t *testing.T) {
	table := map[string]domain.Usage{
		`{"prompt_tokens":10,"completion_tokens":4}`:                                                   {InputTokens: 10, OutputTokens: 4},
		`{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":8,"cache_write_tokens":1}}`:      {InputTokens: 1, CacheReadTokens: 8, CacheWriteTokens: 1},
		`{"prompt_tokens":10,"prompt_cache_hit_tokens":6,"prompt_cache_miss_tokens":4}`:                {InputTokens: 4, CacheReadTokens: 6},
		`{"prompt_tokens":10,"cached_tokens":3}`:                                                       {InputTokens: 7, CacheReadTokens: 3},
		`{"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":50}}`:                             {CacheReadTokens: 5},
		`{"prompt_tokens":-5,"completion_tokens":-1}`:                                                  {},
		`{"prompt_tokens":1,"completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":7}}`: {InputTokens: 1, OutputTokens: 9, ReasoningTokens: 7},
		`{"prompt_tokens":1,"prompt_tokens_details":null}`:                                             {InputTokens: 1},
		`"many"`: {},
	}
	for text, want := range table {
		stream := chunks(`{"content":"x"}`) + `data: {"choices":[],"usage":` + text + "}\n\ndata: [DONE]\n\n"
		answer, _, err := listen(t, strings.NewReader(stream), plainConfig)
		if err != nil || answer.Usage != want {
			t.Errorf("%s: %+v, %v", text, answer, err)
		}
	}
	answer, _, err := listen(t, strings.NewReader(`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000000,"completion_tokens":500000,"prompt_tokens_details":{"cached_tokens":400000}}}`),
		`{"base_url":"http://h/v1","model":"m","prices":{"input":2,"cache_read":0.5,"output":8}}`)
	if err != nil || answer.Usage.Cost == nil || *answer.Usage.Cost != 0.6*2+0.4*0.5+0.5*8 {
		t.Errorf("the cost: %+v, %v", answer, err)
	}
}

// Thoughts inside the text are found however the stream cuts it.
func TestThinkTags(t *testing.T) {
	table := map[string][2]string{
		"<think>hm\n</think>\n\nYes.":  {"hm\n", "Yes."},
		"\n<think></think>Yes.":        {"", "Yes."},
		"<thinking>not the tag":        {"", "<thinking>not the tag"},
		"No <think>later</think> tag.": {"", "No <think>later</think> tag."},
		"<think>never closed </thi":    {"never closed </thi", ""},
		"  plain":                      {"", "  plain"},
		"<thin":                        {"", "<thin"},
	}
	for whole, want := range table {
		for size := 1; size <= len(whole); size++ {
			tags, got := thinkTags{on: true}, map[providers.DeltaKind]string{}
			out := func(kind providers.DeltaKind, b []byte) { got[kind] += string(b) }
			for at := 0; at < len(whole); at += size {
				tags.feed([]byte(whole[at:min(at+size, len(whole))]), out)
			}
			tags.flush(out)
			if got[providers.DeltaThinking] != want[0] || got[providers.DeltaText] != want[1] {
				t.Errorf("%q in pieces of %d: thoughts %q, text %q", whole, size, got[providers.DeltaThinking], got[providers.DeltaText])
			}
		}
	}
	answer, received, err := listen(t, strings.NewReader(chunks(`{"content":"<think>"}`, `{"content":"a"}`, `{"content":"</think>"}`, `{"content":"\nb"}`)+finished),
		`{"preset":"ollama","base_url":"http://h/v1","model":"m"}`)
	if err != nil || answer.Raw.Text != "b" || received != "b" || answer.Raw.Thinking[0].Text != "a" {
		t.Errorf("got %+v, %v", answer, err)
	}
}

// The limits of a call, in virtual time.
func TestTimeouts(t *testing.T) {
	hello := chunks(`{"content":"hello"}`)
	table := map[string]suite.Slow{
		"steady but slow":          {Pieces: []string{hello, hello, finished}, Pause: 100 * time.Second, Streamed: true},
		"no head":                  {Headers: time.Hour, Streamed: true, Failure: "no data for 2m0s", After: 2 * time.Minute},
		"no byte after the head":   {Pieces: []string{hello}, Pause: time.Hour, Headers: time.Minute, Streamed: true, Failure: "no data for 2m0s", After: 2 * time.Minute},
		"long pauses, then an end": {Pieces: []string{hello, hello}, Pause: 119 * time.Second, Streamed: true, Failure: "broke off", After: 3 * 119 * time.Second},
		"whole may take long":      {Pieces: []string{hello + finished}, Pause: 9 * time.Minute},
		"whole, but not for ever":  {Pieces: []string{hello}, Pause: time.Hour, Failure: "10m0s", After: 10 * time.Minute},
		"a drop now and then":      {Pieces: strings.Split(strings.Repeat(hello+"|", 100), "|"), Pause: time.Minute, Streamed: true, Failure: "no complete answer within 10m0s", After: 10 * time.Minute},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			row.Check(t, func(t *testing.T, client *http.Client) providers.Provider {
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

func TestModelLists(t *testing.T) {
	for body, want := range map[string]string{
		`{"object":"list","data":[{"id":"b"},{"id":"a"},{"id":"b"}]}`: "a b",
		`{"models":[{"name":"llama3"},{"id":"x","name":"X"}]}`:        "llama3 x",
		`[{"id":"one"}]`: "one",
		`{}`:             "",
	} {
		names, err := modelNames([]byte(body), "")
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s: %v, %v", body, names, err)
		}
	}
	if _, err := modelNames([]byte("<html>Welcome</html>"), ""); err == nil || !strings.Contains(err.Error(), "Welcome") {
		t.Errorf("a page: %v", err)
	}
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		status, body := 200, `{"data":[{"id":"m"}]}`
		if r.Header.Get("Authorization") != "Bearer sk-x" || r.URL.String() != "http://h/v1/models" {
			status, body = 401, `{"error":"wrong key sk-y"}`
		}
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	})}
	if names, err := Compatible().Models(t.Context(), json.RawMessage(plainConfig), "sk-x", client); err != nil || len(names) != 1 {
		t.Errorf("got %v, %v", names, err)
	}
	var e *providers.Error
	if _, err := Compatible().Models(t.Context(), json.RawMessage(plainConfig), "sk-y", client); !errors.As(err, &e) || e.Class != providers.ClassAuthentication || strings.Contains(err.Error(), "sk-y") {
		t.Errorf("got %v", err)
	}
}

// FuzzStream: whatever comes, there is an answer or an error, what was streamed is the
// text, and the text can be stored.
func FuzzStream(f *testing.F) {
	f.Add([]byte(chunks(`{"content":"a\ud83d"}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"a\":1}"}}]}`) + finished))
	f.Add([]byte("event: error\ndata: {\"error\":{}}\n\n"))
	f.Add([]byte(`{"choices":[{"message":{"content":[{"text":"x"}]},"finish_reason":"stop"}]}`))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"<think>\\u0000\xff</think>\"},\"finish_reason\":\"length\"}]}\r\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		for _, config := range []string{plainConfig, `{"preset":"ollama","model":"m"}`} {
			answer, received, err := listen(t, strings.NewReader(string(stream)), config)
			if (answer == nil) == (err == nil) {
				t.Fatalf("answer %v, error %v", answer, err)
			}
			if err != nil {
				var e *providers.Error
				if !errors.As(err, &e) || e.Class == "" {
					t.Fatalf("not classified: %v", err)
				}
				continue
			}
			raw := answer.Raw
			if received != raw.Text || !utf8.ValidString(raw.Text) || strings.ContainsRune(raw.Text, 0) {
				t.Fatalf("received %q, got %q", received, raw.Text)
			}
			if raw.StopReason == "length" && len(raw.Calls) > 0 {
				t.Fatal("calls of a cut answer")
			}
			// What came can be sent back.
			body := encoded(t, made(t, config), &providers.Request{Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi"), said(raw), text("more")}}})
			if !json.Valid([]byte(body)) {
				t.Fatalf("the next request is not JSON: %s", body)
			}
		}
	})
}

// FuzzChunk holds the hand-written reader against the standard library's.
func FuzzChunk(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"delta":{"content":"a\u00e9\ud83d\ude00\n"},"finish_reason":null}],"usage":null}`,
		`{"model":"m","x":[{"a":"]}"},1e5,true],"choices":[{"index":0,"delta":{"reasoning":"r","content":""}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":2,"id":"i","function":{"name":"n","arguments":"{}"}}]}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c chunk
		ours := c.decode(data)
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil || object == nil {
			return // what is not JSON may be refused or not, but must not crash
		}
		if ours != nil {
			t.Fatalf("refused: %q", data)
		}
		var choices []map[string]json.RawMessage
		if strings.Count(string(data), `"`) > 200 || json.Unmarshal(object["choices"], &choices) != nil || len(choices) == 0 || choices[0] == nil {
			return
		}
		var delta map[string]json.RawMessage
		if choices[0]["message"] != nil || json.Unmarshal(choices[0]["delta"], &delta) != nil {
			return
		}
		var content string
		if len(delta["content"]) == 0 || delta["content"][0] != '"' || json.Unmarshal(delta["content"], &content) != nil {
			return
		}
		if strings.Count(string(data), "content") > 1 || strings.Count(string(data), "choices") > 1 || strings.Count(string(data), "delta") > 1 {
			return // a member twice: which one counts is not defined
		}
		if want := strings.ReplaceAll(content, "\x00", "\uFFFD"); string(c.text) != want {
			t.Fatalf("got %q, want %q of %q", c.text, want, data)
		}
	})
}

func BenchmarkStream(b *testing.B) {
	head := `data: {"id":"chatcmpl-9f8a7b6c5d4e3f2a1b0c","object":"chat.completion.chunk","created":1795000000,"model":"model-name-1","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":`
	var s strings.Builder
	for range 1000 {
		s.WriteString(head + `{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n")
	}
	s.WriteString(head + `{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	stream := s.String()
	p := made(b, plainConfig)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if err := listenQuietly(p, stream); err != nil {
			b.Fatal(err)
		}
	}
}

// listenQuietly decodes a stream like listen, without an HTTP request and with a callback that discards its input.
func listenQuietly(p *provider, stream string) error {
	a := answers.Get().(*answer)
	defer a.release()
	a.start(p.abilities, func(providers.Delta) {})
	watch := providers.NewWatch(context.Background(), providers.Timeouts{}, true)
	defer watch.Stop()
	a.events.reset(strings.NewReader(stream))
	if err := p.read(a, watch); err != nil {
		return err
	}
	_, err := a.raw(p.kind, p.encoder.origin, domain.ProtocolNative, ids.New)
	return err
}

// BenchmarkQuery is a whole call without a network: what sending through the SDK costs.
func BenchmarkQuery(b *testing.B) {
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		_, _ = io.Copy(io.Discard, r.Body)
		whole := strings.NewReader(`{"model":"m","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`)
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(whole), Request: r}, nil
	})}
	p, err := compatible().provider(json.RawMessage(plainConfig), "sk-x", client)
	if err != nil {
		b.Fatal(err)
	}
	prompt := &ai.Prompt{System: strings.Repeat("A rule. ", 4000), Turns: []*ai.Turn{text("hi")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Query(context.Background(), &providers.Request{Prompt: prompt, NewID: ids.New}); err != nil {
			b.Fatal(err)
		}
	}
}
