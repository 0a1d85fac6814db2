package telemetry

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/traces"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// exported returns the spans of a change, by name.
func exported(t *testing.T, c Config, change *domain.Change) map[string]tracetest.SpanStub {
	t.Helper()
	kept := tracetest.NewInMemoryExporter()
	c.exported = nil
	ways := over(c, keeps{kept})
	ways.Committed(change)
	if err := ways.provider.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := map[string]tracetest.SpanStub{}
	for _, s := range kept.GetSpans() {
		all[s.Name] = s
	}
	if err := ways.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	return all
}

// keeps is an exporter that keeps its spans after a shutdown.
type keeps struct{ *tracetest.InMemoryExporter }

func (keeps) Shutdown(context.Context) error { return nil }

func aRound() (*domain.Change, string) {
	round := ids.New("rnd")
	s := &domain.Session{ID: "ses_1", WorkspaceID: "w", Type: domain.Chat, Phase: domain.Idle, State: domain.SessionState{
		RoundState: domain.RoundState{RoundID: round}, Counters: domain.Counters{RoundRoundtrips: 2},
	}}
	cost := 0.25
	call := func(id, outcome string) *domain.Roundtrip {
		return &domain.Roundtrip{
			ID: id, WorkspaceID: "w", SessionID: "ses_1", RoundID: round, MessageID: "msg_1", ProviderKind: "gemini", Model: "big", Purpose: "answer",
			Outcome: outcome, Usage: domain.Usage{InputTokens: 10, OutputTokens: 2, Cost: &cost}, StartedAt: noon, FirstTokenAt: new(noon.Add(time.Second)), EndedAt: noon.Add(2 * time.Second),
		}
	}
	answered, failed := call("rtp_2", domain.OutcomeAnswered), call("rtp_1", "network")
	failed.Model, answered.Before = "small", []*domain.Roundtrip{failed}
	execution := func(id, command string, status domain.ExecutionStatus) *domain.Execution {
		return &domain.Execution{
			ID: id, WorkspaceID: "w", SessionID: "ses_1", RoundID: round, CallID: "call_1", Command: command, Status: status,
			Params: []byte(`{"secret":"` + strings.Repeat("x", 2*maxText) + `"}`), StartedAt: new(noon), EndedAt: new(noon.Add(time.Millisecond)),
		}
	}
	wrong := execution("exe_2", "DELETE_DATA", domain.ExecFailed)
	wrong.Error = &domain.CommandError{Code: "not_found", Message: "There is no such entry."}
	return &domain.Change{
		WorkspaceID: "w", Sessions: []domain.SessionWrite{{Session: s}}, Roundtrips: []*domain.Roundtrip{answered},
		Executions: []*domain.Execution{execution("exe_1", "CREATE_DATA", domain.ExecSuccess), wrong, execution("exe_3", "PLANNED", domain.ExecPlanned)},
		Approvals: []*domain.Approval{
			{ID: "apr_1", WorkspaceID: "w", SessionID: "ses_1", RoundID: round, Kind: domain.ApprovalActions, Status: domain.ApprovalStatusApproved, CreatedAt: noon, SettledAt: new(noon.Add(time.Hour))},
			{ID: "apr_2", WorkspaceID: "w", SessionID: "ses_1", RoundID: round, Kind: domain.ApprovalQuestion, Status: domain.ApprovalStatusOpen, CreatedAt: noon},
		},
		Messages:    []*domain.Message{{ID: "msg_1", AI: &domain.AIMessage{PreText: "It is done."}}},
		Transitions: []*domain.Transition{{SessionID: "ses_1", From: domain.ParsingAIResponse, To: domain.Idle, Event: "AIResponseParsed", RoundID: round, At: noon.Add(time.Minute)}},
	}, round
}

func value(s tracetest.SpanStub, key string) attribute.Value {
	for _, a := range s.Attributes {
		if string(a.Key) == key {
			return a.Value
		}
	}
	return attribute.Value{}
}

