package domain

import "time"

// InboxItem is something that came from outside while the session could not take it
// at once: a message that waits its turn, an answer to a parked session. It is
// accepted (2xx) and never lost; the driver folds it in.
type InboxItem struct {
	ID          string
	WorkspaceID string
	SessionID   string
	DedupeKey   string // unique in its session
	Kind        string // message
	IfBusy      IfBusy // enqueue or steer
	MessageID   string
	CreatedAt   time.Time
	Trace       string // the id of the trace that it came with
	// Message is filled when it is read; Bytes is about how long it is.
	Message *Message
	Bytes   int
}

// What may wait its turn in one session at a time: so many messages, and so many bytes
// of them together. What comes beyond is refused with queue_full.
const (
	MaxWaiting      = 100
	MaxWaitingBytes = 8 << 20
)
