package doors

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// dataOf are the data of the events of a stream, in their order.
func dataOf(answer []byte) (all []string) {
	for line := range strings.SplitSeq(string(answer), "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			all = append(all, data)
		}
	}
	return all
}

// piece is what is read of an event of any protocol here.
type piece struct {
	Type, Delta, Code, ErrorText string
	Number                       int64 `json:"sequence_number"`
	Choices                      *[]struct {
		Delta        map[string]any
		FinishReason *string `json:"finish_reason"`
	}
	Usage *struct {
		TotalTokens int64 `json:"total_tokens"`
	}
	Response struct {
		Status string
		Error  *struct{ Code string }
	}
}

func (s *server) pieces(key, path, body string) (all []piece) {
	s.T.Helper()
	status, _, answer := s.knock(key, path, body, []string{"Content-Type", "application/json"})
	if status != 200 {
		s.T.Fatalf("%s: %d %s", path, status, answer)
	}
	for _, data := range dataOf(answer) {
		var p piece
		if data == "[DONE]" {
			p.Type = data
		} else if err := json.Unmarshal([]byte(data), &p); err != nil {
			s.T.Fatalf("%s: %v", data, err)
		}
		all = append(all, p)
	}
	return all
}

// kinds are the kinds of events, of each that repeats itself once.
func kinds(all []piece) (names []string) {
	for _, p := range all {
		names = append(names, p.Type)
	}
	return slices.Compact(names)
}

// thinks is an AI that thinks before it says a text, and begins a while after the message came: thoughts
// are streamed and not stored, so that a door sends those that arrive while it is subscribed.
func thinks(text string) string {
	return fmt.Sprintf(`[{"delay_ms": 2000, "token_delay_ms": 1, "answer": {"thinking": "Hm, well.", "text": %q}}]`, text)
}

// A completion is streamed as OpenAI does it: who speaks, what, why it ends, and then what it used for
// whom that wants to know.
func TestTheChunksOfACompletion(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), thinks("One two three."))
	for _, wants := range []bool{true, false} {
		chunks := s.pieces(key, "/v1/chat/completions", fmt.Sprintf(
			`{"model":"fermata","stream":true,"stream_options":{"include_usage":%v},"messages":[{"role":"user","content":"usage %v"}]}`, wants, wants))
		var received []string
		for _, c := range chunks {
			switch {
			case c.Choices == nil:
				received = append(received, c.Type)
			case len(*c.Choices) == 0 && c.Usage != nil && c.Usage.TotalTokens > 0:
				received = append(received, "usage")
			default:
				one := (*c.Choices)[0]
				line := fmt.Sprint(one.Delta)
				if one.FinishReason != nil {
					line += " " + *one.FinishReason
				}
				received = append(received, line)
			}
			if (c.Usage != nil) != (c.Choices != nil && len(*c.Choices) == 0) {
				t.Errorf("usage is in %+v", c)
			}
		}
		if joined := strings.Join(received, "|"); !strings.HasPrefix(joined, "map[content: role:assistant]|map[reasoning_content:Hm,") ||
			strings.LastIndex(joined, "reasoning_content") > strings.Index(joined, "map[content:One") ||
			!strings.HasSuffix(joined, map[bool]string{true: "|map[] stop|usage|[DONE]", false: "|map[] stop|[DONE]"}[wants]) {
			t.Errorf("the chunks are %s", joined)
		}
	}
	_, _, whole := s.knock(key, "/v1/chat/completions", `{"model":"fermata","messages":[{"role":"user","content":"at once"}]}`, []string{"Content-Type", "application/json"})
	if !strings.Contains(string(whole), `"content":"One two three.","refusal":null,"reasoning_content":"Hm, well."`) || !strings.Contains(string(whole), `"usage":{"prompt_tokens":`) {
		t.Errorf("at once it is %s", whole)
	}
	s.Sound()
}

// The events of a response in their order, each with a greater number than the one before.
func TestTheEventsOfAResponse(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), `[{"token_delay_ms": 1, "answer": {"text": "One two three."}}]`)
	events := s.pieces(key, "/v1/responses", `{"model":"fermata","stream":true,"input":"hello"}`)
	want := []string{
		"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added", "response.output_text.delta",
		"response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
	}
	if got := kinds(events); !slices.Equal(got, want) {
		t.Errorf("the events are %q", got)
	}
	for i, e := range events[1:] {
		if e.Number <= events[i].Number {
			t.Errorf("%s has the number %d, behind %d", e.Type, e.Number, events[i].Number)
		}
	}
}

