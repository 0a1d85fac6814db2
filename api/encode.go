package api

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// The three bodies that every turn writes several times, encoded by hand: far less of
// the time and of the garbage than with reflection. They give what json.Marshal gives
// for SessionFrom, MessageFrom and RoundtripFrom, but for the order of the fields.

// EncodeAccepted is the answer to a message: a MessageAccepted.
func EncodeAccepted(m *domain.Message, s *domain.Session, seq int64) ([]byte, error) {
	b, err := appendMessage(append(make([]byte, 0, 2048), `{"message":`...), m)
	if err != nil {
		return nil, err
	}
	if b, err = appendSession(append(b, `,"session":`...), s); err != nil {
		return nil, err
	}
	b = strconv.AppendInt(append(b, `,"event_seq":`...), seq, 10)
	return append(b, '}'), nil
}

func appendSession(b []byte, s *domain.Session) ([]byte, error) {
	b = appendText(append(b, `{"id":`...), s.ID)
	b = appendText(append(b, `,"workspace_id":`...), s.WorkspaceID)
	b = appendText(append(b, `,"name":`...), s.Name)
	b = appendText(append(b, `,"type":`...), string(s.Type))
	b = appendText(append(b, `,"status":`...), string(s.Status()))
	b = appendText(append(b, `,"phase":`...), string(s.Phase))
	b = appendTextOrNull(append(b, `,"round_id":`...), s.State.RoundID)
	b = strconv.AppendBool(append(b, `,"pinned":`...), s.Pinned)
	b = appendTextOrNull(append(b, `,"external_id":`...), s.ExternalID)
	b = appendTextOrNull(append(b, `,"owner":`...), s.Owner)
	b = appendText(append(b, `,"visibility":`...), string(s.Visibility))
	b = appendTextOrNull(append(b, `,"parent_session_id":`...), s.ParentSessionID)
	if s.Origin != nil {
		b = appendText(append(b, `,"forked_from":{"session_id":`...), s.Origin.SessionID)
		b = appendText(append(b, `,"message_id":`...), s.Origin.MessageID)
		b = append(b, '}')
	}
	b = appendIntOrNull(append(b, `,"budgets":{"max_tokens_per_round":`...), s.Budgets.MaxTokensPerRound)
	b = appendFloatOrNull(append(b, `,"max_cost_per_round":`...), s.Budgets.MaxCostPerRound)
	b = appendFloatOrNull(append(b, `,"max_cost_per_session":`...), s.Budgets.MaxCostPerSession)
	b = appendFloatOrNull(append(b, `,"max_cost_per_day":`...), s.Budgets.MaxCostPerDay)
	b = appendText(append(b, `},"lane":`...), domain.LaneOr(s.Lane))
	b = strconv.AppendBool(append(b, `,"holds_slot":`...), s.HoldsSlot)
	b = appendNonZero(append(b, `,"queue_position":`...), int64(s.QueuePosition))
	b = append(b, `,"waiting_context":`...)
	if s.State.Waiting == nil {
		b = append(b, null...)
	} else {
		waiting, err := json.Marshal(waitingFrom(s.State.Waiting))
		if err != nil {
			return nil, err
		}
		b = append(b, waiting...)
	}
	b = strconv.AppendInt(append(b, `,"total_roundtrips":`...), int64(s.State.TotalRoundtrips), 10)
	b = appendTextOrNull(append(b, `,"end_reason":`...), string(s.EndReason))
	b = appendTextOrNull(append(b, `,"automation_id":`...), s.AutomationID)
	b = appendTimeOrNull(append(b, `,"scheduled_execution_time":`...), s.ScheduledExecutionTime)
	b = appendTextOrNull(append(b, `,"trigger":`...), s.Trigger)
	b = appendTextOrNull(append(b, `,"provider_id":`...), s.ProviderID)
	b = appendTextOrNull(append(b, `,"model":`...), s.Model)
	b = strconv.AppendBool(append(b, `,"require_validation":`...), s.RequireValidation)
	b = appendUsage(append(b, `,"usage":`...), &s.Usage)
	b = strconv.AppendInt(append(b, `,"last_seq":`...), s.LastSeq, 10)
	b = strconv.AppendInt(append(b, `,"run_epoch":`...), s.RunEpoch, 10)
	b = appendTime(append(b, `,"last_event_time":`...), s.LastEventTime)
	b = appendTimeOrNull(append(b, `,"last_user_interaction_time":`...), s.LastUserInteractionTime)
	b = appendTime(append(b, `,"created_at":`...), s.CreatedAt)
	b = appendTime(append(b, `,"updated_at":`...), s.UpdatedAt)
	return append(b, '}'), nil
}

