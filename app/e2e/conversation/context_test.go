package conversation

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	openai "github.com/fermata-dev/fermata/providers/openai/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

// reader is a model that reads at most so many tokens (3.5 bytes each), and notes how
// long each prompt was. What is longer it refuses as its vendors do.
type reader struct {
	url    string
	window int
	usage  func(tokens int) int64

	mu        sync.Mutex
	longest   int
	prompts   int
	summaries int
	tooLong   int
	last      string
}

func newReader(t *testing.T, window int) *reader {
	t.Helper()
	m := &reader{window: window, usage: func(tokens int) int64 { return int64(tokens) }}
	vendor := openai.Compatible()
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		reply := suite.Reply{Text: []string{"I have read it."}, StopReason: "stop", Usage: domain.Usage{InputTokens: m.usage(len(body) * 2 / 7), OutputTokens: 5}}
		if !m.read(body, &reply) {
			http.Error(w, `{"error":{"message":"This model's maximum context length is exceeded","code":"context_length_exceeded"}}`, http.StatusBadRequest)
			return
		}
		vendor.Write(w, r, body, reply)
	}))
	t.Cleanup(far.Close)
	m.url = far.URL
	return m
}

func (m *reader) read(body []byte, reply *suite.Reply) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	tokens := len(body) * 2 / 7
	if m.window > 0 && tokens > m.window {
		m.tooLong++
		return false
	}
	m.longest, m.last = max(m.longest, tokens), string(body)
	if strings.Contains(string(body), "Write the summary of this transcript") {
		m.summaries++
		reply.Text = []string{"They spoke of many things."}
	} else {
		m.prompts++
	}
	return true
}

// valid holds a request against the rules of its API: roles alternate, each call has
// exactly one result right behind it, no result is without its call.
func valid(body string) error {
	var request struct {
		Messages []struct {
			Role       string
			ToolCallID string                `json:"tool_call_id"`
			ToolCalls  []struct{ ID string } `json:"tool_calls"`
			Content    json.RawMessage       `json:"content"`
		}
	}
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		return err
	}
	open := map[string]bool{}
	for i, m := range request.Messages {
		switch m.Role {
		case "tool":
			if !open[m.ToolCallID] {
				return fmt.Errorf("message %d is a result without a call", i)
			}
			delete(open, m.ToolCallID)
		default:
			if len(open) > 0 {
				return fmt.Errorf("message %d comes before the results of calls", i)
			}
		}
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
	}
	return nil
}

const page = 7_000 // characters, some 2,000 tokens

// A chat of ten times its budget continues; each prompt stays within the budget; the record keeps every word. The
// usage that the vendor reports does not matter.
func TestAConversationTenTimesItsBudget(t *testing.T) {
	for name, usage := range map[string]func(int) int64{
		"real usage": func(tokens int) int64 { return int64(tokens) }, "no usage": func(int) int64 { return 0 }, "wrong usage": func(int) int64 { return 10 },
	} {
		if harness.Raced && !harness.Long && name != "wrong usage" {
			continue // two hundred pages are many under the race detector
		}
		t.Run(name, func(t *testing.T) {
			s := newServer(t, harness.Databases["sqlite"](t))
			m := newReader(t, 0)
			m.usage = usage
			s.Configured("Reader", m.url, true)
			const budget = 40_000
			s.Call("PATCH", "/v1/settings", map[string]any{"limits": map[string]any{"chat": map[string]any{"context_budget_tokens": budget, "max_tokens_per_round": nil}}}).Want(200)
			chat := s.Chat()
			for i := range 200 {
				if r := s.Say(chat, fmt.Sprintf("Page %d. %s", i, strings.Repeat("a word ", page/7))); r.Str("phase") != "IDLE" {
					t.Fatalf("page %d: %s", i, r.Body)
				}
				if m.longest > budget {
					t.Fatalf("after page %d a prompt had %d tokens", i, m.longest)
				}
			}
			if m.prompts != 200 || m.summaries < 8 || s.LastText(chat) != "I have read it." {
				t.Errorf("%d prompts, %d summaries", m.prompts, m.summaries)
			}
			if err := valid(m.last); err != nil {
				t.Error(err)
			}
			record := s.Call("GET", "/v1/sessions/"+chat+"/export", nil, "Accept", "application/json").Want(200)
			for _, i := range []int{0, 100, 199} {
				if !strings.Contains(string(record.Body), fmt.Sprintf("Page %d. a word", i)) {
					t.Errorf("page %d is not in the record", i)
				}
			}
		})
	}
}

// A model whose window is far smaller than the budget reports it. The history is summarised to fit, and the chat
// continues.
func TestTheVendorSaysTooLong(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	m := newReader(t, 25_000)
	s.Configured("Reader", m.url, true)
	chat := s.Chat()
	for i := range 30 {
		if r := s.Say(chat, fmt.Sprintf("Page %d. %s", i, strings.Repeat("a word ", page/7))); r.Str("phase") != "IDLE" {
			t.Fatalf("page %d: %s", i, r.Body)
		}
		if got := s.LastText(chat); got != "I have read it." || s.LastError(chat) != "" {
			t.Fatalf("page %d: %q, %s", i, got, s.LastError(chat))
		}
	}
	if m.prompts != 30 || m.summaries == 0 || m.tooLong == 0 || m.tooLong > 20 {
		t.Errorf("%d prompts, %d summaries, %d were too long", m.prompts, m.summaries, m.tooLong)
	}
}

