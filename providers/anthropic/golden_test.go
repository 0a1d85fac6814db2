package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/testkit/golden"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// story makes the messages of a session as they are stored.
type story struct {
	t       *testing.T
	history *prompt.History
	count   int
}

func newStory(t *testing.T, protocol domain.Protocol) *story {
	return &story{t: t, history: prompt.NewHistory(protocol, prompt.Marker{})}
}

func (s *story) add(m *domain.Message) {
	s.count++
	m.ID, m.Seq, m.Status = fmt.Sprintf("msg_%d", s.count), int64(s.count), domain.MessageStored
	s.history.Append(m)
}

func (s *story) person(words string) {
	s.add(&domain.Message{Sender: domain.SenderUser, Rich: &domain.RichContent{LinearText: words}})
}

// model receives a stream and keeps its answer.
func (s *story) model(stream ...string) *domain.RawAnswer {
	s.t.Helper()
	answer, _, err := listen(s.t, strings.NewReader(sse(begin)+strings.Join(stream, "")))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range answer.Raw.Calls { // repeatable.IDs restarts for each answer
		answer.Raw.Calls[i].ID = fmt.Sprintf("call_%d_%d", s.count, i)
	}
	s.add(&domain.Message{Sender: domain.SenderAI, Raw: answer.Raw, AI: &domain.AIMessage{PreText: answer.Raw.Text}})
	return answer.Raw
}

func (s *story) server(kind domain.SystemType, summary string, results ...domain.CommandResult) {
	s.add(&domain.Message{Sender: domain.SenderSystem, System: &domain.SystemMessage{Type: kind, Summary: summary, CommandResults: results}})
}

func result(call domain.RawCall, status domain.ExecutionStatus, words string) domain.CommandResult {
	return domain.CommandResult{CallID: call.ID, Command: call.Name, Status: status, Text: words}
}

var goldenCommands = []domain.CommandSpec{
	{Name: "CREATE_ZONE", Description: "Makes a zone.", Kind: domain.KindAction, Params: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)},
	{Name: "ZONES", Description: "Lists the zones.", Kind: domain.KindQuery, Params: json.RawMessage(`{"type":"object","properties":{}}`)},
}

// request is what is asked next.
func (s *story) request(protocol domain.Protocol) *providers.Request {
	ask := &ai.Prompt{
		System: "# Role\nYou help.", UserData: "# Documents\nBe brief.", Turns: s.history.Turns(), Protocol: protocol,
		Tail: prompt.Notice("NOW", "Now: Saturday 2026-11-21 09:00 (UTC)."),
	}
	if protocol == domain.ProtocolNative {
		ask.Commands = goldenCommands
	} else {
		ask.AnswerSchema = prompt.JSONSchemaOfAnswer(domain.Chat)
	}
	return &providers.Request{Prompt: ask}
}

const (
	native     = domain.ProtocolNative
	withBudget = `{"base_url":"http://h","model":"m","thinking_budget":2000}`
)