func appendMessage(b []byte, m *domain.Message) ([]byte, error) {
	b = appendText(append(b, `{"id":`...), m.ID)
	b = appendText(append(b, `,"session_id":`...), m.SessionID)
	if m.RoundID != "" {
		b = appendText(append(b, `,"round_id":`...), m.RoundID)
	}
	if m.RetryOf != "" {
		b = appendText(append(b, `,"retry_of":`...), m.RetryOf)
	}
	b = appendNonZero(append(b, `,"seq":`...), m.Seq)
	b = appendTime(append(b, `,"timestamp":`...), m.Timestamp)
	b = appendText(append(b, `,"sender":`...), string(m.Sender))
	b = appendText(append(b, `,"status":`...), string(m.ShownStatus()))
	if m.SenderID != "" {
		b = appendText(append(b, `,"sender_id":`...), m.SenderID)
	}
	if m.SenderName != "" {
		b = appendText(append(b, `,"sender_name":`...), m.SenderName)
	}
	if m.Text != "" {
		b = appendText(append(b, `,"text_content":`...), m.Text)
	}
	b, err := appendContent(b, m)
	if err != nil {
		return nil, err
	}
	b = strconv.AppendBool(append(b, `,"exclude_from_prompt":`...), m.ExcludeFromPrompt)
	return append(b, '}'), nil
}

// appendContent appends the parts of a message that differ between its variants.
func appendContent(b []byte, m *domain.Message) ([]byte, error) {
	var err error
	part := func(name string, v any) {
		if err == nil {
			b, err = appendField(append(b, ','), name, v)
		}
	}
	if m.Rich != nil {
		part("rich_content", m.Rich)
	}
	if m.AI != nil {
		part("ai_message", m.AI)
	}
	if m.Raw != nil {
		part("ai_raw", m.Raw)
	}
	if m.System != nil {
		part("system_message", systemFrom(m))
	}
	if m.Run != nil {
		part("execution_metadata", runFrom(m.Run))
	}
	return b, err
}

func appendRoundtrip(b []byte, r *domain.Roundtrip) []byte {
	b = appendText(append(b, `{"id":`...), r.ID)
	b = appendText(append(b, `,"round_id":`...), r.RoundID)
	if r.MessageID != "" {
		b = appendText(append(b, `,"message_id":`...), r.MessageID)
	}
	b = strconv.AppendInt(append(b, `,"number":`...), int64(r.Number), 10)
	b = appendText(append(b, `,"reason":`...), string(r.Reason))
	b = appendText(append(b, `,"purpose":`...), r.Purpose)
	b = appendTextOrNull(append(b, `,"provider_id":`...), r.ProviderID)
	b = appendText(append(b, `,"provider_kind":`...), r.ProviderKind)
	b = appendText(append(b, `,"model":`...), r.Model)
	b = appendText(append(b, `,"outcome":`...), r.Outcome)
	if r.Error != "" {
		b = appendText(append(b, `,"error":`...), r.Error)
	}
	b = appendUsage(append(b, `,"usage":`...), &r.Usage)
	b = appendTime(append(b, `,"started_at":`...), r.StartedAt)
	b = appendTimeOrNull(append(b, `,"first_token_at":`...), r.FirstTokenAt)
	b = appendTime(append(b, `,"ended_at":`...), r.EndedAt)
	return append(b, '}')
}

func appendUsage(b []byte, u *domain.Usage) []byte {
	b = strconv.AppendInt(append(b, `{"input_tokens":`...), u.InputTokens, 10)
	b = strconv.AppendInt(append(b, `,"cache_read_tokens":`...), u.CacheReadTokens, 10)
	b = strconv.AppendInt(append(b, `,"cache_write_tokens":`...), u.CacheWriteTokens, 10)
	b = strconv.AppendInt(append(b, `,"output_tokens":`...), u.OutputTokens, 10)
	b = strconv.AppendInt(append(b, `,"reasoning_tokens":`...), u.ReasoningTokens, 10)
	b = append(b, `,"cost":`...)
	if u.Cost == nil {
		return append(b, "null}"...)
	}
	b = appendFloatOrNull(append(b, `{"amount":`...), u.Cost)
	return append(b, `,"currency":"USD"}}`...)
}

// appendText appends a JSON string. Text of plain ASCII is copied; the rest goes
// through the encoder, which knows every case.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			raw, _ := json.Marshal(s) // a string: cannot fail
			return append(b, raw...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func appendTextOrNull(b []byte, s string) []byte {
	if s == "" {
		return append(b, null...)
	}
	return appendText(b, s)
}

func appendTimeOrNull(b []byte, t *time.Time) []byte {
	if t == nil {
		return append(b, null...)
	}
	return appendTime(b, *t)
}

func appendIntOrNull(b []byte, n *int64) []byte {
	if n == nil {
		return append(b, null...)
	}
	return strconv.AppendInt(b, *n, 10)
}

// appendNonZero writes 0 as null.
func appendNonZero(b []byte, n int64) []byte {
	if n == 0 {
		return append(b, null...)
	}
	return strconv.AppendInt(b, n, 10)
}

func appendFloatOrNull(b []byte, f *float64) []byte {
	if f == nil {
		return append(b, null...)
	}
	return strconv.AppendFloat(b, *f, 'g', -1, 64)
}
