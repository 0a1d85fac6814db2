package telemetry

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

// hostile is what a tenant might call things, to get into the log as lines of their own.
const hostile = "gpt\"}\n{\"level\":\"error\",\"message\":\"forged\"}\x1b[2J\u202e"

func processLog(t *testing.T, level zerolog.Level, change *domain.Change) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	log := zerolog.New(&out).Level(level)
	NewMetrics(commands.New(data.NewRules(), automations.Drafts{}).Specs(), "dev", "unknown").Log(&log, change)
	var lines []map[string]any
	for text := range strings.Lines(out.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("a line is no JSON: %v\n%s", err, text)
		}
		lines = append(lines, line)
	}
	return lines
}

func oneOfEach() *domain.Change {
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	later := at.Add(1500 * time.Millisecond)
	cost := 0.25
	session := &domain.Session{ID: "ses_1", WorkspaceID: "w", Type: domain.Chat, Phase: domain.Idle}
	session.State.RoundID, session.State.RoundTrace = "rnd_1", strings.Repeat("ab", 16)
	session.State.RoundRoundtrips, session.State.RoundTokens, session.State.RoundCost = 2, 70, 0.25
	return &domain.Change{
		WorkspaceID: "w", At: later, Sessions: []domain.SessionWrite{{Session: session}},
		Roundtrips: []*domain.Roundtrip{{
			ID: "rtp_2", WorkspaceID: "w", SessionID: "ses_1", RoundID: "rnd_1", ProviderKind: "openai", Model: hostile, Outcome: domain.OutcomeAnswered,
			Offered:  &domain.OfferedTools{Tools: 3, Names: []string{"ZONES", "SHOP.ORDER"}},
			Answered: &domain.AnswerFigures{ContentChars: 12, ToolCalls: 2, Native: true},
			Usage:    domain.Usage{InputTokens: 40, CacheReadTokens: 10, OutputTokens: 20, Cost: &cost}, StartedAt: at, EndedAt: later, FirstTokenAt: &later,
			Before: []*domain.Roundtrip{{ID: "rtp_1", WorkspaceID: "w", SessionID: "ses_1", RoundID: "rnd_1", Outcome: "network", StartedAt: at, EndedAt: at}},
		}},
		Executions: []*domain.Execution{
			{ID: "exe_1", WorkspaceID: "w", SessionID: "ses_1", RoundID: "rnd_1", Command: "CREATE_ZONE", Kind: domain.KindAction, Status: domain.ExecFailed, Summary: domain.Same("secret words"),
				Params: json.RawMessage(`{"name":"secret words"}`), Error: &domain.CommandError{Code: "conflict", Message: "secret words"}, StartedAt: &at, EndedAt: &later},
			{ID: "exe_3", WorkspaceID: "w", SessionID: "ses_1", RoundID: "rnd_1", Command: "SHOP.ORDER", Kind: domain.KindAction, Status: domain.ExecSuccess,
				Foreign: &domain.Foreign{}, StartedAt: &at, EndedAt: &later},
			{ID: "exe_4", WorkspaceID: "w", SessionID: "ses_1", RoundID: "rnd_1", Command: "SHOP.INVENTED", Kind: domain.KindAction, Status: domain.ExecFailed},
			{ID: "exe_2", WorkspaceID: "w", SessionID: "ses_1", Command: "ZONES", Status: domain.ExecPlanned},
		},
		Transitions: []*domain.Transition{
			{SessionID: "ses_1", RoundID: "rnd_1", From: domain.CallingAI, To: domain.ParsingAIResponse, Event: "AIResponseReceived", At: later},
			{SessionID: "ses_1", RoundID: "rnd_1", From: domain.ExecutingActions, To: domain.Idle, Event: "ActionsExecuted", At: later},
		},
	}
}

func TestTheProcessLogHasALineForEachCallCommandAndRound(t *testing.T) {
	lines := processLog(t, zerolog.InfoLevel, oneOfEach())
	want := []map[string]any{
		{"message": "AI call", "call": "rtp_1", "outcome": "network"},
		{
			"message": "AI call", "call": "rtp_2", "outcome": "answered", "provider": "openai", "workspace": "w", "session": "ses_1", "round": "rnd_1",
			"input_tokens": 50.0, "output_tokens": 20.0, "took_ms": 1500.0, "first_token_ms": 1500.0, "cost_usd": 0.25,
			"tools": 3.0, "content_chars": 12.0, "tool_calls": 2.0,
		},
		{"message": "command", "execution": "exe_1", "command": "CREATE_ZONE", "status": "FAILED", "code": "conflict", "took_ms": 1500.0, "round": "rnd_1"},
		{"message": "command", "execution": "exe_3", "command": "SHOP.ORDER", "status": "SUCCESS", "took_ms": 1500.0},
		{"message": "command", "execution": "exe_4", "command": "other", "status": "FAILED"},
		{"message": "round", "session": "ses_1", "round": "rnd_1", "from": "EXECUTING_ACTIONS", "trace_id": strings.Repeat("ab", 16), "calls": 2.0, "tokens": 70.0, "cost_usd": 0.25, "type": "CHAT"},
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, not %d: %v", len(lines), len(want), lines)
	}
	for i, fields := range want {
		if lines[i]["level"] != "info" {
			t.Errorf("line %d is of level %v", i, lines[i]["level"])
		}
		for name, value := range fields {
			if lines[i][name] != value {
				t.Errorf("line %d: %s is %v, not %v", i, name, lines[i][name], value)
			}
		}
	}
	if names, _ := lines[1]["tool_names"].([]any); !slices.Equal(names, []any{"ZONES", "SHOP.ORDER"}) {
		t.Errorf("the names of the tools are %v", names)
	}
	if _, has := lines[0]["tools"]; has {
		t.Errorf("a request that was not sent has tools: %v", lines[0])
	}
}

// TestTheProcessLogOfTheJSONProtocol has no number of calls: they are part of the content.
func TestTheProcessLogOfTheJSONProtocol(t *testing.T) {
	change := oneOfEach()
	change.Roundtrips[0].Answered = &domain.AnswerFigures{ContentChars: 40}
	line := processLog(t, zerolog.InfoLevel, change)[1]
	if _, has := line["tool_calls"]; has || line["content_chars"] != 40.0 {
		t.Errorf("the line is %v", line)
	}
}

func TestTheProcessLogHoldsNoWords(t *testing.T) {
	change := oneOfEach()
	change.Executions[0].Command = "secret words" // a model can ask for any name
	change.Roundtrips[0].Model = strings.Repeat("m", 1<<20)
	lines := processLog(t, zerolog.DebugLevel, change)
	text, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret words") || len(text) > 4000 {
		t.Errorf("a text of the tenant is in the log: %.5000s", text)
	}
	if got := processLog(t, zerolog.WarnLevel, oneOfEach()); got != nil {
		t.Errorf("at warn: %v", got)
	}
}
