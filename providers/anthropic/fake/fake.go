package fake

import (
	"fmt"
	"net/http"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers/suite"
)

// Claude is a vendor of the kind anthropic.
func Claude() suite.Fake {
	return suite.Fake{
		Name: "anthropic", Kind: "anthropic", Write: write,
		Config: func(url string, protocol domain.Protocol) map[string]any {
			return map[string]any{"base_url": url, "model": "m", "protocol": string(protocol)}
		},
	}
}

// write sends a reply as the stream that is always asked for.
func write(w http.ResponseWriter, r *http.Request, body []byte, reply suite.Reply) {
	problem := Problem(body)
	if r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") == "" || r.Header.Get("Anthropic-Version") != "2023-06-01" || r.ContentLength != int64(len(body)) {
		problem = "not a request of this wire"
	}
	if problem != "" {
		http.Error(w, fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":%q}}`, problem), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	send := func(name, data string) {
		_, _ = fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", name, name, data)
		w.(http.Flusher).Flush()
	}
	u := reply.Usage
	send("message_start", fmt.Sprintf(`,"message":{"id":"msg_1","type":"message","role":"assistant","model":"m-1","content":[],"stop_reason":null,`+
		`"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":1}}`, u.InputTokens, u.CacheWriteTokens, u.CacheReadTokens))
	send("ping", "")
	writeBlocks(send, reply)
	if reply.BreaksOff(w, r, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n") {
		return
	}
	stop := map[string]string{"stop": "end_turn", "calls": "tool_use", "length": "max_tokens", "refused": "refusal"}[reply.StopReason]
	send("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":%d,"output_tokens_details":{"thinking_tokens":%d}}`,
		stop, u.OutputTokens, u.ReasoningTokens))
	send("message_stop", "")
}

func writeBlocks(send func(name, data string), reply suite.Reply) {
	index := 0
	block := func(start string, deltas ...string) {
		send("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":%s`, index, start))
		for _, d := range deltas {
			send("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":%s`, index, d))
		}
		if reply.Ending == suite.Complete {
			send("content_block_stop", fmt.Sprintf(`,"index":%d`, index))
		}
		index++
	}
	deltas := func(kind, field string, pieces []string) []string {
		var out []string
		for _, piece := range pieces {
			out = append(out, fmt.Sprintf(`{"type":%q,%q:%s}`, kind, field, suite.Quote(piece)))
		}
		return out
	}
	if len(reply.Thinking) > 0 {
		block(`{"type":"thinking","thinking":"","signature":""}`,
			append(deltas("thinking_delta", "thinking", reply.Thinking), `{"type":"signature_delta","signature":"EqQB"}`)...)
	}
	if len(reply.Text) > 0 {
		block(`{"type":"text","text":""}`, deltas("text_delta", "text", reply.Text)...)
	}
	for _, call := range reply.Calls {
		half := len(call.Arguments) / 2
		block(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, call.ID, call.Name),
			deltas("input_json_delta", "partial_json", []string{"", call.Arguments[:half], call.Arguments[half:]})...)
	}
}
