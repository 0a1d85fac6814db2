package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/anthropic/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

type transport = suite.Transport

func answering(status int, header http.Header, body io.Reader) *http.Client {
	return &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body), Request: r}, nil
	})}
}

func made(t testing.TB, config string, client *http.Client) *provider {
	t.Helper()
	p, err := newProvider(json.RawMessage(config), "sk-x", client)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const plainConfig = `{"base_url":"http://h","model":"m"}`

// listen returns the provider's answer for a response body, and the text that was streamed.
func listen(t testing.TB, body io.Reader) (*providers.Answer, string, error) {
	t.Helper()
	p := made(t, plainConfig, answering(200, http.Header{"Request-Id": {"req_1"}}, body))
	received := ""
	answer, err := p.Query(context.Background(), &providers.Request{
		Prompt: &ai.Prompt{Turns: []*ai.Turn{text("hi")}, Protocol: domain.ProtocolNative}, NewID: repeatable.IDs(),
		OnDelta: func(d providers.Delta) {
			if d.Kind == providers.DeltaText {
				received += d.Text
			}
		},
	})
	return answer, received, err
}

var text, said, results = suite.UserTurn, suite.Answered, suite.Results

// encoded is a request's body, which must be one that the API takes.
func encoded(t testing.TB, p *provider, r *providers.Request) string {
	t.Helper()
	b := p.body(r)
	all, err := io.ReadAll(b.Reader())
	if err != nil || int64(len(all)) != b.Length {
		t.Fatalf("read %d of %d bytes: %v", len(all), b.Length, err)
	}
	if problem := fake.Problem(all); problem != "" {
		t.Fatalf("the API would refuse it, %s: %s", problem, all)
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
	lines := make([]string, len(request.Messages))
	for i, m := range request.Messages {
		lines[i] = string(m)
	}
	return strings.Join(lines, "\n")
}

// Pieces of streams.

func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		var named struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal([]byte(e), &named) // without a type: without a name
		b.WriteString("event: " + named.Type + "\ndata: " + e + "\n\n")
	}
	return b.String()
}

const begin = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"usage":{"input_tokens":3,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":1}}}`

// whole is one block: its start, its pieces, its end.
func whole(index int, start string, deltas ...string) string {
	return open(index, start, deltas...) + sse(fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
}

func open(index int, start string, deltas ...string) string {
	s := sse(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, start))
	for _, d := range deltas {
		s += sse(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, d))
	}
	return s
}

func say(index int, words string) string {
	return whole(index, `{"type":"text","text":""}`, fmt.Sprintf(`{"type":"text_delta","text":%q}`, words))
}

func call(index int, id, name, arguments string) string {
	return whole(index, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, id, name), fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, arguments))
}

func end(reason string) string {
	return sse(fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":9}}`, reason), `{"type":"message_stop"}`)
}