// Reasoning is sent in addition to the text, before it.
func TestThoughtsInFrontEnds(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), thinks("Yes, it is."))
	for path, c := range map[string]struct {
		body            string
		thought, spoken string // the kinds of their pieces
		order           []string
	}{
		"/v1/agui": {
			aguiBody("a", "m1", "hello", "[]"), "REASONING_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT",
			[]string{"REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END",
				"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"},
		},
		"/v1/ui/chat": {
			uiBody("u", "m1", "hello", ""), "reasoning-delta", "text-delta",
			[]string{"start-step", "reasoning-start", "reasoning-delta", "reasoning-end", "text-start", "text-delta", "text-end", "finish-step", "finish", "[DONE]"},
		},
	} {
		said := map[string]string{}
		var order []string
		for _, p := range s.pieces(key, path, c.body) {
			said[p.Type] += p.Delta
			if slices.Contains(c.order, p.Type) {
				order = append(order, p.Type)
			}
		}
		if order = slices.Compact(order); !slices.Equal(order, c.order) || said[c.thought] != "Hm, well." || said[c.spoken] != "Yes, it is." {
			t.Errorf("%s has the order %q: %q", path, order, said)
		}
	}
}

// A failing provider is reported by each door in its own form, with our code, and the person's
// message is kept.
func TestNoAnswerThroughEachDoor(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), `[{"fault": {"class": "authentication", "message": "who are you?"}}]`)
	last := func(all []piece) piece { return all[len(all)-1] }
	said := []string{
		knocked["chat completions"].body, knocked["responses"].body, knocked["ag-ui"].body, strings.Replace(knocked["ui"].body, "a talk", "another", 1),
	}
	for i, ends := range []func() any{
		func() any {
			status, _, answer := s.knock(key, "/v1/chat/completions", said[0], []string{"Content-Type", "application/json"})
			return fmt.Sprint(status, " ", openAICode(answer))
		},
		func() any {
			e := last(s.pieces(key, "/v1/responses", "{"+`"stream":true,`+said[1][1:]))
			return fmt.Sprint(e.Type, " ", e.Response.Status, " ", e.Response.Error.Code)
		},
		func() any { e := last(s.pieces(key, "/v1/agui", said[2])); return e.Type + " " + e.Code },
		func() any {
			all := s.pieces(key, "/v1/ui/chat", said[3])
			i := slices.IndexFunc(all, func(p piece) bool { return p.Type == "error" })
			return fmt.Sprint(i > 0 && all[i].ErrorText != "", " ", last(all).Type)
		},
	} {
		want := []string{"503 provider_failed", "response.failed failed provider_failed", "RUN_ERROR provider_failed", "true [DONE]"}[i]
		if got := ends(); got != want {
			t.Errorf("%s ends with %s, want %s", said[i], got, want)
		}
	}
	var received toolState
	callTool(t, s.mcpClient(key, "2026-07-28", nil), "send_message", map[string]any{"text": "hello"}, &received)
	if received.State != "failed" || received.SessionID == "" {
		t.Errorf("an MCP client receives %+v", received)
	}
	s.Sound()
}

// A viewer is rejected by each door in its own form, and nothing is stored.
func TestAViewerSaysNothing(t *testing.T) {
	s, _ := newChatServer(t, harness.Databases["sqlite"](t), echo)
	viewer := s.Call("POST", "/v1/keys", map[string]any{"name": "v", "role": "viewer"}).Want(201).Str("key")
	for name, door := range knocked {
		status, _, answer := s.knock(viewer, door.path, door.body, []string{"Content-Type", "application/json"})
		want := "403 forbidden"
		if name == "mcp" { // to whom the tool is not shown
			want = "200 invalid"
		}
		if got := fmt.Sprint(status, " ", door.code(answer)); got != want {
			t.Errorf("%s: %s, %s", name, got, answer)
		}
	}
	if status, _, answer := s.knock(viewer, "/v1/models", "", []string{"method", "GET"}); status != 200 {
		t.Errorf("the models: %d %s", status, answer)
	}
	if list := s.Call("GET", "/v1/sessions", nil).Want(200).List("data"); len(list) != 0 {
		t.Errorf("there are %v", list)
	}
}
