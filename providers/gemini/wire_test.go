package gemini

import (
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
)

const plainConfig = `{"model":"gemini-3-flash"}`

// listen makes a call with this response, and returns the deltas.
func listen(t testing.TB, body io.Reader, streamed bool) (*providers.Answer, map[providers.DeltaKind]string, error) {
	t.Helper()
	p := made(t, plainConfig, "AIza-secret-key-1", func(r *http.Request) (*http.Response, error) {
		return answerWith(r, http.StatusOK, body), nil
	})
	received := map[providers.DeltaKind]string{}
	request := &providers.Request{Prompt: &ai.Prompt{Protocol: domain.ProtocolNative, Turns: []*ai.Turn{text("hi")}}, NewID: repeatable.IDs()}
	if streamed {
		request.OnDelta = func(d providers.Delta) { received[d.Kind] += d.Text }
	}
	answer, err := p.Query(t.Context(), request)
	return answer, received, err
}

// chunks makes events of contents' parts.
func chunks(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "data: {\"candidates\":[{\"content\":{\"parts\":[%s],\"role\":\"model\"},\"index\":0}]}\n\n", p)
	}
	return b.String()
}

func stop(reason string) string {
	return fmt.Sprintf("data: {\"candidates\":[{\"finishReason\":%q,\"finishMessage\":\"why\"}]}\n\n", reason)
}

