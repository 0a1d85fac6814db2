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

// KnownHistory maps a client's history to a session's record. It is stored together with the history's
// last message, or with the answer to an approval that this message was.
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
