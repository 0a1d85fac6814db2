package suite

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// sessionRoundTrip: every field of a session comes back as it was.
func sessionRoundTrip(w *world) {
	parent := w.stored("parent")
	s := w.session("Größe, 漢字, \"quotes\" & <tags>")
	s.Type, s.Phase, s.EndReason, s.HoldsSlot = domain.Run, domain.WaitingValidation, domain.EndSuspended, true
	s.State = domain.SessionState{
		Waiting:     &domain.WaitingContext{Kind: domain.WaitValidation, ApprovalID: "apr_1", CancelMessageID: "msg_1", At: T0.Add(time.Microsecond)},
		RoundState:  domain.RoundState{RoundID: "rnd_1", RoundCause: domain.CauseSchedule},
		AnswerState: domain.AnswerState{AnswerID: "msg_2"},
		Counters:    domain.Counters{TotalRoundtrips: 7, RoundCost: 0.1, AnswerHashes: []string{"a", "b"}},
		CallState:   domain.CallState{TooLong: 1, FinalText: "Größe", Unread: []string{"msg_3"}},
		Poisoned:    true,
	}
	s.QueuedAt, s.WakeAt = new(T0.Add(time.Hour)), new(T0.Add(2*time.Hour))
	s.ExternalID, s.ParentSessionID, s.AutomationID, s.Trigger = "ext", parent.ID, "aut_1", "SCHEDULED"
	s.ScheduledExecutionTime, s.LastUserInteractionTime = new(T0.Add(-time.Hour)), new(T0.Add(-time.Minute))
	s.ProviderID, s.Model, s.RequireValidation, s.Pinned = "prv_1", "model-x", true, true
	s.Budgets = domain.Budgets{MaxTokensPerRound: new(int64(5)), MaxCostPerSession: new(1.25)}
	s.Usage = domain.Usage{InputTokens: 1, CacheReadTokens: 2, CacheWriteTokens: 3, OutputTokens: 4, ReasoningTokens: 5, Cost: new(0.3)}
	c := w.change(s)
	c.Sessions[0].Insert, c.Sessions[0].Claim = true, true
	w.ok(w.Commit(w.Context(), c))

	got, err := w.Sessions.Session(w.Context(), domain.DefaultWorkspace, s.ID)
	w.ok(err)
	w.equal(got, s, "the session after its insert")
	s.HoldsSlot, s.QueuedAt, s.WakeAt, s.State.Waiting, s.Phase, s.Name = false, nil, nil, nil, domain.Idle, "renamed"
	w.ok(w.Commit(w.Context(), w.change(s)))
	got, err = w.Sessions.SessionByExternalID(w.Context(), domain.DefaultWorkspace, "ext")
	w.ok(err)
	w.equal(got, s, "the session after its update")
}

// textsTwice: a message whose texts are the same, or nearly, comes back as it was.
func textsTwice(w *world) {
	s := w.stored("first")
	segment := func(text string) domain.Segment { return domain.Segment{Type: "text", Text: text} }
	for i, text := range []string{"", "a", " a ", "é <&> \u2028", strings.Repeat("long ", 2000), `{"as_read":true}`, `"one_text":true}`} {
		for j, other := range []string{text, text + " ", ""} {
			c := w.change(s)
			answer, question := w.say(c, s, domain.SenderAI, ""), w.say(c, s, domain.SenderUser, "")
			answer.AI = &domain.AIMessage{PreText: text}
			answer.Raw = &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: other}
			question.Rich = &domain.RichContent{Segments: []domain.Segment{segment(text)}, LinearText: other}
			bare, several := w.say(c, s, domain.SenderAI, ""), w.say(c, s, domain.SenderUser, "")
			bare.Raw = answer.Raw
			several.Rich = &domain.RichContent{Segments: []domain.Segment{segment(text), segment(other)}, LinearText: text}
			want := []*domain.Message{answer, question, bare, several}
			w.ok(w.Commit(w.Context(), c))
			got, _, err := w.Sessions.MessagePage(w.Context(), s, fmt.Sprint(answer.Seq-1), 10, false)
			w.ok(err)
			w.equal(got, want, fmt.Sprintf("messages %d, %d", i, j))
		}
	}
}

// messageRoundTrip: what the model said goes back into the prompt, so it comes back
// byte for byte, odd spacing and all.
func messageRoundTrip(w *world) {
	s := w.stored("first")
	arguments := "{ \"b\" :1.0,\t\"a\":\"\\u00e9 \\/ <&>\" ,\n \"b\":2e0}  "
	c := w.change(s)
	m := w.say(c, s, domain.SenderAI, "plain \"text\" <&> \u2028 𝄐")
	m.SenderName, m.SenderRole, m.Payer = "Ada", domain.RoleAdmin, "Grace"
	m.Tools = &domain.ClientTools{OneAtATime: true, List: []domain.ClientTool{
		{Name: "get_weather", Description: "The weather.", Params: json.RawMessage(`{"type":"object"}`)},
	}}
	m.RoundID, m.SenderID, m.AnswersCall, m.ExcludeFromPrompt = "rnd_1", "key_1", "call_1", true
	m.Raw = &domain.RawAnswer{
		Protocol: domain.ProtocolNative, Text: " spaced  ", StopReason: "calls", Model: "m", Provider: "openai",
		Calls:    []domain.RawCall{{ID: "c1", ProviderID: "call_1", Name: "CREATE_DATA", Arguments: arguments, Signature: "s=="}},
		Thinking: []domain.Thinking{{Text: "hm", Data: "{\"sig\" : 1}"}},
	}
	m.AI = &domain.AIMessage{PreText: "pre", Report: "report", Unread: []string{"msg_0"}, ActionCommands: []domain.Command{{ID: "h", Type: "CREATE_DATA", Params: json.RawMessage(`{"a":1}`)}}}
	m.Rich = &domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: "<b>"}}, LinearText: "<b>"}
	m.System = &domain.SystemMessage{Type: domain.SystemDataAdded, Summary: "s", FormattedData: "| a |\n"}
	m.Run = &domain.ExecutionMetadata{AutomationID: "aut", Trigger: "MANUAL", DurationMS: 3, Cost: new(0.5)}
	w.ok(w.Commit(w.Context(), c))

	got, err := w.Sessions.Message(w.Context(), domain.DefaultWorkspace, s.ID, m.ID)
	w.ok(err)
	w.equal(got, m, "the message")
	if got.Raw.Calls[0].Arguments != arguments {
		w.Fatalf("arguments: got %q, want %q", got.Raw.Calls[0].Arguments, arguments)
	}
	list, err := w.Sessions.Messages(w.Context(), domain.DefaultWorkspace, s.ID, 0, 0)
	w.ok(err)
	w.equal(list, []*domain.Message{m}, "the list")
}
