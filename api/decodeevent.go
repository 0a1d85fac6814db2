package api

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Event is a decoded event of a stream. Its body is in the field that its name selects; all others are nil.
type Event struct {
	Name string `json:"-"`
	// SessionSeq is the number in the session's own log; 0 for an event that is not in it.
	SessionSeq int64 `json:"session_seq"`

	Message   *Message   `json:"message"`   // message.created, message.updated, message.deleted
	Session   *Session   `json:"session"`   // session.created, session.status, session.ended, snapshot of a session
	Execution *Execution `json:"execution"` // command.planned, command.started, command.ended
	Approval  *Approval  `json:"approval"`  // approval.requested, approval.settled
	Roundtrip *Roundtrip `json:"roundtrip"` // usage.updated

	Phase     *SessionPhaseData     `json:"-"` // session.phase
	Text      *MessageDeltaData     `json:"-"` // message.delta; message.snapshot, whose Offset is the end of its text
	Discarded *MessageDiscardedData `json:"-"` // message.discarded
	Notice    *NoticeGivenData      `json:"-"` // notice
}

// DecodeEvent decodes the data of an event, with or without its type in it: the reverse of EncodeEvent. Of events
// that no client follows, and of those of a newer server, it returns the name alone.
func DecodeEvent(name string, data []byte) (*Event, error) {
	e := &Event{Name: name}
	var err error
	switch name {
	case string(domain.LogSessionPhase):
		e.Phase = &SessionPhaseData{}
		err = json.Unmarshal(data, e.Phase)
		e.SessionSeq = e.Phase.SessionSeq
	case eventDelta, eventSnapshot:
		e.Text = &MessageDeltaData{}
		err = json.Unmarshal(data, e.Text)
	case eventDiscarded:
		e.Discarded = &MessageDiscardedData{}
		err = json.Unmarshal(data, e.Discarded)
	case string(domain.LogNotice):
		e.Notice = &NoticeGivenData{}
		err = json.Unmarshal(data, e.Notice)
	case string(domain.LogMessageCreated), string(domain.LogMessageUpdated), string(domain.LogMessageDeleted):
		err = decodeField(data, e, &e.Message)
	case string(domain.LogSessionCreated), string(domain.LogSessionStatus), string(domain.LogSessionEnded), eventState:
		err = decodeField(data, e, &e.Session)
	case string(domain.LogCommandPlanned), string(domain.LogCommandStarted), string(domain.LogCommandEnded):
		err = decodeField(data, e, &e.Execution)
	case string(domain.LogApprovalRequested), string(domain.LogApprovalSettled):
		err = decodeField(data, e, &e.Approval)
	case string(domain.LogUsageUpdated):
		err = decodeField(data, e, &e.Roundtrip)
	}
	if err != nil {
		return nil, fmt.Errorf("decode event %s: %w", name, err)
	}
	return e, nil
}

// decodeField decodes an event whose data has one field for its body, which must be there.
func decodeField[T any](data []byte, e *Event, field **T) error {
	if err := json.Unmarshal(data, e); err != nil {
		return err
	}
	if *field == nil {
		return errNoBody
	}
	return nil
}

// Names of events that are not in the log.
const (
	eventDelta     = "message.delta"
	eventSnapshot  = "message.snapshot"
	eventDiscarded = "message.discarded"
	eventState     = "snapshot"
)

// ShownText is what clients are shown of an answer, which has its text or is parsed.
func ShownText(text string, parsed *domain.AIMessage) string {
	switch {
	case parsed == nil:
		return text
	case parsed.PreText == domain.InvalidFormatText:
		return ""
	}
	return parsed.PreText
}

// ShownText is what clients are shown of a message of the AI.
func (m *Message) ShownText() string { return ShownText(Value(m.TextContent), m.AiMessage) }

// Reasoning is the reasoning of an answer as it is streamed: without breaks between its blocks.
func (m *Message) Reasoning() string {
	if m.AiRaw == nil {
		return ""
	}
	var b strings.Builder
	for i := range m.AiRaw.Thinking {
		b.WriteString(m.AiRaw.Thinking[i].Text)
	}
	return b.String()
}

// Add adds the usage of another call.
func (u *Usage) Add(o Usage) {
	u.InputTokens += o.InputTokens
	u.OutputTokens += o.OutputTokens
	u.CacheReadTokens += o.CacheReadTokens
	u.CacheWriteTokens += o.CacheWriteTokens
	u.ReasoningTokens += o.ReasoningTokens
	if o.Cost == nil {
		return
	}
	sum := *o.Cost
	if u.Cost != nil {
		sum.Amount += u.Cost.Amount
	}
	u.Cost = &sum
}
