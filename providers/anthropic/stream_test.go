package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/suite"
)

// shown is an answer on one line: text, then calls.
func shown(a *providers.Answer) string {
	s := a.Raw.Text
	for _, c := range a.Raw.Calls {
		s += fmt.Sprintf("|%s %s %s", c.Name, c.ProviderID, c.Arguments)
	}
	return s + " " + a.Raw.StopReason
}

func many(n int, piece func(int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(piece(i))
	}
	return b.String()
}

func TestAnswers(t *testing.T) {
	start := sse(begin)
	table := map[string]struct{ stream, want string }{
		"text":                           {start + say(0, "Hello") + say(1, " you") + end("end_turn"), "Hello you stop"},
		"an unknown reason":              {start + say(0, "a") + end("tired"), "a unknown"},
		"a pause":                        {start + say(0, "a") + end("pause_turn"), "a unknown"},
		"a stop sequence":                {start + say(0, "a") + end("stop_sequence"), "a stop"},
		"the window is full":             {start + say(0, "a") + end("model_context_window_exceeded"), "a length"},
		"a reason, no last event":        {strings.TrimSuffix(start+say(0, "a")+end("end_turn"), sse(`{"type":"message_stop"}`)), "a stop"},
		"the last event is cut":          {strings.TrimSuffix(start+say(0, "a")+end("end_turn"), "}\n\n"), "a stop"},
		"a byte order mark":              {"\xef\xbb\xbf" + strings.ReplaceAll(start, "event: message_start\n", "") + say(0, "a") + end("end_turn"), "a stop"},
		"events that are no object":      {start + "data: null\n\nevent: ping\ndata: ping\n\n" + say(0, "a") + end("end_turn"), "a stop"},
		"a number that is none":          {start + say(0, "a") + sse(`{"type":"ping","x":NaN,"y":[-Infinity,"NaN"]}`) + end("end_turn"), "a stop"},
		"two calls":                      {start + call(0, "a", "GET", `{"x": 1.0}`) + call(1, "b", "PUT", `{}`) + end("tool_use"), `|GET a {"x": 1.0}|PUT b {} calls`},
		"pieces of two calls, mixed":     {start + open(0, `{"type":"tool_use","id":"a","name":"GET"}`) + open(1, `{"type":"tool_use","id":"b","name":"PUT"}`, `{"type":"input_json_delta","partial_json":"{\"y\""}`) + sse(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":":2}"}}`) + end("tool_use"), `|GET a {}|PUT b {"y":2} calls`},
		"calls without ids":              {start + call(0, "", "GET", `{}`) + call(1, "", "GET", `{}`) + end("tool_use"), `|GET  {}|GET  {} calls`},
		"ids that repeat":                {start + call(0, "a", "GET", `{}`) + call(1, "a", "GET", `{}`) + end("tool_use"), `|GET a {}|GET  {} calls`},
		"arguments at once":              {start + whole(0, `{"type":"tool_use","id":"a","name":"GET","input":{"x":[1]}}`) + end("tool_use"), `|GET a {"x":[1]} calls`},
		"no arguments":                   {start + whole(0, `{"type":"tool_use","id":"a","name":"GET"}`) + end("tool_use"), `|GET a {} calls`},
		"arguments that end too early":   {start + call(0, "a", "GET", `{"x":`) + end("tool_use"), `|GET a {"x": calls`}, // sent to the model as a format error
		"cut at its length":              {start + say(0, "I") + call(1, "a", "PUT", `{}`) + open(2, `{"type":"tool_use","id":"b","name":"PUT"}`, `{"type":"input_json_delta","partial_json":"{\"x"}`) + end("max_tokens"), "I length"},
		"cut at the window":              {start + say(0, "I") + end("model_context_window_exceeded"), "I length"},
		"as many calls as may be":        {start + many(maxCalls, func(i int) string { return call(i, "", "G", "{}") }) + end("tool_use"), strings.Repeat("|G  {}", maxCalls) + " calls"},
		"what may be added one day":      {start + sse(`{"type":"news","x":1}`) + whole(0, `{"type":"server_tool_use","id":"s","name":"web","input":{}}`, `{"type":"input_json_delta","partial_json":"{"}`) + open(1, `{"type":"text","text":"a","citations":null}`, `{"type":"citations_delta","citation":{}}`) + end("end_turn"), "a stop"},
		"pings, comments, no event name": {"\n\n: hello\n\ndata: " + begin + "\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\n" + strings.ReplaceAll(say(0, "a")+end("end_turn"), "event: ", ": "), "a stop"},
		"an old line end":                {strings.ReplaceAll(start+say(0, "a")+end("end_turn"), "\n", "\r\n"), "a stop"},
		"more after the end":             {start + say(0, "a") + end("end_turn") + sse(`{"type":"error","error":{"message":"late"}}`), "a stop"},
		"NUL, half a pair":               {start + whole(0, `{"type":"text","text":"\u0000"}`, `{"type":"text_delta","text":"\ud83d!"}`) + end("end_turn"), "\uFFFD\uFFFD! stop"},
		"not streamed": {` {"type":"message","model":"claude-x","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"i","name":"GET","input":{"x":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":9}}`,
			`a|GET i {"x":1} calls`},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			// In pieces of one byte, too: no boundary matters.
			for _, r := range []io.Reader{strings.NewReader(row.stream), iotest.OneByteReader(strings.NewReader(row.stream))} {
				answer, received, err := listen(t, r)
				if err != nil {
					t.Fatal(err)
				}
				want := domain.Usage{InputTokens: 3, CacheWriteTokens: 20, CacheReadTokens: 100, OutputTokens: 9}
				if got := shown(answer); got != row.want || received != answer.Raw.Text || answer.Raw.Model != "claude-x" || answer.Usage != want {
					t.Errorf("got %s (received %q, of %s, %+v), want %s", got, received, answer.Raw.Model, answer.Usage, row.want)
				}
			}
		})
	}
}