// A model that always returns "too long" is called four times at most for a message, then the person sees what to
// shorten.
func TestAModelThatAlwaysSaysTooLong(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	m := newReader(t, 1)
	s.Configured("Reader", m.url, true)
	chat := s.Chat()
	for message := 1; message <= 2; message++ {
		if r := s.Say(chat, "hi"); r.Str("phase") != "IDLE" {
			t.Fatalf("it does not rest: %s", r.Body)
		}
		if m.tooLong > 4*message || m.tooLong == 0 {
			t.Errorf("after %d messages it was asked %d times", message, m.tooLong)
		}
	}
	if got := s.LastError(chat); !strings.Contains(got, "code=context_too_large") || !strings.Contains(got, "prompt_detail") {
		t.Errorf("the person reads %q", got)
	}
	if calls := s.Calls(chat); len(calls) != m.tooLong {
		t.Errorf("%d calls are in the timeline, %d were made", len(calls), m.tooLong)
	}
}

// A prompt is measured whole before the first call, with the documents that stand in it:
// what is over its budget is not sent.
func TestABudgetHoldsForTheFirstCall(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	m := newReader(t, 0)
	s.Configured("Reader", m.url, true)
	chat := s.Chat()
	s.Say(chat, "hi")
	tokens, _ := s.Calls(chat)[0]["prompt_tokens"].(float64)
	if tokens < 0.8*float64(m.longest) || tokens > 1.2*float64(m.longest) {
		t.Errorf("the timeline has %v tokens for a prompt of %d", tokens, m.longest)
	}
	document := s.Call("POST", "/v1/documents", map[string]any{"key": "about", "title": "About", "body": strings.Repeat("a word ", 14_000)}).Want(201).Str("id")
	s.Call("POST", "/v1/documents/"+document+"/publish", nil).Want(200)
	s.Call("PATCH", "/v1/settings", `{"limits": {"chat": {"context_budget_tokens": 25000}}}`).Want(200)
	chat, sent := s.Chat(), m.prompts
	if r := s.Say(chat, "hi"); r.Str("phase") != "IDLE" {
		t.Fatalf("it does not rest: %s", r.Body)
	}
	if got := s.LastError(chat); m.prompts+m.summaries != sent || !strings.Contains(got, "code=context_too_large") || !strings.Contains(got, "Shorten the published documents") {
		t.Errorf("%d prompts went out, and the person reads %q", m.prompts+m.summaries-sent, got)
	}
}

// One result larger than the budget is cut to its note in the prompt; the record keeps
// it whole.
func TestAResultLargerThanTheBudget(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Call("PATCH", "/v1/settings", `{"limits": {"chat": {"context_budget_tokens": 20000}}}`).Want(200)
	zone := s.Call("POST", "/v1/zones", `{"name": "Z"}`).Want(201).Str("id")
	tool := s.Call("POST", "/v1/tools", map[string]any{"zone_id": zone, "tool_type": "journal", "name": "J", "config": map[string]any{}}).Want(201).Str("id")
	for range 40 {
		s.Call("POST", "/v1/tools/"+tool+"/entries", map[string]any{"data": map[string]any{"text": strings.Repeat("day and night ", 500)}}).Want(201)
	}
	s.Scripted(`[
		{"when": {"contains": "read", "roundtrip": 1}, "answer": {"calls": [{"name": "TOOL_DATA", "arguments": {"tool_id": "` + tool + `", "limit": 40}}]}},
		{"when": {"contains": "Write the summary"}, "answer": {"text": "They asked for the journal."}},
		{"answer": {"text": "Read."}}]`)
	chat := s.Chat()
	s.Say(chat, "Please read my journal.")
	if got := s.LastText(chat); got != "Read." {
		t.Errorf("it said %q: %v, %s", got, s.Record(chat), s.LastError(chat))
	}
	if got := s.Record(chat); !slices.Contains(got, "DATA_ADDED") {
		t.Errorf("the record is %v", got)
	}
}

// A single message that exceeds the window of every model of this budget is reported; it is kept, and the session
// stays usable.
func TestAMessageLargerThanTheBudget(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	m := newReader(t, 30_000)
	s.Configured("Reader", m.url, true)
	s.Call("PATCH", "/v1/settings", `{"limits": {"chat": {"context_budget_tokens": 30000}}}`).Want(200)
	chat := s.Chat()
	r := s.Say(chat, strings.Repeat("a word ", 14_000))
	if r.Str("phase") != "IDLE" {
		t.Fatalf("it does not rest: %s", r.Body)
	}
	if m.longest > 30_000 {
		t.Errorf("a prompt had %d tokens", m.longest)
	}
	s.Say(chat, "Something short.")
	if got := s.LastText(chat); got != "I have read it." {
		t.Errorf("afterwards it said %q: %v %s", got, s.Record(chat), s.LastError(chat))
	}
}
