package webhooks

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// maxBody bounds a message: a longer event is told of without its data, which the receiver
// reads in the log (GET /v1/events?after=).
const maxBody = 256 << 10

// TypeTest is the type of the message that tries an address. No event has it.
const TypeTest domain.LogType = "webhook.test"

const timeFormat = "2006-01-02T15:04:05.000Z"

// cut stands in the place of data that is too long.
type cut struct {
	SessionID  string `json:"session_id,omitempty"`
	SessionSeq int64  `json:"session_seq,omitempty"`
	Cut        bool   `json:"cut"`
	Bytes      int    `json:"bytes"`
}

// body is an event as it is sent, with a link if there is one. Its data begins with the type,
// as on event streams.
func body(e *domain.LogEvent, link string) []byte {
	data := e.Data
	if len(data) > 2 { // not {}
		data = append(fmt.Appendf(nil, `{"type":%q,`, e.Type), data[1:]...)
	}
	if len(data) > maxBody {
		// Numbers, and an id of ours: they can be encoded.
		data, _ = json.Marshal(cut{SessionID: e.SessionID, SessionSeq: e.SessionSeq, Cut: true, Bytes: len(e.Data)})
	}
	b := make([]byte, 0, len(data)+len(e.WorkspaceID)+len(link)+160)
	b = fmt.Appendf(b, `{"type":%q,"seq":%d,"at":%q,"workspace_id":%q,`,
		e.Type, e.Seq, e.At.UTC().Format(timeFormat), e.WorkspaceID)
	if link != "" {
		b = fmt.Appendf(b, `"link":%q,`, link) // an address of ours: ASCII
	}
	return append(append(append(b, `"data":`...), data...), '}')
}

// messageID is the same whenever an event is sent to a webhook: by it a receiver knows what
// it has had.
func messageID(webhook string, seq int64) string { return webhook + "_" + strconv.FormatInt(seq, 10) }

// testEvent tries an address.
func testEvent(h *domain.Webhook, now time.Time) *domain.LogEvent {
	return &domain.LogEvent{
		WorkspaceID: h.WorkspaceID, Type: TypeTest, At: now, Data: fmt.Appendf(nil, `{"webhook_id":%q}`, h.ID),
	}
}