// endless repeats a text for ever.
type endless struct {
	text string
	at   int
}

func (r *endless) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

func TestBrokenStreams(t *testing.T) {
	start := sse(begin)
	failed := func(kind string) string {
		return start + say(0, "a") + sse(fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":"that is why"}}`, kind))
	}
	const class, off = providers.ClassNetwork, "broke off"
	table := map[string]struct {
		stream io.Reader
		class  providers.Class
		says   string
	}{
		"nothing":                         {strings.NewReader(" \n"), class, off},
		"an end too early":                {strings.NewReader(start + say(0, "a")), class, off},
		"a call, and no end":              {strings.NewReader(start + call(0, "a", "PUT", "{}")), class, off},
		"a reason, and an open call":      {strings.NewReader(start + open(0, `{"type":"tool_use","name":"PUT"}`, `{"type":"input_json_delta","partial_json":"{}"}`) + sse(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}`)), class, off},
		"an end without a reason":         {strings.NewReader(start + call(0, "a", "PUT", "{}") + sse(`{"type":"message_stop"}`)), class, off},
		"a call that was never closed":    {strings.NewReader(start + open(0, `{"type":"tool_use","name":"PUT"}`, `{"type":"input_json_delta","partial_json":"{\"x"}`) + end("tool_use")), class, off},
		"a block that never began":        {strings.NewReader(start + sse(`{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"a"}}`)), class, "never began"},
		"a block that is none":            {strings.NewReader(start + open(0, `7`)), class, "cannot be read"},
		"no JSON":                         {strings.NewReader(start + "event: x\ndata: {\"type\":\n\n"), class, "cannot be read"},
		"a broken connection":             {io.MultiReader(strings.NewReader(start+say(0, "a")), iotest.ErrReader(io.ErrUnexpectedEOF)), class, off},
		"refused":                         {strings.NewReader(start + say(0, "a") + end("refusal")), providers.ClassRefused, "policy"},
		"overloaded":                      {strings.NewReader(failed("overloaded_error")), providers.ClassOverloaded, "that is why"},
		"rate limited":                    {strings.NewReader(failed("rate_limit_error")), providers.ClassRateLimited, "that is why"},
		"their failure":                   {strings.NewReader(failed("api_error")), class, "that is why"},
		"a key that ends":                 {strings.NewReader(failed("authentication_error")), providers.ClassAuthentication, "that is why"},
		"an error without an event name":  {strings.NewReader(strings.ReplaceAll(failed("overloaded_error"), "event: error\n", "")), providers.ClassOverloaded, "that is why"},
		"an error that shows the key":     {strings.NewReader(start + sse(`{"type":"error","error":{"type":"api_error","message":"key sk-x of sk-ant-0123456789"}}`)), class, "key [key] of [key]"},
		"an error, not streamed":          {strings.NewReader(`{"type":"error","error":{"type":"overloaded_error","message":"that is why"}}`), providers.ClassOverloaded, "that is why"},
		"half of an answer, not streamed": {strings.NewReader(`{"type":"message","content":[{"type":"tool_use","name":"PUT","in`), class, off},
		"no reason, not streamed":         {strings.NewReader(`{"type":"message","content":[{"type":"text","text":"a"}]}`), class, off},
		"another API":                     {strings.NewReader(`{"choices":[]}`), providers.ClassInvalidRequest, "Messages API"},
		"a list":                          {strings.NewReader(`[1]`), providers.ClassInvalidRequest, "base URL"},
		"a page":                          {strings.NewReader(`<html><h1>Welcome</h1></html>`), providers.ClassInvalidRequest, "Welcome"},
		"five hundred calls":              {strings.NewReader(start + many(500, func(i int) string { return call(i, "", "G", "{}") }) + end("tool_use")), providers.ClassInvalidRequest, "too large"},
		"blocks without end":              {io.MultiReader(strings.NewReader(start), &endless{text: say(0, "")}), providers.ClassInvalidRequest, "too large"},
		"pings without end":               {io.MultiReader(strings.NewReader(start), &endless{text: sse(`{"type":"ping","x":"` + strings.Repeat("x", 1<<16) + `"}`)}), providers.ClassInvalidRequest, "too large"},
		"a line without end":              {io.MultiReader(strings.NewReader("data: "), &endless{text: strings.Repeat("x", 1<<16)}), providers.ClassInvalidRequest, "too large"},
		"an event without end":            {&endless{text: "data: " + strings.Repeat("x", 1<<16) + "\n"}, providers.ClassInvalidRequest, "too large"},
		"a page without end":              {io.MultiReader(strings.NewReader("<html>Welcome"), &endless{text: strings.Repeat(" <br>", 1<<12) + "\n"}), providers.ClassInvalidRequest, "Welcome"},
		"an object without end":           {io.MultiReader(strings.NewReader(`{"a":"`), &endless{text: strings.Repeat("x", 1<<16)}), providers.ClassInvalidRequest, "too large"},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			answer, _, err := listen(t, row.stream)
			var e *providers.Error
			if answer != nil || !errors.As(err, &e) || e.Class != row.class || !strings.Contains(e.Message, row.says) || strings.Contains(e.Message, "sk-x") {
				t.Fatalf("got %+v, %v, want %s %q", answer, err, row.class, row.says)
			}
			if e.RequestID != "req_1" {
				t.Errorf("the request's id is %q", e.RequestID)
			}
		})
	}
}

// What the API answers beside a 200. An error that never ends is read in part.
func TestRefusals(t *testing.T) {
	body := func(kind, message string) io.Reader {
		return strings.NewReader(fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_2"}`, kind, message))
	}
	table := map[string]struct {
		status int
		body   io.Reader
		class  providers.Class
		says   string
	}{
		"too long":      {400, body("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), providers.ClassContextTooLong, "210000"},
		"too large":     {413, body("request_too_large", "Request exceeds the maximum size"), providers.ClassInvalidRequest, "maximum size"},
		"invalid":       {400, body("invalid_request_error", "messages.1: roles must alternate"), providers.ClassInvalidRequest, "alternate"},
		"wrong key":     {401, body("authentication_error", "invalid x-api-key"), providers.ClassAuthentication, "invalid x-api-key"},
		"not permitted": {403, body("permission_error", "not for your key sk-x"), providers.ClassAuthentication, "[key]"},
		"no such model": {404, body("not_found_error", "model: m"), providers.ClassInvalidRequest, "unknown model"},
		"overloaded":    {529, body("overloaded_error", "Overloaded"), providers.ClassOverloaded, "Overloaded"},
		"rate limited":  {429, body("rate_limit_error", "slow down"), providers.ClassRateLimited, "slow down"},
		"internal":      {500, body("api_error", "Internal server error"), providers.ClassNetwork, "Internal"},
		"without end":   {500, &endless{text: "failure "}, providers.ClassNetwork, "failure"},
		"a page":        {502, strings.NewReader("<html><title>x</title>Bad gateway</html>"), providers.ClassNetwork, "Bad gateway"},
		"nothing":       {503, strings.NewReader(""), providers.ClassOverloaded, "no reason"},
		"created":       {201, strings.NewReader("{}"), providers.ClassNetwork, ""},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			p := made(t, plainConfig, answering(row.status, http.Header{"Request-Id": {"req_2"}, "Retry-After": {"3"}}, row.body))
			_, err := p.Query(t.Context(), &providers.Request{Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi")}}, NewID: repeatable.IDs()})
			var e *providers.Error
			if !errors.As(err, &e) || e.Class != row.class || !strings.Contains(e.Message, row.says) || strings.Contains(err.Error(), "sk-x") {
				t.Fatalf("got %v, want %s %q", err, row.class, row.says)
			}
			if e.Status != row.status || e.RetryAfter != 3*time.Second || e.RequestID != "req_2" {
				t.Errorf("status %d, retry after %s, id %s", e.Status, e.RetryAfter, e.RequestID)
			}
		})
	}
}

// The limits of a call, in virtual time. Watched or not, they are the same: the wire is.
func TestTimeouts(t *testing.T) {
	hello := sse(begin) + say(0, "hello")
	table := map[string]suite.Slow{
		"steady but slow":           {Pieces: []string{hello, say(1, "!"), end("end_turn")}, Pause: 100 * time.Second},
		"no head":                   {Headers: time.Hour, Failure: "no data for 2m0s", After: 2 * time.Minute},
		"no byte after the head":    {Pieces: []string{hello}, Pause: time.Hour, Headers: time.Minute, Failure: "no data for 2m0s", After: 2 * time.Minute},
		"pings keep it alive":       {Pieces: []string{hello, sse(`{"type":"ping"}`), sse(`{"type":"ping"}`), end("end_turn")}, Pause: 119 * time.Second},
		"long pauses, then an end":  {Pieces: []string{hello, hello}, Pause: 119 * time.Second, Failure: "broke off", After: 3 * 119 * time.Second},
		"a drop now and then":       {Pieces: strings.Split(strings.Repeat(say(0, "a")+"|", 100), "|"), Pause: time.Minute, Failure: "no complete answer within 10m0s", After: 10 * time.Minute},
		"complete, never closed":    {Pieces: []string{hello + end("end_turn"), ""}, Pause: 90 * time.Second},
		"open after its reason":     {Pieces: []string{hello + strings.TrimSuffix(end("end_turn"), sse(`{"type":"message_stop"}`))}, Pause: time.Second, Open: true, Took: 300 * time.Millisecond},
		"nothing more, for an hour": {Pieces: []string{hello, ""}, Pause: time.Minute, Failure: "broke off", After: 3 * time.Minute},
	}
	for name, row := range table {
		for _, streamed := range []bool{true, false} {
			row.Streamed = streamed
			t.Run(fmt.Sprintf("%s/%t", name, streamed), func(t *testing.T) {
				row.Check(t, func(t *testing.T, client *http.Client) providers.Provider {
					t.Helper()
					return made(t, plainConfig, client)
				})
			})
		}
	}
}

func TestModelLists(t *testing.T) {
	pages := map[string]string{
		"":  `{"data":[{"id":"b","type":"model"},{"id":"a","type":"model"}],"has_more":true,"first_id":"b","last_id":"a"}`,
		"a": `{"data":[{"id":"c","type":"model"},{"id":"a","type":"model"}],"has_more":false,"first_id":"c","last_id":"a"}`,
	}
	list := func(key string, answer func(*http.Request) (int, string)) ([]string, error) {
		client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			status, body := answer(r)
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})}
		return Kind().Models(t.Context(), json.RawMessage(plainConfig), key, client)
	}
	names, err := list("sk-x", func(r *http.Request) (int, string) {
		if r.URL.Path != "/v1/models" || r.Header.Get("X-Api-Key") != "sk-x" {
			return 401, "{}"
		}
		return 200, pages[r.URL.Query().Get("after_id")]
	})
	if err != nil || strings.Join(names, " ") != "a b c" {
		t.Errorf("got %v, %v", names, err)
	}
	for body, class := range map[string]providers.Class{
		"<html>Welcome sk-y</html>":               providers.ClassInvalidRequest,
		strings.Repeat(" ", maxModelsPage) + "{}": providers.ClassInvalidRequest,
	} {
		var e *providers.Error
		if _, err := list("sk-y", func(*http.Request) (int, string) { return 200, body }); !errors.As(err, &e) || e.Class != class || strings.Contains(err.Error(), "sk-y") {
			t.Errorf("%.20s: %v", body, err)
		}
	}
	var e *providers.Error
	if _, err := list("sk-y", func(*http.Request) (int, string) { return 401, `{"error":{"message":"wrong key sk-y"}}` }); !errors.As(err, &e) ||
		e.Class != providers.ClassAuthentication || strings.Contains(err.Error(), "sk-y") {
		t.Errorf("got %v", err)
	}
	// A list that says for ever that there is more ends all the same.
	asked := 0
	names, err = list("sk-x", func(*http.Request) (int, string) {
		asked++
		return 200, fmt.Sprintf(`{"data":[%s{"id":"z"}],"has_more":true,"last_id":"z"}`, many(999, func(i int) string { return fmt.Sprintf(`{"id":"m%d"},`, asked*1000+i) }))
	})
	if err != nil || len(names) > maxModels || asked > 6 {
		t.Errorf("%d names after %d pages, %v", len(names), asked, err)
	}
}

// FuzzStream: whatever comes, there is an answer or an error, what was streamed is the
// text, the text can be stored, and the answer can be sent back.
func FuzzStream(f *testing.F) {
	f.Add([]byte(sse(begin) + say(0, "a") + call(1, "i", "GET", `{"a":"\ud83d"}`) + end("tool_use")))
	f.Add([]byte(sse(begin) + whole(0, `{"type":"thinking"}`, `{"type":"thinking_delta","thinking":"h\u0000\"m"}`, `{"type":"signature_delta","signature":"s"}`) + call(1, "i", "", "x") + end("tool_use")))
	f.Add([]byte(sse(begin) + whole(0, `{"type":"redacted_thinking","data":"d"}`) + say(1, "\xff") + end("max_tokens")))
	f.Add([]byte("event: error\ndata: {\"error\":{}}\n\n"))
	f.Add([]byte(`{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn"}`))
	f.Fuzz(func(t *testing.T, stream []byte) {
		answer, received, err := listen(t, bytes.NewReader(stream))
		if (answer == nil) == (err == nil) {
			t.Fatalf("answer %v, error %v", answer, err)
		}
		if err != nil {
			var e *providers.Error
			if !errors.As(err, &e) || e.Class == "" {
				t.Fatalf("not classified: %v", err)
			}
			return
		}
		raw := answer.Raw
		if received != raw.Text || !utf8.ValidString(raw.Text) || strings.ContainsRune(raw.Text, 0) {
			t.Fatalf("received %q, got %q", received, raw.Text)
		}
		if raw.StopReason == "length" && len(raw.Calls) > 0 {
			t.Fatal("calls of a cut answer")
		}
		p := made(t, plainConfig, nil)
		words := make([]string, len(raw.Calls)+1)
		for i := range words {
			words[i] = "more"
		}
		body := p.body(&providers.Request{Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi"), said(raw), results(raw, words...)}}})
		all, err := io.ReadAll(body.Reader())
		if err != nil || !json.Valid(all) || !utf8.Valid(all) {
			t.Fatalf("the next request is not JSON: %s", all)
		}
	})
}