func TestTheSpansOfARound(t *testing.T) {
	change, round := aRound()
	all := exported(t, Config{ratio: 1, service: "fermata"}, change)
	if len(all) != 6 {
		t.Fatalf("spans: %v", all)
	}
	whole := all["invoke_agent"]
	if whole.SpanContext.TraceID().String() != traces.Of(round) || whole.Parent.IsValid() || !whole.EndTime.Equal(noon.Add(time.Minute)) {
		t.Errorf("the round: %+v", whole)
	}
	for _, name := range []string{"chat big", "chat small", "execute_tool CREATE_DATA", "execute_tool DELETE_DATA"} {
		if s := all[name]; s.Parent.SpanID() != whole.SpanContext.SpanID() || s.SpanContext.TraceID() != whole.SpanContext.TraceID() {
			t.Errorf("%s is not in its round: %+v", name, s)
		}
	}
	call := all["chat big"]
	if value(call, "gen_ai.provider.name").AsString() != "gcp.gemini" || value(call, "gen_ai.usage.input_tokens").AsInt64() != 10 ||
		value(call, "gen_ai.usage.output_tokens").AsInt64() != 2 || value(call, "gen_ai.response.time_to_first_chunk").AsFloat64() != 1 ||
		call.Status.Code != codes.Unset || call.SpanContext.SpanID().String() != traces.Span("rtp_2") {
		t.Errorf("the call: %+v", call)
	}
	for name, failure := range map[string]string{"chat small": "network", "execute_tool DELETE_DATA": "not_found"} {
		if s := all[name]; s.Status.Code != codes.Error || value(s, "error.type").AsString() != failure {
			t.Errorf("%s failed as %+v", name, s.Status)
		}
	}
	if s := all["approval actions"]; s.SpanContext.TraceID() == whole.SpanContext.TraceID() || len(s.Links) != 1 ||
		s.Links[0].SpanContext.SpanID() != whole.SpanContext.SpanID() {
		t.Errorf("the approval: %+v", s)
	}
	for name, s := range all {
		for _, a := range s.Attributes {
			if strings.Contains(a.Value.Emit(), "xxx") || strings.Contains(a.Value.Emit(), "It is done.") {
				t.Errorf("%s carries content", name)
			}
		}
	}
}

func TestContentIsBoundedAndAskedFor(t *testing.T) {
	change, _ := aRound()
	all := exported(t, Config{ratio: 1, content: true}, change)
	if got := value(all["chat big"], "gen_ai.output.messages").AsString(); got != "It is done." {
		t.Errorf("the answer is %q", got)
	}
	arguments := value(all["execute_tool CREATE_DATA"], "gen_ai.tool.call.arguments").AsString()
	if !strings.HasPrefix(arguments, `{"secret":"xxx`) || len(arguments) > maxText+len("…") {
		t.Errorf("the arguments have %d bytes", len(arguments))
	}
}

func TestWhatIsNotTraced(t *testing.T) {
	change, _ := aRound()
	if all := exported(t, Config{ratio: 0}, change); len(all) != 0 {
		t.Errorf("no round should be traced: %v", all)
	}
	var none *Traces
	none.Committed(change)
	if err := none.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// failing is a collector that accepts nothing.
type failing struct{ sdk.SpanExporter }

func (failing) ExportSpans(context.Context, []sdk.ReadOnlySpan) error { return errors.New("gone") }

func TestALostCollectorIsReportedOnceAMinute(t *testing.T) {
	var log strings.Builder
	now, lost := noon, 0
	w := &watched{SpanExporter: failing{}, config: Config{
		Clock: func() time.Time { return now }, Log: zerolog.New(&log),
		exported: func(n int, err error) {
			if err != nil {
				lost += n
			}
		},
	}}
	batch := make([]sdk.ReadOnlySpan, 3)
	for range 5 {
		if err := w.ExportSpans(t.Context(), batch); err != nil {
			t.Error(err)
		}
		now = now.Add(25 * time.Second)
	}
	if lines := strings.Count(log.String(), "\n"); lines != 2 || lost != 15 {
		t.Errorf("%d lines and %d spans lost:\n%s", lines, lost, log.String())
	}
}
