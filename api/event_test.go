package api_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fermata-dev/fermata"
	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/testkit"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 123456000, time.UTC)

// fullSession has every field set; bareSession as few as a new CHAT has.
func fullSession() *domain.Session {
	return &domain.Session{
		ID: "ses_1", WorkspaceID: "default", Type: domain.Run, Name: `Läufe "März" <b>`, Phase: domain.WaitingValidation,
		State: domain.SessionState{
			RoundState: domain.RoundState{RoundID: "rnd_1"}, Counters: domain.Counters{TotalRoundtrips: 3},
			Waiting: &domain.WaitingContext{Kind: domain.WaitValidation, ApprovalID: "apr_1", CancelMessageID: "msg_2", At: noon,
				Module: &domain.Module{Type: "Text", Data: json.RawMessage(`{"question":"?"}`)}, Attempt: 2, LastError: "gone",
				Tasks: []string{"tsk_1"}, Reason: domain.EndTimeout, Limit: "max_cost_per_round", MessageID: "msg_1"},
		},
		EndReason: domain.EndSuspended, HoldsSlot: true, Place: domain.Place{QueuePosition: 2}, ExternalID: "mine", ParentSessionID: "ses_0",
		Ownership: domain.Ownership{Owner: "per_1", Visibility: domain.VisiblePrivate}, AutomationID: "aut_1", Trigger: "SCHEDULED", ScheduledExecutionTime: new(noon), ProviderID: "prv_1", Model: "m",
		RequireValidation: true, Pinned: true,
		Budgets:   domain.Budgets{MaxTokensPerRound: new(int64(5)), MaxCostPerRound: new(0.25), MaxCostPerSession: new(1e-9)},
		Usage:     domain.Usage{InputTokens: 1, CacheReadTokens: 2, CacheWriteTokens: 3, OutputTokens: 4, ReasoningTokens: 5, Cost: new(0.1)},
		CreatedAt: noon, UpdatedAt: noon, LastEventTime: noon, LastUserInteractionTime: new(noon), LastSeq: 9, RunEpoch: 4,
	}
}

func bareSession() *domain.Session {
	return &domain.Session{ID: "ses_1", WorkspaceID: "default", Type: domain.Chat, Ownership: domain.Ownership{Visibility: domain.VisibleWorkspace}, Phase: domain.Idle, CreatedAt: noon, UpdatedAt: noon, LastEventTime: noon}
}

func messages() map[string]*domain.Message {
	command := domain.Command{ID: "c", Type: "ZONES", Params: json.RawMessage(`{}`), IsRelative: true, CallID: "call_1", Repeat: true, ValidationRequest: true}
	return map[string]*domain.Message{
		"user": {ID: "msg_1", SessionID: "ses_1", RoundID: "rnd_1", Seq: 4, Timestamp: noon, Sender: domain.SenderUser, Status: domain.MessageStored, SenderID: "key_1",
			Rich: &domain.RichContent{LinearText: "héllo\n", Segments: []domain.Segment{{Type: "text", Text: "héllo\n"},
				{Type: "enrichment", Enrichment: &domain.Enrichment{Type: domain.EnrichUse, Config: json.RawMessage(`{"tool_id":"t"}`), Summary: "s"}}},
				Commands: []domain.Command{command}}},
		"plain": {ID: "msg_5", SessionID: "ses_1", Seq: 7, Timestamp: noon, Sender: domain.SenderUser, Status: domain.MessageStored,
			Rich: &domain.RichContent{LinearText: "hello", Segments: []domain.Segment{{Type: "text", Text: "hello"}}}},
		"garbled": {ID: "msg_6", SessionID: "ses_1", Seq: 8, Timestamp: noon, Sender: domain.SenderAI, Status: domain.MessageStored,
			AI: &domain.AIMessage{PreText: domain.InvalidFormatText}, Raw: &domain.RawAnswer{Protocol: domain.ProtocolJSON, Text: "{", Calls: []domain.RawCall{{ID: "call_1", Name: "ZONES", Arguments: "{"}}}},
		"queued": {ID: "msg_2", SessionID: "ses_1", Timestamp: noon, Sender: domain.SenderUser, Status: domain.MessageQueued, Text: "an answer"},
		"ai": {ID: "msg_3", SessionID: "ses_1", Seq: 5, Timestamp: noon, Sender: domain.SenderAI, Status: domain.MessageInterrupted, ExcludeFromPrompt: true,
			AI: &domain.AIMessage{PreText: "hi", DataCommands: []domain.Command{command}, ActionCommands: []domain.Command{command}, PostText: "p", KeepControl: true,
				Module: &domain.Module{Type: "Text", Data: json.RawMessage(`{}`)}, Completed: true, ValidationRequest: true},
			Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "hi", Calls: []domain.RawCall{{ID: "call_1", ProviderID: "x", Name: "ZONES", Arguments: "{}", Signature: "s"}},
				Thinking: []domain.Thinking{{Text: "hm", Data: "d"}}, StopReason: "calls", Model: "m", Provider: "demo"}},
		"system": {ID: "msg_4", SessionID: "ses_1", Seq: 6, Timestamp: noon, Sender: domain.SenderSystem, Status: domain.MessageStored,
			System: &domain.SystemMessage{Type: domain.SystemDataAdded, Summary: "1 zone", FormattedData: "…", CommandResults: []domain.CommandResult{
				{ExecutionID: "exe_1", CallID: "call_1", Command: "ZONES", Status: domain.ExecFailed, Summary: "s", Text: "t", Note: "n",
					Error: &domain.CommandError{Code: "x", Message: "y", Fields: []domain.FieldError{{Pointer: "/a", Code: "b", Message: "c"}}}}}},
			Run: &domain.ExecutionMetadata{AutomationID: "aut_1", Trigger: "MANUAL", ScheduledAt: new(noon), DurationMS: 1, Tokens: 2, Cost: new(0.5)}},
	}
}

