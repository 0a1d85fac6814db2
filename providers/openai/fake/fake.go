package fake

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers/suite"
)

// Compatible is a vendor of the kind openai_compatible that is configured by its URL
// alone.
func Compatible() suite.Fake {
	return suite.Fake{
		Name: "openai_compatible", Kind: "openai_compatible", Write: write,
		Config: func(url string, protocol domain.Protocol) map[string]any {
			return map[string]any{"base_url": url + "/v1", "model": "m", "protocol": string(protocol)}
		},
	}
}

// write sends a reply in the form that the request asks for.
func write(w http.ResponseWriter, r *http.Request, body []byte, reply suite.Reply) {
	var request struct {
		Stream bool `json:"stream"`
	}
	if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Content-Type") != "application/json" || json.Unmarshal(body, &request) != nil {
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
	case suite.Complete:
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
	case suite.Complete, suite.Cut:
		_, _ = io.WriteString(w, text)
	}
}
