package openai

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// event is what is decoded of an event of a session's stream.
type event struct {
	name       string
	SessionSeq int64 `json:"session_seq"` // 0 for events that are not in the log

	// Fields of message.delta and message.snapshot.
	MessageID string `json:"message_id"`
	Kind      string `json:"kind"`
	Offset    int    `json:"offset"`
	Text      string `json:"text"`

	// Fields of session.phase.
	Phase   domain.Phase  `json:"phase"`
	Status  domain.Status `json:"status"`
	Event   string        `json:"event"`
	RoundID string        `json:"round_id"`

	Message   *eventMessage  `json:"message"`
	Approval  *eventApproval `json:"approval"`
	Roundtrip *eventCall     `json:"roundtrip"`
	Session   *eventSession  `json:"session"`
}

type eventMessage struct {
	ID      string               `json:"id"`
	RoundID string               `json:"round_id"`
	Sender  domain.Sender        `json:"sender"`
	Status  domain.MessageStatus `json:"status"`
	Text    string               `json:"text_content"`
	AI      *struct {
		PreText string `json:"pre_text"`
	} `json:"ai_message"`
	Raw *struct {
		StopReason string `json:"stop_reason"`
	} `json:"ai_raw"`
	System *struct {
		Type    domain.SystemType `json:"type"`
		Summary string            `json:"summary"`
		Detail  string            `json:"detail"`
	} `json:"system_message"`
}

type eventApproval struct {
	ID      string                `json:"id"`
	Kind    domain.ApprovalKind   `json:"kind"`
	Status  domain.ApprovalStatus `json:"status"`
	Actions []struct {
		Text string `json:"text"`
	} `json:"actions"`
}

type eventCall struct {
	RoundID string `json:"round_id"`
	Usage   tokens `json:"usage"`
}

// tokens is the usage of a call.
type tokens struct {
	Input      int64 `json:"input_tokens"`
	CacheRead  int64 `json:"cache_read_tokens"`
	CacheWrite int64 `json:"cache_write_tokens"`
	Output     int64 `json:"output_tokens"`
	Reasoning  int64 `json:"reasoning_tokens"`
}

func (t tokens) plus(o tokens) tokens {
	return tokens{
		Input: t.Input + o.Input, CacheRead: t.CacheRead + o.CacheRead, CacheWrite: t.CacheWrite + o.CacheWrite,
		Output: t.Output + o.Output, Reasoning: t.Reasoning + o.Reasoning,
	}
}

type eventSession struct {
	Status domain.Status `json:"status"`
}

// followed are the events that are decoded.
var followed = map[string]bool{
	stream.EventDelta: true, stream.EventMessageSnapshot: true, stream.EventDiscarded: true,
	string(domain.LogMessageCreated): true, string(domain.LogMessageUpdated): true, string(domain.LogMessageDeleted): true,
	string(domain.LogSessionPhase): true, string(domain.LogSessionStatus): true, string(domain.LogSessionEnded): true,
	string(domain.LogApprovalRequested): true, string(domain.LogApprovalSettled): true, string(domain.LogUsageUpdated): true,
}

var (
	nameField = []byte("event: ")
	dataField = []byte("\ndata: ")
)

// readEvent decodes a frame of a stream; nil for an event that is not used.
func readEvent(frame []byte) (*event, error) {
	_, named, _ := bytes.Cut(frame, nameField)
	name, rest, _ := bytes.Cut(named, []byte{'\n'})
	if !followed[string(name)] {
		return nil, nil
	}
	e := &event{name: string(name)}
	rest = bytes.TrimPrefix(rest, dataField[1:])
	if err := json.Unmarshal(bytes.ReplaceAll(rest, dataField, []byte{'\n'}), e); err != nil {
		return nil, fmt.Errorf("read an event %s: %w", name, err)
	}
	return e, nil
}
