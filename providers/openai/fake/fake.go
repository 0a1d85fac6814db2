package fake

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/providers/suite"
)

// write sends a reply in the form that the request asks for.
func (d dialect) write(w http.ResponseWriter, r *http.Request, body []byte, reply suite.Reply) {
	q, err := d.read(r, body)
	if err != nil {
		http.Error(w, `{"error":{"message":`+suite.Quote(err.Error())+`}}`, http.StatusBadRequest)
		return
	}
	if q.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		d.stream(&stream{w: w, r: r}, q, reply)
		return
	}
	d.whole(w, r, reply)
}

func finish(reply suite.Reply) string {
	return map[string]string{"stop": "stop", "calls": "tool_calls", "length": "length", "refused": "content_filter"}[reply.StopReason]
}

func (d dialect) usage(reply suite.Reply) string {
	u := reply.Usage
	cached := fmt.Sprintf(`"prompt_tokens_details":{"cached_tokens":%d}`, u.CacheReadTokens)
	if d.hitTokens {
		cached = fmt.Sprintf(`"prompt_cache_hit_tokens":%d,"prompt_cache_miss_tokens":%d`, u.CacheReadTokens, u.InputTokens)
	}
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,%s,"completion_tokens_details":{"reasoning_tokens":%d}}`,
		u.InputTokens+u.CacheReadTokens, u.OutputTokens, cached, u.ReasoningTokens)
}

// thought is a piece of thinking as a member of a message or a delta.
func (d dialect) thought(piece string) string {
	switch d.thinking {
	case inReasoning:
		return `"reasoning":` + suite.Quote(piece)
	case inTags:
		return `"content":` + suite.Quote(piece)
	case inParts:
		return `"content":[{"type":"thinking","thinking":[{"type":"text","text":` + suite.Quote(piece) + `}]}]`
	}
	return `"reasoning_content":` + suite.Quote(piece)
}

// thoughts are the pieces as they stream, with the tags where the vendor has them.
func (d dialect) thoughts(reply suite.Reply) []string {
	if d.thinking == inTags && len(reply.Thinking) > 0 {
		return append(append([]string{"<thi", "nk>"}, reply.Thinking...), "</think>\n\n")
	}
	return reply.Thinking
}

// stream writes chunks.
type stream struct {
	w http.ResponseWriter
	r *http.Request
}

func (s *stream) send(delta, rest string) {
	_, _ = fmt.Fprintf(s.w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":%s}\n\n", delta, rest)
	s.w.(http.Flusher).Flush()
}

func (d dialect) stream(s *stream, q *request, reply suite.Reply) {
	s.send(`"role":"assistant","content":""`, "null}]")
	for _, piece := range d.thoughts(reply) {
		s.send(d.thought(piece), "null}]")
	}
	for _, piece := range reply.Text {
		s.send(`"content":`+suite.Quote(piece), "null}]")
	}
	for i, call := range reply.Calls {
		d.call(s, i, call)
	}
	if reply.BreaksOff(s.w, s.r, "data: "+busy+"\n\n") {
		return
	}
	if d.endHasUsage {
		s.send("", fmt.Sprintf(`%q}],"usage":%s`, finish(reply), d.usage(reply)))
	} else {
		s.send("", fmt.Sprintf(`%q}]`, finish(reply)))
	}
	if q.StreamOptions != nil && q.StreamOptions.IncludeUsage {
		_, _ = fmt.Fprintf(s.w, "data: {\"choices\":[],\"usage\":%s}\n\n", d.usage(reply))
	}
	_, _ = io.WriteString(s.w, "data: [DONE]\n\n")
	s.w.(http.Flusher).Flush() // the end of the response comes in a packet of its own
}

// call streams a tool call as the vendor does.
func (d dialect) call(s *stream, i int, call suite.Call) {
	head := fmt.Sprintf(`"index":%d,"id":%q,`, i, call.ID)
	switch d.calls {
	case atIndexZero:
		head = fmt.Sprintf(`"index":0,"id":%q,`, call.ID)
	case withoutIndex:
		head = fmt.Sprintf(`"id":%q,`, call.ID)
	case withoutIDs:
		head = fmt.Sprintf(`"index":%d,`, i)
	case inPieces:
		s.send(fmt.Sprintf(`"tool_calls":[{%s"type":"function","function":{"name":%q,"arguments":""}}]`, head, call.Name), "null}]")
		half := len(call.Arguments) / 2
		for _, piece := range []string{call.Arguments[:half], call.Arguments[half:]} {
			s.send(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":%s}}]`, i, suite.Quote(piece)), "null}]")
		}
		return
	}
	s.send(fmt.Sprintf(`"tool_calls":[{%s"type":"function","function":{"name":%q,"arguments":%s}}]`, head, call.Name, suite.Quote(call.Arguments)), "null}]")
}

// busy is the vendors' error during a stream.
const busy = `{"error":{"message":"busy","type":"overloaded_error"}}`

func (d dialect) whole(w http.ResponseWriter, r *http.Request, reply suite.Reply) {
	text := fmt.Sprintf(`{"id":"c","object":"chat.completion","model":"m-1","choices":[{"index":0,"message":{"role":"assistant",%s},"finish_reason":%q}],"usage":%s}`,
		d.message(reply), finish(reply), d.usage(reply))
	reply.SendWhole(w, r, text, busy)
}

// message is a whole answer's message without its role.
func (d dialect) message(reply suite.Reply) string {
	content, thoughts := strings.Join(reply.Text, ""), strings.Join(d.thoughts(reply), "")
	members := []string{`"content":` + suite.Quote(content)}
	switch {
	case thoughts == "":
	case d.thinking == inTags:
		members[0] = `"content":` + suite.Quote(thoughts+content)
	case d.thinking == inParts:
		members[0] = strings.TrimSuffix(d.thought(thoughts), "]") + `,{"type":"text","text":` + suite.Quote(content) + `}]`
	default:
		members = append(members, d.thought(thoughts))
	}
	var all []string
	for _, call := range reply.Calls {
		id := fmt.Sprintf(`"id":%q,`, call.ID)
		if d.calls == withoutIDs {
			id = ""
		}
		all = append(all, fmt.Sprintf(`{%s"type":"function","function":{"name":%q,"arguments":%s}}`, id, call.Name, suite.Quote(call.Arguments)))
	}
	if len(all) > 0 {
		members = append(members, `"tool_calls":[`+strings.Join(all, ",")+`]`)
	}
	return strings.Join(members, ",")
}