// The many forms of a stream, whole and byte by byte.
func TestStreams(t *testing.T) {
	hello := chunks(`{"text":"hel"}`, `{"text":"lo"}`)
	end := stop("STOP")
	table := map[string]struct{ stream, text, failure string }{
		"as it should be":               {hello + end, "hello", ""},
		"windows line ends":             {strings.ReplaceAll(hello+end, "\n", "\r\n"), "hello", ""},
		"comments and other fields":     {": ping\n\nretry: 5\nid: 1\nevent: message\n" + hello + ": ping\n\n" + end, "hello", ""},
		"no empty line at the end":      {strings.TrimSpace(hello + end), "hello", ""},
		"an event over many lines":      {hello + "data: {\"candidates\":\ndata: [{\"finishReason\":\ndata: \"STOP\"}]}\n\n", "hello", ""},
		"a byte order mark":             {"\xef\xbb\xbf" + hello + end, "hello", ""},
		"events that are no object":     {hello + "data: null\n\nevent: ping\ndata: ping\n\ndata: 7\n\n" + end, "hello", ""},
		"a number that is none":         {strings.Replace(hello, `"index":0`, `"index":0,"avgLogprobs":NaN`, 1) + end, "hello", ""},
		"small letters":                 {hello + stop("stop"), "hello", ""},
		"another library's word":        {hello + stop("FinishReason.STOP"), "hello", ""},
		"a picture that is not shown":   {hello + stop("IMAGE_SAFETY"), "", "IMAGE_SAFETY"},
		"other":                         {hello + stop("OTHER"), "hello", ""},
		"usage after the end":           {hello + end + "data: {\"usageMetadata\":{\"promptTokenCount\":3}}\n\n", "hello", ""},
		"no reason to stop":             {hello, "", "broke off"},
		"a reason that is none":         {hello + stop("FINISH_REASON_UNSPECIFIED"), "", "broke off"},
		"to be continued":               {hello + stop("CONTINUATION"), "", "broke off"},
		"cut in an event":               {hello + end[:len(end)-8], "", "not JSON"},
		"an error inside":               {hello + `data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}` + "\n\n", "", "overloaded"},
		"an error as it is":             {hello + `{"error":{"code":500,"message":"bare","status":"INTERNAL"}}` + "\n", "", "bare"},
		"an error that is null":         {strings.ReplaceAll(hello, `"index":0}]`, `"index":0}],"error":null`) + end, "hello", ""},
		"safety":                        {hello + stop("SAFETY"), "", "stopped the answer (SAFETY): why"},
		"recitation":                    {hello + stop("RECITATION"), "", "RECITATION"},
		"a reason of tomorrow":          {hello + stop("BAD_WEATHER"), "hello", ""},
		"a reason of tomorrow, no word": {stop("BAD_WEATHER"), "", "BAD_WEATHER"},
		"the prompt is blocked":         {`data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"no"}}` + "\n\n", "", "blocked the request (PROHIBITED_CONTENT): no"},
		"a list instead of events":      {`[{"candidates":[{"content":{"parts":[{"text":"hel"}]}}]},` + "\n" + `{"candidates":[{"content":{"parts":[{"text":"lo"}]},"finishReason":"STOP"}]}]`, "hello", ""},
		"a list, cut":                   {`[{"candidates":[{"content":{"parts":[{"text":"hel"}]}}]},`, "", "broke off"},
		"a list with an error":          {`[{"error":{"code":429,"message":"listed","status":"RESOURCE_EXHAUSTED"}}]`, "", "listed"},
		"one object instead of events":  {" \n" + strings.ReplaceAll(finished, "ok", "hello"), "hello", ""},
		"one object, cut":               {finished[:40], "", "not JSON"},
		"some other JSON":               {`{"hello":"world"}`, "", "no Gemini API"},
		"no JSON at all":                {"data: who goes there\n\n", "", "not JSON"},
		"a page":                        {"<html><h1>Welcome</h1></html>", "", "Welcome"},
		"a second candidate":            {`data: {"candidates":[{"content":{"parts":[{"text":"hello"}]}},{"content":{"parts":[{"text":"other"}]}}]}` + "\n\n" + end, "hello", ""},
		"candidates of another type":    {`data: {"candidates":{"a":1}}` + "\n\n" + end, "", "not what the Gemini API sends"},
		"a candidate of another type":   {`data: {"candidates":["a"]}` + "\n\n" + end, "", "not what the Gemini API sends"},
		"no candidate":                  {`data: {"candidates":[null]}` + "\n\n" + end, "", "not what the Gemini API sends"},
		"parts of another type":         {`data: {"candidates":[{"content":{"parts":"functionCall"}}]}` + "\n\n" + end, "", "not what the Gemini API sends"},
		"a call of another type":        {chunks(`{"functionCall":"x"}`) + end, "", "not what the Gemini API sends"},
		"text of another type":          {chunks(`{"text":5}`) + end, "", "not what the Gemini API sends"},
		"nulls":                         {`data: {"candidates":[{"content":null}]}` + "\n\n" + chunks(`null`, `{"text":null}`, `{}`) + hello + end, "hello", ""},
		"a signature that is no base64": {chunks(`{"text":"a","thoughtSignature":"!"}`) + end, "", "cannot be read"},
		"escapes":                       {chunks(`{"text":"\u0068\u00e9\n\ud83d\ude00\u0000\ud83d"}`) + end, "hé\n😀\uFFFD\uFFFD", ""},
		"parts of no interest":          {chunks(`{"inlineData":{"mimeType":"image/png","data":"AAAA"}}`, `{"executableCode":{"code":"x"}}`) + hello + end, "hello", ""},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			for how, body := range map[string]io.Reader{
				"at once": strings.NewReader(row.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(row.stream)),
			} {
				answer, received, err := listen(t, body, true)
				switch {
				case row.failure != "":
					var e *providers.Error
					if !errors.As(err, &e) || !strings.Contains(e.Message, row.failure) {
						t.Errorf("%s: got %+v, %v; want %q", how, answer, err, row.failure)
					}
				case err != nil:
					t.Errorf("%s: %v", how, err)
				case answer.Raw.Text != row.text || received[providers.DeltaText] != row.text:
					t.Errorf("%s: got %q, received %q, want %q", how, answer.Raw.Text, received[providers.DeltaText], row.text)
				}
			}
		})
	}
}

