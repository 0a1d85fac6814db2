package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/providers"
	"github.com/fermata-dev/fermata/providers/openai"
	"github.com/fermata-dev/fermata/providers/suite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	suite.Run(t, suite.Wire{New: newProvider, Write: write})
}

// One connection serves call after call: after an answer, the rest of its response is
// read.
func TestConnectionsAreKept(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		write(w, r, body, suite.Reply{Text: []string{"a", "b"}, StopReason: "stop"})
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := providers.NewClient(providers.OutboundPolicy{AllowPrivate: true})
	defer client.CloseIdleConnections()
	p := newProvider(t, server.URL, "sk-x", client)
	for i := range 10 {
		request := &providers.Request{Prompt: suite.Prompt(), NewID: ids.Counting()}
		if i%2 == 0 {
			request.OnDelta = func(providers.Delta) {}
		}
		if _, err := p.Query(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("ten calls took %d connections", n)
	}
}

func newProvider(t *testing.T, url, key string, client *http.Client) providers.Provider {
	t.Helper()
	p, err := openai.Kind().New(json.RawMessage(fmt.Sprintf(`{"base_url":%q,"model":"m"}`, url+"/v1")), key, client)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// write is a fake of the chat-completions wire.
func write(w http.ResponseWriter, r *http.Request, body []byte, reply suite.Reply) {
	var request struct {
		Stream bool `json:"stream"`
	}
	if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") == "" || json.Unmarshal(body, &request) != nil {
		http.Error(w, `{"error":"not a request of this wire"}`, http.StatusBadRequest)
		return
	}
	finish := map[string]string{"stop": "stop", "calls": "tool_calls", "length": "length", "refused": "content_filter"}[reply.StopReason]
	usage := fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}`,
		reply.Usage.InputTokens+reply.Usage.CacheReadTokens, reply.Usage.OutputTokens, reply.Usage.CacheReadTokens, reply.Usage.ReasoningTokens)
	if request.Stream {
		stream(w, r, reply, finish, usage)
		return
	}
	whole(w, r, reply, finish, usage)
}

func stream(w http.ResponseWriter, r *http.Request, reply suite.Reply, finish, usage string) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, finish string) {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"c\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
		w.(http.Flusher).Flush()
	}
	send(`{"role":"assistant","content":""}`, "null")
	for _, piece := range reply.Thinking {
		send(`{"reasoning_content":`+suite.Quote(piece)+`}`, "null")
	}
	for _, piece := range reply.Text {
		send(`{"content":`+suite.Quote(piece)+`}`, "null")
	}
	for i, call := range reply.Calls {
		send(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]}`, i, call.ID, call.Name), "null")
		half := len(call.Arguments) / 2
		for _, piece := range []string{call.Arguments[:half], call.Arguments[half:]} {
			send(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, suite.Quote(piece)), "null")
		}
	}
	switch reply.Ending {
	case suite.Cut:
		return
	case suite.Reset:
		suite.Break(w)
		return
	case suite.Hang:
		<-r.Context().Done()
		return
	case suite.Failed:
		_, _ = io.WriteString(w, "data: {\"error\":{\"message\":\"busy\",\"type\":\"overloaded_error\"}}\n\n")
		return
	}
	send("{}", fmt.Sprintf("%q", finish))
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":%s}\n\ndata: [DONE]\n\n", usage)
	w.(http.Flusher).Flush() // the end of the response comes in a packet of its own
}

func whole(w http.ResponseWriter, r *http.Request, reply suite.Reply, finish, usage string) {
	w.Header().Set("Content-Type", "application/json")
	var calls []string
	for _, call := range reply.Calls {
		calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, call.ID, call.Name, suite.Quote(call.Arguments)))
	}
	message := `{"role":"assistant","content":` + suite.Quote(strings.Join(reply.Text, ""))
	if len(reply.Thinking) > 0 {
		message += `,"reasoning_content":` + suite.Quote(strings.Join(reply.Thinking, ""))
	}
	if len(calls) > 0 {
		message += `,"tool_calls":[` + strings.Join(calls, ",") + `]`
	}
	text := fmt.Sprintf(`{"id":"c","model":"m-1","choices":[{"index":0,"message":%s},"finish_reason":%q}],"usage":%s}`, message, finish, usage)
	switch reply.Ending {
	case suite.Reset:
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		_, _ = io.WriteString(w, text[:len(text)/2])
		w.(http.Flusher).Flush()
		suite.Break(w)
	case suite.Hang:
		<-r.Context().Done()
	case suite.Failed:
		_, _ = io.WriteString(w, `{"error":{"message":"busy","type":"overloaded_error"}}`)
	default:
		_, _ = io.WriteString(w, text)
	}
}
