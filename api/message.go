package api

import (
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
)

// MessageFrom is a message as clients see it.
func MessageFrom(m *domain.Message) *Message {
	if m == nil {
		return nil
	}
	return &Message{
		ID: m.ID, SessionID: m.SessionID, RoundID: textPtr(m.RoundID), RetryOf: textPtr(m.RetryOf), Seq: numberPtr(m.Seq),
		Timestamp: Time(m.Timestamp), Sender: MessageSender(m.Sender), Status: MessageStatus(m.ShownStatus()),
		SenderID: textPtr(m.SenderID), SenderName: textPtr(m.SenderName), RichContent: m.Rich, TextContent: textPtr(m.Text),
		AiMessage: m.AI, AiRaw: m.Raw, SystemMessage: systemFrom(m), ExecutionMetadata: runFrom(m.Run),
		ExcludeFromPrompt: m.ExcludeFromPrompt,
	}
}

// saidOnce returns a message for events, without duplicated content: the text of a single segment, and the raw response
// of the AI. Both can be read from the session.
func saidOnce(m *domain.Message) *domain.Message {
	out := *m
	if r := m.Rich; r != nil && len(r.Segments) == 1 && r.Segments[0].Text == r.LinearText {
		out.Rich = &domain.RichContent{Segments: r.Segments, Commands: r.Commands}
	}
	if m.Raw != nil && m.AI != nil && m.AI.PreText != domain.InvalidFormatText {
		raw := *m.Raw
		raw.Text, raw.Calls = "", nil
		out.Raw = &raw
	}
	return &out
}

// systemFrom is what the server did as clients see it. A failed call that an earlier version
// recorded as one sentence is read apart.
func systemFrom(m *domain.Message) *SystemMessage {
	s := m.System.Failure(m.Timestamp)
	if s == nil {
		return nil
	}
	return &SystemMessage{
		Type: s.Type, Summary: s.Summary, CommandResults: s.CommandResults, FormattedData: textPtr(s.FormattedData),
		Translations: s.Shown(),
		Code:         textPtr(string(s.Code)), Detail: textPtr(s.Detail), RetryAt: timePtr(s.RetryAt), ProviderID: textPtr(s.ProviderID),
	}
}

// Why is the summary of a failed call with what the provider said.
func (s *SystemMessage) Why() string {
	own := domain.SystemMessage{Summary: s.Summary, Detail: Value(s.Detail)}
	return own.Why()
}

func runFrom(r *domain.ExecutionMetadata) *ExecutionMetadata {
	if r == nil {
		return nil
	}
	return &ExecutionMetadata{
		AutomationID: r.AutomationID, Trigger: r.Trigger, ScheduledAt: timePtr(r.ScheduledAt),
		DurationMs: r.DurationMS, Tokens: r.Tokens, Cost: costFrom(r.Cost),
	}
}

// ExecutionFrom is the execution of a command as clients see it.
func ExecutionFrom(e *domain.Execution) *Execution {
	out := &Execution{
		ID:         e.ID,
		SessionID:  e.SessionID,
		RoundID:    textPtr(e.RoundID),
		MessageID:  textPtr(e.MessageID),
		CallID:     textPtr(e.CallID),
		Position:   &e.Position,
		Command:    e.Command,
		Params:     rawOrNull(e.Params),
		Kind:       e.Kind,
		Effect:     e.Effect,
		Status:     e.Status,
		Attempt:    e.Attempt,
		ApprovalID: textPtr(e.ApprovalID),
		GrantID:    textPtr(e.GrantID),
		Result:     rawOrNull(e.Result),
		Text:       textPtr(e.Text),
		Note:       textPtr(e.Note),
		Error:      e.Error,
		StartedAt:  timePtr(e.StartedAt),
		EndedAt:    timePtr(e.EndedAt),
	}
	if !e.CreatedAt.IsZero() {
		out.CreatedAt = timePtr(&e.CreatedAt)
	}
	if e.RunsAgent() {
		out.AgentSessionID = textPtr(domain.AgentSessionID(e.ID))
	}
	return out
}

// ApprovalFrom is an approval as clients see it.
func ApprovalFrom(a *domain.Approval) *Approval {
	if a == nil {
		return nil
	}
	return &Approval{
		ID: a.ID, SessionID: a.SessionID, RoundID: textPtr(a.RoundID), Kind: a.Kind, Status: a.Status,
		Text: textPtr(a.Text), Translations: a.Translations,
		Reasons: listOf(a.Reasons), Actions: listOf(a.Actions), Module: a.Module, Budget: a.Budget,
		ResponseSchema: rawOrNull(a.ResponseSchema), CancelMessageID: textPtr(a.CancelMessageID),
		ExpiresAt: timePtr(a.ExpiresAt), OnExpiry: textPtr(ApprovalOnExpiry(a.OnExpiry)),
		CreatedAt: Time(a.CreatedAt), SettledBy: textPtr(a.SettledBy), SettledAt: timePtr(a.SettledAt),
		Decision: rawOrNull(a.Decision), Evidence: evidenceFrom(a.Evidence),
	}
}

var null = json.RawMessage("null")

// rawOrNull keeps an empty raw value from being an error of the encoder.
func rawOrNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return null
	}
	return raw
}

// listOf is never null: clients get an empty list.
func listOf[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
