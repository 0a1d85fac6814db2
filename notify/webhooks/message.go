package webhooks

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// maxBody bounds a message. A longer event is sent without its data, which the receiver can read
// from the log (GET /v1/events?after=).
const maxBody = 256 << 10

// typeTest is the type of test messages. No event has it.
const typeTest domain.LogType = "webhook.test"

const timeFormat = "2006-01-02T15:04:05.000Z"

// cut replaces data that is too long.
type cut struct {
	SessionID  string `json:"session_id,omitempty"`
	SessionSeq int64  `json:"session_seq,omitempty"`
	Cut        bool   `json:"cut"`
	Bytes      int    `json:"bytes"`
}

// body encodes an event for sending, with a link if there is one. Its data begins with the type, as
// in event streams.
func body(e *domain.LogEvent, link string) []byte {
	data := e.Data
	if len(data) > 2 { // not {}
		data = append(fmt.Appendf(nil, `{"type":%q,`, e.Type), data[1:]...)
	}
	if len(data) > maxBody {
		// Encoding cannot fail: numbers and one of our IDs.
		data, _ = json.Marshal(cut{SessionID: e.SessionID, SessionSeq: e.SessionSeq, Cut: true, Bytes: len(e.Data)})
	}
	b := make([]byte, 0, len(data)+len(e.WorkspaceID)+len(link)+160)
	b = fmt.Appendf(b, `{"type":%q,"seq":%d,"at":%q,"workspace_id":%q,`,
		e.Type, e.Seq, e.At.UTC().Format(timeFormat), e.WorkspaceID)
	if link != "" {
		b = fmt.Appendf(b, `"link":%q,`, link) // // one of our URLs: ASCII
	}
	return append(append(append(b, `"data":`...), data...), '}')
}

// messageID is the same for each attempt at an event, so that receivers can detect duplicates.
func messageID(webhook string, seq int64) string { return webhook + "_" + strconv.FormatInt(seq, 10) }

// testEvent returns the event of a test message.
func testEvent(h *outside.Webhook, now time.Time) *domain.LogEvent {
	return &domain.LogEvent{
		WorkspaceID: h.WorkspaceID, Type: typeTest, At: now, Data: fmt.Appendf(nil, `{"webhook_id":%q}`, h.ID),
	}
}