func execution() *domain.Execution {
	return &domain.Execution{ID: "exe_1", SessionID: "ses_1", RoundID: "rnd_1", MessageID: "msg_1", CallID: "call_1", Position: 1, Command: "ZONES",
		Params: json.RawMessage(`{"a":1}`), Kind: domain.KindQuery, Effect: domain.EffectRead, Status: domain.ExecFailed, Attempt: 1, ApprovalID: "apr_1",
		Text: "t", Note: "n", Error: &domain.CommandError{Code: "x", Message: "y"}, CreatedAt: noon, StartedAt: new(noon), EndedAt: new(noon)}
}

func approval() *domain.Approval {
	return &domain.Approval{ID: "apr_1", SessionID: "ses_1", RoundID: "rnd_1", Kind: domain.ApprovalActions, Status: domain.ApprovalStatusApproved, Text: "?",
		Reasons:   []domain.ApprovalReason{{Level: domain.LevelZone, ID: "zon_1", Text: "Health asks"}},
		Actions:   []domain.ApprovalAction{{ID: "exe_1", Command: "DELETE_ZONE", Params: json.RawMessage(`{}`), Text: "Delete", Before: json.RawMessage(`1`), After: json.RawMessage(`null`), Warnings: []string{"w"}, Digest: "d"}},
		ExpiresAt: new(noon), OnExpiry: "deny", CreatedAt: noon, SettledBy: "local", SettledAt: new(noon), Decision: json.RawMessage(`{"approved":true}`)}
}

func roundtrip() *domain.Roundtrip {
	return &domain.Roundtrip{ID: "rtp_1", RoundID: "rnd_1", MessageID: "msg_1", Number: 1, Reason: domain.ReasonDataResponse, ProviderID: "prv_1", ProviderKind: "demo", Model: "m",
		Purpose: "answer", Outcome: "answered", Error: "e", Usage: domain.Usage{InputTokens: 1, Cost: new(0.5)}, StartedAt: noon, FirstTokenAt: new(noon), EndedAt: noon}
}