// A stream that breaks after its reason to stop is complete; before it, it is not.
func TestBreaks(t *testing.T) {
	broken := func(s string) io.Reader {
		return io.MultiReader(strings.NewReader(s), iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	call := chunks(`{"functionCall":{"name":"ZONES","args":{}}}`)
	if answer, _, err := listen(t, broken(call+stop("STOP")), true); err != nil || len(answer.Raw.Calls) != 1 {
		t.Errorf("got %+v, %v", answer, err)
	}
	var e *providers.Error
	if answer, _, err := listen(t, broken(call), true); answer != nil || !errors.As(err, &e) || e.Class != providers.ClassNetwork {
		t.Errorf("a call of a broken stream: %+v, %v", answer, err)
	}
	whole := strings.ReplaceAll(finished, `{"text":"ok"}`, `{"functionCall":{"name":"ZONES","args":{}}}`)
	for i := range whole {
		answer, _, err := listen(t, strings.NewReader(whole[:i]), false)
		if answer != nil || !errors.As(err, &e) || e.Class != providers.ClassNetwork {
			t.Fatalf("%q: %+v, %v", whole[:i], answer, err)
		}
	}
}

// Calls keep their arguments to the letter, get ids of the server's own, and none of an
// answer that did not end well is believed.
func TestCalls(t *testing.T) {
	for name, streamed := range map[string]bool{"streamed": true, "whole": false} {
		t.Run(name, func(t *testing.T) {
			ask := func(finish string, parts ...string) *domain.RawAnswer {
				t.Helper()
				body := fmt.Sprintf(`{"candidates":[{"content":{"parts":[%s]},"finishReason":%q,"finishMessage":"Malformed: print(x"}]}`, strings.Join(parts, ","), finish)
				if streamed {
					body = "data: " + body + "\n\n"
				}
				answer, _, err := listen(t, strings.NewReader(body), streamed)
				if err != nil {
					t.Fatal(err)
				}
				return answer.Raw
			}
			raw := ask("STOP", `{"text":"I look.","thoughtSignature":"dGV4dA=="}`,
				`{"functionCall":{"name":"A","args":{"z":1, "a" : 9007199254740993,"e":1.0E+2,"s":"\u0000\u00e9<"}},"thoughtSignature":"Y2FsbA=="}`,
				`{"functionCall":{"name":"A"}}`, `{"functionCall":{"id":"x","name":"B","args":null}}`, `{"functionCall":{"id":"x","name":"C","args":{"`+rawArgs+`":"own"}}}`)
			want := []domain.RawCall{
				{ID: "call_1", Name: "A", Arguments: `{"z":1, "a" : 9007199254740993,"e":1.0E+2,"s":"\u0000\u00e9<"}`, Signature: "Y2FsbA=="},
				{ID: "call_2", Name: "A", Arguments: `{}`}, {ID: "call_3", ProviderID: "x", Name: "B", Arguments: `{}`},
				{ID: "call_4", Name: "C", Arguments: `{"` + rawArgs + `":"own"}`},
			}
			if len(raw.Calls) != len(want) || raw.StopReason != "calls" {
				t.Fatalf("got %+v", raw)
			}
			for i := range want {
				want[i].ID = raw.Calls[i].ID
				if raw.Calls[i] != want[i] || raw.Calls[i].ID == "" || i > 0 && raw.Calls[i].ID == raw.Calls[i-1].ID {
					t.Errorf("call %d is %+v, want %+v", i, raw.Calls[i], want[i])
				}
			}
			// Sent back, everything keeps its position.
			sent := string(newEncoder("gemini-3").turn(said(raw)))
			for _, part := range []string{`{"text":"I look.","thoughtSignature":"dGV4dA=="},{"functionCall":{"name":"A","args":{"z":1, "a" : 9007199254740993`, `"thoughtSignature":"Y2FsbA=="},{"functionCall":{"name":"A","args":{}}}`} {
				if !strings.Contains(sent, part) {
					t.Errorf("%s is not in %s", part, sent)
				}
			}
			if raw := ask("MAX_TOKENS", `{"text":"I"}`, `{"functionCall":{"name":"A","args":{}}}`); raw.StopReason != "length" || len(raw.Calls) != 0 || raw.Text != "I" {
				t.Errorf("cut: %+v", raw)
			}
			for _, finish := range []string{"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"} {
				raw := ask(finish, `{"functionCall":{"name":"A","args":{}}}`)
				if len(raw.Calls) != 1 || json.Valid([]byte(raw.Calls[0].Arguments)) || !strings.Contains(raw.Calls[0].Arguments, finish+": Malformed: print(x") {
					t.Errorf("%s: %+v", finish, raw)
				}
			}
		})
	}
}

func TestTooManyCalls(t *testing.T) {
	many := strings.Repeat(`{"functionCall":{"name":"A","args":{}}},`, 499) + `{"functionCall":{"name":"A"}}`
	var e *providers.Error
	if _, _, err := listen(t, strings.NewReader(chunks(many)+stop("STOP")), true); !errors.As(err, &e) || e.Class != providers.ClassInvalidRequest || !strings.Contains(e.Message, "too large") {
		t.Errorf("got %v", err)
	}
}

// Thoughts are shown apart, and what carries a signature can be put together again.
func TestThoughtsAndSignatures(t *testing.T) {
	stream := chunks(`{"text":"hm","thought":true}`, `{"text":"m","thought":true}`, `{"text":"Yes"}`, `{"text":"."}`, `{"text":"","thoughtSignature":"ZW5k"}`) + stop("STOP")
	answer, received, err := listen(t, strings.NewReader(stream), true)
	if err != nil || answer.Raw.Text != "Yes." || len(answer.Raw.Thinking) != 1 || answer.Raw.Thinking[0].Text != "hmm" || received[providers.DeltaThinking] != "hmm" {
		t.Fatalf("got %+v, received %v, %v", answer, received, err)
	}
	want := `,{"role":"model","parts":[{"text":"Yes."},{"text":"","thoughtSignature":"ZW5k"}]}`
	if got := string(newEncoder("gemini-3").turn(said(answer.Raw))); got != want {
		t.Errorf("sent back as %s", got)
	}
	// A layout that does not fit (a text that was changed since) is not trusted.
	changed := *answer.Raw
	changed.Text = "No."
	if got := string(newEncoder("gemini-3").turn(said(&changed))); got != `,{"role":"model","parts":[{"text":"No."}]}` {
		t.Errorf("sent back as %s", got)
	}
}

func TestUsage(t *testing.T) {
	for text, want := range map[string]domain.Usage{
		`{"promptTokenCount":100,"cachedContentTokenCount":30,"candidatesTokenCount":20,"thoughtsTokenCount":7,"totalTokenCount":127}`: {InputTokens: 70, CacheReadTokens: 30, OutputTokens: 27, ReasoningTokens: 7},
		`{"promptTokenCount":10,"toolUsePromptTokenCount":5}`:                                                                          {InputTokens: 15},
		`{"promptTokenCount":5,"cachedContentTokenCount":50}`:                                                                          {CacheReadTokens: 5},
		`{"promptTokenCount":-5,"candidatesTokenCount":-1}`:                                                                            {},
		`null`: {},
	} {
		stream := chunks(`{"text":"x"}`) + `data: {"usageMetadata":{"promptTokenCount":1}}` + "\n\n" + stop("STOP") + `data: {"usageMetadata":` + text + "}\n\n"
		if text == `null` {
			stream = chunks(`{"text":"x"}`) + stop("STOP")
		}
		answer, _, err := listen(t, strings.NewReader(stream), true)
		if err != nil || answer.Usage != want {
			t.Errorf("%s: %+v, %v", text, answer, err)
		}
	}
}

// What Google's errors mean: some state it in a number, some only in their details.
func TestFailures(t *testing.T) {
	table := map[string]struct {
		status int
		body   string
		class  providers.Class
		says   string
		after  time.Duration
	}{
		"a wrong key, as a 400": {400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`,
			providers.ClassAuthentication, "the key was refused: API key not valid", 0},
		"an old key, in words only": {400, `{"error":{"code":400,"message":"API key expired. Please renew the API key.","status":"INVALID_ARGUMENT"}}`, providers.ClassAuthentication, "the key was refused", 0},
		"no permission":             {403, `{"error":{"code":403,"message":"Method doesn't allow unregistered callers","status":"PERMISSION_DENIED"}}`, providers.ClassAuthentication, "unregistered", 0},
		"no key":                    {401, `{"error":{"code":401,"message":"Request had invalid authentication credentials AIza-secret-key-1.","status":"UNAUTHENTICATED"}}`, providers.ClassAuthentication, "credentials [key]", 0},
		"a quota, with its delay": {429, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"m"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.07s"}]}}`,
			providers.ClassRateLimited, "quota", 34070 * time.Millisecond},
		"a delay of days":       {429, `{"error":{"code":429,"message":"x","details":[5,{"retryDelay":"99999s"}]}}`, providers.ClassRateLimited, "x", 10 * time.Minute},
		"a delay of nonsense":   {429, `{"error":{"code":429,"message":"x","details":[{"retryDelay":"soon"},{"retryDelay":"-4s"}]}}`, providers.ClassRateLimited, "x", 0},
		"overloaded":            {503, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, providers.ClassOverloaded, "overloaded", 0},
		"too long":              {400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, providers.ClassContextTooLong, "1200000", 0},
		"an unknown model":      {404, `{"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}}`, providers.ClassInvalidRequest, "unknown model", 0},
		"a place":               {400, `{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}`, providers.ClassInvalidRequest, "location", 0},
		"too late":              {504, `{"error":{"code":504,"message":"Deadline expired","status":"DEADLINE_EXCEEDED"}}`, providers.ClassNetwork, "Deadline", 0},
		"inside":                {500, `{"error":{"code":500,"message":"An internal error has occurred","status":"INTERNAL"}}`, providers.ClassNetwork, "internal", 0},
		"in a list":             {429, `[{"error":{"code":429,"message":"listed","details":[{"retryDelay":"3s"}]}}]`, providers.ClassRateLimited, "listed", 3 * time.Second},
		"a proxy":               {502, `<html><h1>Bad gateway</h1></html>`, providers.ClassNetwork, "Bad gateway", 0},
		"a redirect to nowhere": {302, ``, providers.ClassInvalidRequest, "no reason given", 0},
		"no content":            {204, ``, providers.ClassNetwork, "no reason given", 0},
	}
	for name, row := range table {
		for how, streamed := range map[string]bool{"streamed": true, "whole": false} {
			t.Run(name+" "+how, func(t *testing.T) {
				p := made(t, plainConfig, "AIza-secret-key-1", func(r *http.Request) (*http.Response, error) {
					return answerWith(r, row.status, strings.NewReader(row.body)), nil
				})
				request := &providers.Request{Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi")}}, NewID: repeatable.IDs()}
				if streamed {
					request.OnDelta = func(providers.Delta) {}
				}
				answer, err := p.Query(t.Context(), request)
				var e *providers.Error
				if answer != nil || !errors.As(err, &e) || e.Class != row.class || !strings.Contains(e.Message, row.says) || e.RetryAfter != row.after {
					t.Errorf("got %+v, %#v", answer, err)
				}
				if strings.Contains(err.Error(), "secret-key") {
					t.Errorf("the key is in %v", err)
				}
			})
		}
	}
}

// FuzzStream: whatever comes, there is an answer or a classified error, what was
// streamed is the text, the text can be stored, and what came can be sent back.
func FuzzStream(f *testing.F) {
	f.Add([]byte(chunks(`{"text":"a\ud83d"}`, `{"functionCall":{"name":"x","args":{"a":1}},"thoughtSignature":"YQ=="}`)+stop("STOP")), true)
	f.Add([]byte(finished), false)
	f.Add([]byte(`[{"candidates":[{"content":{"parts":[{"text":"t","thought":true}]},"finishReason":"MAX_TOKENS"}]}]`), true)
	f.Add([]byte("data: {\"error\":{}}\n\n"), true)
	f.Add([]byte(`{"candidates":[{"groundingMetadata":[],"citationMetadata":5,"finishReason":"STOP"}]}`), false)
	f.Fuzz(func(t *testing.T, stream []byte, streamed bool) {
		answer, received, err := listen(t, strings.NewReader(string(stream)), streamed)
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
		if streamed && received[providers.DeltaText] != raw.Text || !utf8.ValidString(raw.Text) || strings.ContainsRune(raw.Text, 0) {
			t.Fatalf("received %q, got %q", received, raw.Text)
		}
		if raw.StopReason == "length" && len(raw.Calls) > 0 {
			t.Fatal("calls of a cut answer")
		}
		prompt := &ai.Prompt{Turns: []*ai.Turn{text("hi"), said(raw), text("more")}}
		_, body := asked(t, plainConfig, &providers.Request{Prompt: prompt})
		if !json.Valid([]byte(body)) {
			t.Fatalf("the next request is not JSON: %s", body)
		}
	})
}
