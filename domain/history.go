package domain

import "time"

// HistoryKey names what a client holds of a conversation, up to and with one message of the
// user: the hash of it, and how many sessions began with the very same words before.
type HistoryKey struct {
	Hash   string
	Number int
	// Request is what the client said of its request beside the message, in JSON; "": nothing
	// that is read again.
	Request string
}

// KnownHistory says which session's record a client's history is. It is stored together with
// the message that it ends with, or with the answer to an approval that its text was.
type KnownHistory struct {
	HistoryKey
	WorkspaceID string
	SessionID   string
	MessageID   string
	CreatedAt   time.Time
	// Newest: no other message of the session came with a history after this one.
	Newest bool
}

// MaxAlike bounds the sessions that began with the same words among which one is looked for,
// the newest first.
const MaxAlike = 20