// events is one of each kind that the log can hold.
func events() []*domain.LogEvent {
	of := func(t domain.LogType, fill func(*domain.LogEvent)) *domain.LogEvent {
		e := &domain.LogEvent{Seq: 7, SessionSeq: 3, WorkspaceID: "default", SessionID: "ses_1", Type: t, At: noon}
		if !t.OfSession() {
			e.SessionID, e.SessionSeq = "", 0
		}
		fill(e)
		return e
	}
	all := []*domain.LogEvent{
		of(domain.LogSessionPhase, func(e *domain.LogEvent) {
			e.Phase = &domain.Transition{From: domain.Idle, To: domain.CallingAI, Event: "UserMessageSent", Reason: "r", Status: domain.StatusRunning, RoundID: "rnd_1", Epoch: 2, At: noon}
		}),
		of(domain.LogUsageUpdated, func(e *domain.LogEvent) { e.Usage = roundtrip() }),
		of(domain.LogContextCompacted, func(e *domain.LogEvent) { e.Message = messages()["system"]; e.Usage = roundtrip() }),
		of(domain.LogSlotChanged, func(e *domain.LogEvent) {
			e.Slot = &domain.SlotState{Holder: fullSession(), Since: new(noon), Preempting: "ses_2"}
		}),
		of(domain.LogSlotChanged, func(e *domain.LogEvent) { e.Slot = &domain.SlotState{} }),
		of(domain.LogQueueChanged, func(*domain.LogEvent) {}),
		of(domain.LogQueueChanged, func(e *domain.LogEvent) {
			e.Queue = []domain.QueueRow{{SessionID: "ses_1", Position: 1, Trigger: "MANUAL", Reason: "RESUME", Since: noon, NotBefore: new(noon), Preempting: true, Session: bareSession()}, {SessionID: "ses_2", Position: 2, Since: noon}}
		}),
		of(domain.LogAutomationChanged, func(e *domain.LogEvent) {
			e.Row = &automation.Automation{
				Belonging: automation.Belonging{Lane: "owner"},
				ID:        "aut_1", Name: "Morning", SeedSessionID: "ses_2", Enabled: true, Misfire: automation.MisfireOnce, Overlap: automation.OverlapSkip,
				Completion: automation.CompletionAuto, Validation: "park", HookSecret: automation.HookSecret{HookHash: "never shown", HookSealed: "never shown"}, NextAt: new(noon), CreatedAt: noon, UpdatedAt: noon,
				Schedule: &automation.Schedule{Type: "cron", Expression: "0 8 * * *", TimeZone: "UTC", StartsAt: "2030-01-01T00:00:00"},
				Triggers: []automation.Trigger{{Type: automation.TriggerEntryCreated, ToolID: "tol_1", Condition: json.RawMessage(`{"type":"object"}`)}},
			}
		}),
		of(domain.LogAutomationChanged, func(e *domain.LogEvent) {
			e.Row = &automation.Automation{
				Belonging: automation.Belonging{Lane: "shared"},
				ID:        "aut_1", Misfire: automation.MisfireAll, Overlap: automation.OverlapQueue, Completion: automation.CompletionAsk,
				CreatedAt: noon, UpdatedAt: noon, DeletedAt: new(noon),
			}
		}),
		of(domain.LogOccurrence, func(e *domain.LogEvent) {
			e.Row = &automation.Occurrence{
				ID: "occ_1", AutomationID: "aut_1", ScheduledAt: noon, State: automation.OccurrenceCoalesced, Reason: "misfire",
				CoalescedInto: new(noon), RecordedAt: noon,
			}
		}),
		of(domain.LogDataChanged, func(e *domain.LogEvent) {
			e.Change = &domain.DataChange{Noun: "entry", ID: "ent_1", Operation: "created", ToolID: "tol_1", Count: 2, SessionID: "ses_1"}
		}),
		of(domain.LogTaskChanged, func(e *domain.LogEvent) {
			e.Task = &domain.Task{
				ID: "tsk_1", SessionID: "ses_1", ExecutionID: "exe_1", ConnectorID: "con_1", Command: "RENDER.FILM", Status: domain.TaskSucceeded,
				Progress: domain.TaskProgress{Percent: new(12.5), Text: "half"}, Result: json.RawMessage(`"never in an event"`), Error: "e",
				Deadline: noon, CreatedAt: noon, UpdatedAt: noon, EndedAt: new(noon), Attempts: 1,
				Late: &domain.LateReport{Status: domain.TaskFailed, Result: json.RawMessage(`"never in an event"`), Error: "late", At: noon},
			}
		}),
		of(domain.LogTaskChanged, func(e *domain.LogEvent) {
			e.Task = &domain.Task{ID: "tsk_1", SessionID: "ses_1", Status: domain.TaskPending, Deadline: noon, CreatedAt: noon, UpdatedAt: noon}
		}),
		of(domain.LogAnswersChanged, func(e *domain.LogEvent) {
			e.Answers = &domain.AnswersChanged{SessionID: "ses_1", Superseded: []string{"msg_1"}, Current: []string{}}
		}),
		of(domain.LogNotice, func(e *domain.LogEvent) { e.Notice = &domain.Notice{Level: "info", Code: "c", Text: "t"} }),
		{Type: domain.LogNotice, At: noon, Notice: &domain.Notice{Level: "info", Code: "c", Text: "t"}},
	}
	for _, t := range []domain.LogType{domain.LogSessionCreated, domain.LogSessionStatus, domain.LogSessionEnded} {
		all = append(all, of(t, func(e *domain.LogEvent) { e.Session = fullSession() }), of(t, func(e *domain.LogEvent) { e.Session = bareSession() }))
	}
	for _, t := range []domain.LogType{domain.LogMessageCreated, domain.LogMessageUpdated, domain.LogMessageDeleted} {
		for _, m := range messages() {
			all = append(all, of(t, func(e *domain.LogEvent) { e.Message = m }))
		}
	}
	for _, t := range []domain.LogType{domain.LogCommandPlanned, domain.LogCommandStarted, domain.LogCommandEnded} {
		all = append(all, of(t, func(e *domain.LogEvent) { e.Execution = execution() }))
		all = append(all, of(t, func(e *domain.LogEvent) {
			e.Execution = &domain.Execution{ID: "exe_1", SessionID: "ses_1", Kind: domain.KindAction, Effect: domain.EffectIdempotent, Status: domain.ExecPlanned}
		}))
	}
	for _, t := range []domain.LogType{domain.LogApprovalRequested, domain.LogApprovalSettled} {
		all = append(all, of(t, func(e *domain.LogEvent) { e.Approval = approval() }))
		all = append(all, of(t, func(e *domain.LogEvent) {
			e.Approval = &domain.Approval{ID: "apr_1", SessionID: "ses_1", Kind: domain.ApprovalQuestion, Status: domain.ApprovalStatusOpen, CreatedAt: noon, Module: &domain.Module{Type: "Text", Data: json.RawMessage(`{}`)}}
		}))
	}
	return all
}

