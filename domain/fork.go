package domain

// Forks: chats whose record begins with that of another session. The beginning is shared, not copied: it
// is read, part by part, from the sessions that wrote it.

// ForkOrigin is what a fork began from. It never changes.
type ForkOrigin struct {
	SessionID string `json:"session_id"`
	MessageID string `json:"message_id"`
	// Parts make the beginning of the record, in its order. They name the sessions that wrote
	// it: of a fork of a fork there is no chain to follow.
	Parts []RecordPart `json:"parts"`
}

// RecordPart is a stretch of a session's record: its messages after a number, up to another.
type RecordPart struct {
	SessionID string `json:"s"`
	After     int64  `json:"a,omitempty"`
	To        int64  `json:"t"`
	// Current: its messages were the current ones when the fork was made; later changes do not matter.
	Current bool `json:"c,omitempty"`
}

// Has reports whether a message of the part's session is in it.
func (p RecordPart) Has(seq int64) bool { return seq > p.After && seq <= p.To }

// MaxRecordParts bounds of how many parts the beginning of a record is made.
const MaxRecordParts = 100

// NewFork asks for a fork.
type NewFork struct {
	ID         string // "": the server makes one
	MessageID  string // the last message that it has in common with the session
	Name       string
	ProviderID string
	Message    *NewMessage // sent at once
	By         Author
}

// Inherited are the parts with which the record of the session begins.
func (s *Session) Inherited() []RecordPart {
	if s.Origin == nil {
		return nil
	}
	return s.Origin.Parts
}
