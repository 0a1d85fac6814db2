package chat

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/rounds/suite"
	"github.com/fermata-dev/fermata/stream"
)

// promptText returns a prompt in short: the turns with their blocks.
func promptText(p *ai.Prompt) string {
	all := []string{}
	if p.System != "" {
		all = append(all, "system "+p.System)
	}
	for _, turn := range p.Turns {
		line := string(turn.Role) + ":"
		for _, b := range turn.Blocks {
			switch b.Kind {
			case ai.BlockAnswer:
				line += " answer " + b.Answer.Text
				for _, c := range b.Answer.Calls {
					line += " calls " + c.Name + c.Arguments
				}
			case ai.BlockResult:
				line += " result of " + b.CallID + " " + b.Text
			default:
				line += " " + b.Text
			}
		}
		all = append(all, line)
	}
	return strings.Join(all, "; ")
}

// A plain call has the client's messages unchanged, but for what no vendor accepts: the sides alternate, and
// every call has a result.
func TestPromptOfAPlainCall(t *testing.T) {
	const (
		user   = `{"role":"user","content":"Hello"}`
		answer = `{"role":"assistant","content":"Yes."}`
		call   = `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		result = `{"role":"tool","tool_call_id":"c1","content":"42"}`
	)
	for messages, want := range map[string]string{
		user: "user: Hello",
		`{"role":"system","content":"Be brief."},{"role":"developer","content":"Be polite."},` + user: "system Be brief.\n\nBe polite.; user: Hello",
		user + "," + answer + "," + user:                "user: Hello; assistant: answer Yes.; user: Hello",
		user + "," + user:                               "user: Hello Hello",
		answer + "," + user:                             "user: …; assistant: answer Yes.; user: Hello",
		user + "," + call + "," + result:                "user: Hello; assistant: answer  calls f{}; user: result of c1 42",
		user + "," + call + "," + user:                  "user: Hello; assistant: answer  calls f{}; user: result of c1 No result was given. Hello",
		user + "," + call:                               "user: Hello; assistant: answer  calls f{}; user: result of c1 No result was given.",
		user + `,{"role":"assistant"},` + user:          "user: Hello Hello",
		user + "," + answer:                             "rejected /messages",
		user + "," + result:                             "rejected /messages/1/tool_call_id",
		user + "," + call + "," + result + "," + result: "rejected /messages/3/tool_call_id",
		user + "," + strings.Replace(call, `"c1"`, `""`, 1) + "," + user: "rejected /messages/1/tool_calls/0",
		user + "," + strings.Replace(call, `{}`, `{`, 1) + "," + user:    "rejected /messages/1/tool_calls/0",
		user + `,{"role":"assistant","tool_calls":7}`:                    "rejected /messages/1/tool_calls",
		`{"role":"robot","content":"x"}`:                                 "rejected /messages/0/role",
		`{"role":"user","content":[{"type":"file"}]}`:                    "rejected /messages/0/content/0",
	} {
		ask, err := readRequest([]byte(`{"model":"fermata/raw","messages":[` + messages + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		p, err := plainPrompt(ask)
		got := "rejected " + pointerOf(err)
		if err == nil {
			got = promptText(p)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", messages, got, want)
		}
	}
}

// fixedCalls answers every plain call.
type fixedCalls struct {
	answer domain.RawAnswer
	err    error
	asked  PlainCall
}

func (f *fixedCalls) CallPlain(_ context.Context, _ string, call PlainCall) (*domain.RawAnswer, domain.Usage, error) {
	if f.asked = call; f.err != nil {
		return nil, domain.Usage{}, f.err
	}
	if call.OnDelta != nil {
		call.OnDelta(stream.KindThinking, "Hm.")
		call.OnDelta(stream.KindText, f.answer.Text)
	}
	return &f.answer, domain.Usage{InputTokens: 1, OutputTokens: 2}, nil
}

// plainAnswer returns the response to a plain call.
func plainAnswer(t *testing.T, calls *fixedCalls, more string) *httptest.ResponseRecorder {
	t.Helper()
	c := &Completions{Plain: calls, Config: openai.Config{Config: rounds.Config{
		Clock: func() time.Time { return time.Unix(7, 0) }, NewID: func(prefix string) string { return prefix + "_1" },
		API: rounds.API{Failure: func(err error) *api.Failure {
			return &api.Failure{Status: http.StatusBadGateway, Code: domain.ErrorCode(err), Message: "It failed."}
		}},
	}}}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
	body := `{"model":"fermata/raw","user":"ann","max_tokens":9,"messages":[{"role":"user","content":"Hello"}]` + more + `}`
	if err := c.Serve(w, r, suite.Caller, []byte(body)); err != nil {
		c.Refuse(w, c.Failure(err))
	}
	return w
}

// A plain call is answered with the text, the reasoning and the calls of the model.
func TestAPlainCall(t *testing.T) {
	called := domain.RawAnswer{Calls: []domain.RawCall{{ID: "c1", Name: "f", Arguments: "{}"}}}
	for name, c := range map[string]struct {
		answer domain.RawAnswer
		want   string
	}{
		"a text":       {domain.RawAnswer{Text: "Hi", Thinking: []domain.Thinking{{Text: "H"}, {Text: "m."}}}, `"content":"Hi","refusal":null,"reasoning_content":"Hm."},"logprobs":null,"finish_reason":"stop"`},
		"calls":        {called, `"content":null,"refusal":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},"logprobs":null,"finish_reason":"tool_calls"`},
		"too long":     {domain.RawAnswer{Text: "Hi", StopReason: domain.StopLength}, `"finish_reason":"length"`},
		"refused":      {domain.RawAnswer{Text: "Hi", StopReason: domain.StopRefused}, `"finish_reason":"content_filter"`},
		"in one piece": {domain.RawAnswer{Text: "Hi"}, `"id":"chatcmpl-raw_1","object":"chat.completion","created":7,"model":"fermata/raw"`},
	} {
		calls := &fixedCalls{answer: c.answer}
		if got := plainAnswer(t, calls, "").Body.String(); !strings.Contains(got, c.want) || !strings.Contains(got, `"total_tokens":3`) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if calls.asked.Payer != "ann" || calls.asked.MaxTokens != 9 || calls.asked.OnDelta != nil {
			t.Errorf("%s: the call is %+v", name, calls.asked)
		}
	}
}

// A plain call is streamed as it is generated, with its calls at the end.
func TestAStreamedPlainCall(t *testing.T) {
	calls := &fixedCalls{answer: domain.RawAnswer{Text: "Hi", Calls: []domain.RawCall{{ID: "c1", Name: "f", Arguments: "{}"}}}}
	got := plainAnswer(t, calls, `,"stream":true,"stream_options":{"include_usage":true}`).Body.String()
	at := 0
	for _, want := range []string{
		": accepted", `"delta":{"role":"assistant","content":""}`, `"delta":{"reasoning_content":"Hm."}`, `"delta":{"content":"Hi"}`,
		`"delta":{"tool_calls":[{"index":0,"id":"c1",`, `"delta":{},"logprobs":null,"finish_reason":"tool_calls"`, `"choices":[],"usage":{`, "data: [DONE]",
	} {
		next := strings.Index(got[at:], want)
		if next < 0 {
			t.Fatalf("%s is not behind byte %d of %s", want, at, got)
		}
		at += next
	}
}

// A plain call that failed is an error, within a stream too, that SDKs do not repeat.
func TestAPlainCallThatFailed(t *testing.T) {
	calls := &fixedCalls{err: fmt.Errorf("call: %w", domain.Errorf(domain.CodeProviderFailed, "It failed."))}
	whole := plainAnswer(t, calls, "")
	if whole.Code != http.StatusBadGateway || whole.Header().Get(openai.ShouldRetry) != "false" {
		t.Errorf("%d %v: %s", whole.Code, whole.Header(), whole.Body)
	}
	streamed := plainAnswer(t, calls, `,"stream":true`)
	if got := streamed.Body.String(); streamed.Code != http.StatusOK || !strings.Contains(got, `data: {"error":{"message":"It failed."`) {
		t.Errorf("%d: %s", streamed.Code, got)
	}
}