// TestEventsKeepTheContract holds every event to its schema, and the schemas to the
// events: a field that the contract does not name is a mistake in one of them.
func TestEventsKeepTheContract(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(fermata.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil {
		t.Fatal(err)
	}
	event := testkit.LoadContract(t).Components.Schemas["Event"].Value
	seen := map[domain.LogType]bool{}
	for _, e := range events() {
		data, err := api.EncodeEvent(e)
		if err != nil {
			t.Fatalf("%s: %v", e.Type, err)
		}
		if strings.Contains(string(data), "never in an event") {
			t.Errorf("%s has what must not be in it: %s", e.Type, data)
		}
		seq := any(nil)
		if e.SessionSeq != 0 {
			seq = float64(e.SessionSeq)
		}
		var body map[string]any
		if err := json.Unmarshal(data, &body); err != nil {
			t.Fatalf("%s: %v in %s", e.Type, err, data)
		}
		body["type"] = string(e.Type) // as streams and lists send it
		stored := map[string]any{"seq": float64(7), "session_seq": seq, "type": string(e.Type), "at": noon.Format(time.RFC3339), "data": body}
		if err := event.VisitJSON(stored); err != nil {
			t.Errorf("%s does not keep the contract: %v\n%s", e.Type, err, data)
		}
		seen[e.Type] = true
	}
	for name := range event.Discriminator.Mapping {
		if !seen[domain.LogType(name)] {
			t.Errorf("the contract has %s, but no test encodes one", name)
		}
	}
}

// TestHandWrittenEncodingSaysTheSame compares what is written by hand with what the
// generated types give.
func TestHandWrittenEncodingSaysTheSame(t *testing.T) {
	same := func(name string, e *domain.LogEvent, want any) {
		t.Helper()
		data, err := api.EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if err := json.Unmarshal(data, &a); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := json.Unmarshal(plain, &b); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s differs:\nby hand    %s\ngenerated  %s", name, data, plain)
		}
	}
	for _, s := range []*domain.Session{fullSession(), bareSession()} {
		same("session", &domain.LogEvent{Type: domain.LogSessionStatus, SessionID: s.ID, SessionSeq: 3, Session: s}, api.SessionStatusChangedData{SessionSeq: 3, Session: *api.SessionFrom(s)})
	}
	for name, m := range messages() {
		want := *api.MessageFrom(m)
		if name == "ai" { // an event says once what the AI answered
			raw := *want.AiRaw
			raw.Text, raw.Calls = "", nil
			want.AiRaw = &raw
		}
		if name == "plain" { // and what a person wrote
			want.RichContent = &domain.RichContent{Segments: want.RichContent.Segments}
		}
		same(name, &domain.LogEvent{Type: domain.LogMessageCreated, SessionID: m.SessionID, SessionSeq: 3, Message: m}, api.MessageCreatedData{SessionSeq: 3, Message: want})
	}
	accepted, err := api.EncodeAccepted(messages()["user"], fullSession(), 9)
	if err != nil {
		t.Fatal(err)
	}
	var got api.MessageAccepted
	if err := json.Unmarshal(accepted, &got); err != nil || got.EventSeq != 9 || got.Message.ID != "msg_1" || got.Session.ID != "ses_1" {
		t.Errorf("accepted: %v in %s", err, accepted)
	}
	same("usage", &domain.LogEvent{Type: domain.LogUsageUpdated, SessionID: "ses_1", SessionSeq: 3, Usage: roundtrip()}, api.UsageUpdatedData{SessionID: "ses_1", SessionSeq: 3, Roundtrip: *api.RoundtripFrom(roundtrip())})
	p := events()[0]
	same("phase", p, api.SessionPhaseData{SessionID: "ses_1", SessionSeq: 3, From: p.Phase.From, Phase: p.Phase.To, Status: p.Phase.Status, Event: p.Phase.Event, Reason: new("r"), RoundID: new("rnd_1"), Epoch: 2, At: api.Time(noon)})
}

