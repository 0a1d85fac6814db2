package api

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/sse"
)

// EncodeEvent is the data of an event as the log keeps it: what streams, history and
// webhooks send, but for the type, which they put before it. It runs for every event of every turn, inside the transaction that
// writes the event, so the bodies that each turn has are written by hand (encode.go);
// a test holds them to the types that the contract describes.
func EncodeEvent(e *domain.LogEvent) ([]byte, error) {
	b := make([]byte, 0, 1024)
	b = append(b, '{')
	if e.Type.OfSession() && e.SessionID != "" {
		b = append(b, `"session_seq":`...)
		b = strconv.AppendInt(b, e.SessionSeq, 10)
		b = append(b, ',')
	}
	b, err := appendBody(b, e)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.Type, err)
	}
	return append(b, '}'), nil
}

// EventFrame returns an event as a Server-Sent Event. id is its number, or sse.NoID.
func EventFrame(name string, id int64, data []byte) []byte {
	return sse.Append(make([]byte, 0, 2*len(name)+len(data)+64), name, id, TypedEvent(name, data))
}

// TypedEvent returns the data of an event, an object, with the event's type as its first field, as streams and
// lists send it: many clients expose nothing but the data.
func TypedEvent(name string, data []byte) []byte {
	b := make([]byte, 0, len(name)+len(data)+16)
	if len(data) < 2 || data[0] != '{' {
		return append(b, data...)
	}
	b = append(b, `{"type":"`...)
	b = append(b, name...)
	b = append(b, '"')
	if data[1] != '}' {
		b = append(b, ',')
	}
	return append(b, data[1:]...)
}

// appendBody appends the fields of the event's data, without the braces.
func appendBody(b []byte, e *domain.LogEvent) ([]byte, error) {
	switch e.Type {
	case domain.LogSessionPhase:
		return appendPhase(b, e)
	case domain.LogSessionCreated, domain.LogSessionStatus, domain.LogSessionEnded:
		if e.Session == nil {
			return nil, errNoBody
		}
		return appendSession(append(b, `"session":`...), e.Session)
	case domain.LogMessageCreated, domain.LogMessageUpdated, domain.LogMessageDeleted:
		if e.Message == nil {
			return nil, errNoBody
		}
		return appendMessage(append(b, `"message":`...), saidOnce(e.Message))
	case domain.LogCommandPlanned, domain.LogCommandStarted, domain.LogCommandEnded:
		if e.Execution == nil {
			return nil, errNoBody
		}
		return appendField(b, "execution", ExecutionFrom(e.Execution))
	case domain.LogApprovalRequested, domain.LogApprovalSettled:
		if e.Approval == nil {
			return nil, errNoBody
		}
		return appendField(b, "approval", ApprovalFrom(e.Approval))
	case domain.LogTaskChanged:
		if e.Task == nil {
			return nil, errNoBody
		}
		return appendField(b, "task", taskInEvent(e.Task))
	case domain.LogAnswersChanged:
		if e.Answers == nil {
			return nil, errNoBody
		}
		return appendObject(b, e.Answers)
	case domain.LogUsageUpdated, domain.LogContextCompacted:
		return appendCall(b, e)
	default:
		return appendWorkspaceBody(b, e)
	}
}

// appendWorkspaceBody appends the data of an event that is the workspace's own, or a
// notice.
func appendWorkspaceBody(b []byte, e *domain.LogEvent) ([]byte, error) {
	switch {
	case e.Type == domain.LogSlotChanged && e.Slot != nil:
		return appendObject(b, SlotFrom(e.Slot, e.At))
	case e.Type == domain.LogQueueChanged:
		queue, lane := QueueFrom(e.Queue), domain.LaneOr(e.Lane)
		queue.Lane = &lane
		queue.Length = max(queue.Length, e.QueueLength)
		return appendObject(b, queue)
	case e.Type == domain.LogDataChanged && e.Change != nil:
		return appendObject(b, e.Change)
	case e.Type == domain.LogNotice && e.Notice != nil:
		if e.SessionID != "" {
			b = appendText(append(b, `"session_id":`...), e.SessionID)
			b = append(b, ',')
		}
		return appendObject(b, e.Notice)
	}
	return appendRow(b, e)
}

// appendRow appends the data of an event about a noun of another family.
func appendRow(b []byte, e *domain.LogEvent) ([]byte, error) {
	switch row := e.Row.(type) {
	case *automation.Automation:
		if e.Type == domain.LogAutomationChanged {
			return appendObject(b, AutomationChangedData{Automation: *AutomationFrom(row, ""), Deleted: row.DeletedAt != nil})
		}
	case *automation.Occurrence:
		if e.Type == domain.LogOccurrence {
			return appendObject(b, OccurrenceRecordedData{Occurrence: *OccurrenceFrom(row)})
		}
	}
	return nil, errNoBody
}

var errNoBody = fmt.Errorf("the event has no body of its type")

func appendPhase(b []byte, e *domain.LogEvent) ([]byte, error) {
	p := e.Phase
	if p == nil {
		return nil, errNoBody
	}
	b = appendText(append(b, `"session_id":`...), e.SessionID)
	b = appendText(append(b, `,"from":`...), string(p.From))
	b = appendText(append(b, `,"phase":`...), string(p.To))
	b = appendText(append(b, `,"status":`...), string(p.Status))
	b = appendText(append(b, `,"event":`...), p.Event)
	if p.Reason != "" {
		b = appendText(append(b, `,"reason":`...), p.Reason)
	}
	b = appendTextOrNull(append(b, `,"round_id":`...), p.RoundID)
	b = strconv.AppendInt(append(b, `,"epoch":`...), p.Epoch, 10)
	return appendTime(append(b, `,"at":`...), p.At), nil
}

// appendCall appends the data of an event about a call of the AI.
func appendCall(b []byte, e *domain.LogEvent) ([]byte, error) {
	b = appendText(append(b, `"session_id":`...), e.SessionID)
	if e.Usage == nil && e.Type == domain.LogUsageUpdated {
		return nil, errNoBody
	}
	var err error
	if e.Message != nil {
		if b, err = appendMessage(append(b, `,"message":`...), saidOnce(e.Message)); err != nil {
			return nil, err
		}
	}
	if e.Usage != nil {
		return appendRoundtrip(append(b, `,"roundtrip":`...), e.Usage), nil
	}
	return b, nil
}

func appendField(b []byte, name string, v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	b = append(b, '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return append(b, raw...), nil
}

// appendObject appends the fields of v without its braces.
func appendObject(b []byte, v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(b, raw[1:len(raw)-1]...), nil
}