var goldens = map[string]struct {
	config string
	ask    func(t *testing.T) *providers.Request
}{
	"plain": {plainConfig, func(t *testing.T) *providers.Request {
		s := newStory(t, native)
		s.person("Good morning")
		s.model(say(0, "Good morning."), end("end_turn"))
		s.person("How are \"you\"?")
		return s.request(native)
	}},
	"queries": {plainConfig, func(t *testing.T) *providers.Request {
		s := newStory(t, native)
		s.person("What is there?")
		a := s.model(say(0, "I look."), call(1, "toolu_1", "ZONES", ""), call(2, "toolu_2", "ZONES", `{"again": true}`), end("tool_use"))
		s.server(domain.SystemDataAdded, "2 queries", result(a.Calls[0], domain.ExecSuccess, `[{"name":"Health"}]`), result(a.Calls[1], domain.ExecCached, `[{"name":"Health"}]`))
		return s.request(native)
	}},
	"actions": {plainConfig, func(t *testing.T) *providers.Request {
		s := newStory(t, native)
		s.person("Make three zones")
		a := s.model(call(0, "toolu_1", "CREATE_ZONE", `{"name": "Health"}`), call(1, "toolu_2", "CREATE_ZONE", `{"name": ""}`),
			call(2, "toolu_3", "CREATE_ZONE", `{"name": "Work"}`), end("tool_use"))
		failed := result(a.Calls[1], domain.ExecFailed, "")
		failed.Error = &domain.CommandError{Code: "invalid", Message: "The name is empty."}
		s.server(domain.SystemActionsExecuted, "1 of 3", result(a.Calls[0], domain.ExecSuccess, "Made zon_1."), failed, result(a.Calls[2], domain.ExecCancelled, ""))
		b := s.model(say(0, "Again."), call(1, "toolu_4", "CREATE_ZONE", `{"name": "Work"}`), call(2, "toolu_5", "CREATE_ZONE", `{"name": "Rest"}`), end("tool_use"))
		s.server(domain.SystemActionsExecuted, "1 of 2", result(b.Calls[0], domain.ExecPending, "")) // the second never got a result
		s.person("Leave it")
		return s.request(native)
	}},
	"thinking": {withBudget, func(t *testing.T) *providers.Request {
		s := newStory(t, native)
		s.person("What is there?")
		a := s.model(whole(0, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"The zones?"}`, `{"type":"signature_delta","signature":"EqQB=="}`),
			whole(1, `{"type":"redacted_thinking","data":"opaque=="}`), say(2, "I look."), call(3, "toolu_1", "ZONES", "{}"), end("tool_use"))
		s.server(domain.SystemDataAdded, "1 query", result(a.Calls[0], domain.ExecSuccess, "[]"))
		return s.request(native)
	}},
	"json": {`{"base_url":"http://h","model":"m","protocol":"json"}`, func(t *testing.T) *providers.Request {
		s := newStory(t, domain.ProtocolJSON)
		s.person("What is there?")
		s.add(&domain.Message{Sender: domain.SenderAI, Raw: &domain.RawAnswer{
			Protocol: domain.ProtocolJSON, Text: `{"pre_text": "I look.", "data_commands": [{"type": "ZONES", "params": {}}]}`}})
		s.server(domain.SystemDataAdded, "1 query", domain.CommandResult{Command: "ZONES", Status: domain.ExecSuccess, Text: "[]"})
		return s.request(domain.ProtocolJSON)
	}},
	"summary": {`{"base_url":"http://h","model":"m","small_model":"s","thinking":"adaptive","reasoning_effort":"high"}`, func(t *testing.T) *providers.Request {
		s := newStory(t, native)
		s.person("What is there?")
		a := s.model(say(0, "I look."), call(1, "toolu_1", "ZONES", "{}"), end("tool_use"))
		s.server(domain.SystemDataAdded, "1 query", result(a.Calls[0], domain.ExecSuccess, "[]"))
		s.model(say(0, "Nothing."), end("end_turn"))
		ask := prompt.SummaryRequest(s.history.Turns(), "en", prompt.DefaultTranscript)
		ask.System = "Summarise." // the real words may change
		return &providers.Request{Prompt: ask, Small: true, MaxTokens: 5000}
	}},
	"after-summary": {`{"base_url":"http://h","model":"m","thinking":"adaptive","reasoning_effort":"high"}`, func(t *testing.T) *providers.Request {
		s := newStory(t, native)
		s.person("What is there?")
		s.model(say(0, "Nothing."), end("end_turn"))
		s.server(domain.SystemContextSummary, "The person asked what there is.")
		s.person("Make a zone")
		return s.request(native)
	}},
}

// Requests as they go out. Each was read by eye: levels and marks, roles that alternate,
// a result for each call, and the tail behind the last mark.
func TestGoldenRequests(t *testing.T) {
	for name, row := range goldens {
		t.Run(name, func(t *testing.T) {
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, []byte(encoded(t, made(t, row.config, nil), row.ask(t))), "", "  "); err != nil {
				t.Fatal(err)
			}
			pretty.WriteByte('\n')
			golden.Check(t, filepath.Join("testdata", name+".json"), pretty.String())
		})
	}
}