// TestAnEventSaysATextOnce: a long text makes an event little longer than itself.
func TestAnEventSaysATextOnce(t *testing.T) {
	text := strings.Repeat("so much to say ", 6000)
	for name, m := range map[string]*domain.Message{
		"a person's": {Sender: domain.SenderUser, Rich: &domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: text}}, LinearText: text}},
		"the AI's":   {Sender: domain.SenderAI, AI: &domain.AIMessage{PreText: text}, Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: text}},
		"as JSON":    {Sender: domain.SenderAI, AI: &domain.AIMessage{PreText: text}, Raw: &domain.RawAnswer{Protocol: domain.ProtocolJSON, Text: `{"pre_text":"` + text + `"}`}},
		"garbled":    {Sender: domain.SenderAI, AI: &domain.AIMessage{PreText: domain.InvalidFormatText}, Raw: &domain.RawAnswer{Protocol: domain.ProtocolJSON, Text: text}},
	} {
		for _, kind := range []domain.LogType{domain.LogMessageCreated, domain.LogMessageUpdated, domain.LogMessageDeleted, domain.LogContextCompacted} {
			data, err := api.EncodeEvent(&domain.LogEvent{Type: kind, SessionID: "ses_1", Message: m})
			if err != nil {
				t.Fatal(err)
			}
			if most := len(text) * 11 / 10; len(data) > most || !bytes.Contains(data, []byte(text)) {
				t.Errorf("%s of %d bytes makes a %s of %d, more than %d", name, len(text), kind, len(data), most)
			}
		}
	}
}

// TestAnEventWithoutItsBodyIsAnError: the log must not keep an event that says nothing.
func TestAnEventWithoutItsBodyIsAnError(t *testing.T) {
	for _, e := range events() {
		if e.Type == domain.LogQueueChanged || e.Type == domain.LogContextCompacted {
			continue // an empty queue is one; a compaction may come without its summary
		}
		if data, err := api.EncodeEvent(&domain.LogEvent{Type: e.Type, SessionID: e.SessionID}); err == nil {
			t.Errorf("%s without a body became %s", e.Type, data)
		}
	}
}

func BenchmarkEncodeEvent(b *testing.B) {
	m := messages()
	for name, e := range map[string]*domain.LogEvent{
		"phase":   events()[0],
		"session": {Type: domain.LogSessionStatus, SessionID: "ses_1", Session: bareSession()},
		"user":    {Type: domain.LogMessageCreated, SessionID: "ses_1", Message: m["user"]},
		"ai":      {Type: domain.LogMessageCreated, SessionID: "ses_1", Message: m["ai"]},
		"usage":   {Type: domain.LogUsageUpdated, SessionID: "ses_1", Usage: roundtrip()},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := api.EncodeEvent(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
